"""Ctrl-C, progress and warnings of long work."""

import logging
import signal
import threading
import time

import numpy as np
import pytest

import muster
from conftest import QUICK, make_sets
from muster import SetClassifier, SetEncoder, SetKernel
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC


def heavy(count=3000):
    """Seconds of work."""
    rng = np.random.default_rng(0)
    return muster.Sets(rng.normal(size=(count * 60, 16)).astype(np.float32), np.arange(0, count * 60 + 1, 60)), np.arange(count) % 5


HEAVY = "fisher:components=64/linear-svm"


def test_ctrl_c_interrupts():
    X, y = heavy(12000)
    timer = threading.Timer(0.4, lambda: signal.raise_signal(signal.SIGINT))
    start = time.perf_counter()
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        SetClassifier(HEAVY).fit(X, y)
    assert time.perf_counter() - start < 5
    # Nothing is left in a bad state.
    small = make_sets(12)
    assert SetClassifier(QUICK).fit(*small).score(*small) > 0.8


def test_progress_is_told_on_the_calling_thread(data):
    told = []
    X, y = heavy(400)
    here = threading.get_ident()

    def progress(step, done, total):
        assert threading.get_ident() == here
        told.append((step, done, total))

    SetClassifier("bow:words=8/linear-svm:C=1", n_jobs=2, progress=progress).fit(X, y)
    last = {step: (done, total) for step, done, total in told}
    assert last["encoding"] == (400, 400)
    assert all(done <= total for _, done, total in told)


def test_what_progress_raises_ends_the_work():
    class Enough(Exception):
        pass

    def progress(step, done, total):
        raise Enough(step)

    X, y = heavy(6000)
    start = time.perf_counter()
    with pytest.raises(Enough):
        SetClassifier(HEAVY, progress=progress).fit(X, y)
    assert time.perf_counter() - start < 5
    with pytest.raises(Enough):  # also in work so short that it is over before
        SetEncoder("bow:words=2", progress=progress).fit(make_sets(4)[0])


def test_bars_need_tqdm(data, monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "tqdm", None)
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    with pytest.raises(muster.UsageError, match="tqdm"):
        SetClassifier(QUICK, progress=True).fit(*data)


def test_bars_are_drawn_by_tqdm(data, monkeypatch):
    import sys
    import types

    bars = []

    class Bar:
        def __init__(self, total, desc, leave):
            self.n, self.total, self.desc, self.open = 0, total, desc, True
            bars.append(self)

        def update(self, count):
            self.n += count

        def close(self):
            self.open = False

    monkeypatch.setitem(sys.modules, "tqdm", types.ModuleType("tqdm"))
    monkeypatch.setitem(sys.modules, "tqdm.auto", types.SimpleNamespace(tqdm=Bar))
    SetClassifier(QUICK, progress=True).fit(*data)
    assert "encoding" in [bar.desc for bar in bars]
    assert all(bar.n == bar.total for bar in bars if bar.desc == "encoding")
    assert not any(bar.open for bar in bars)


def test_warnings_point_to_the_caller(data):
    with pytest.warns(muster.MusterWarning) as caught:
        SetClassifier("bow-linear", options={"words": 8}).fit(*data)
    assert caught[0].filename == __file__
    with pytest.warns(muster.MusterWarning, match="gamma=auto") as caught:
        make_pipeline(SetKernel("bow:words=4/rbf"), SVC(kernel="precomputed")).fit(*data)
    assert [one.filename for one in caught] == [__file__]


def test_the_log_says_what_was_trained(data, caplog):
    with caplog.at_level(logging.INFO, logger="muster"):
        SetClassifier(QUICK).fit(*data)
    assert "trained bow:" in caplog.text and "45 items" in caplog.text
