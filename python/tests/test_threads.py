"""Threads and processes: the GIL is released, results do not depend on them."""

import ctypes
import multiprocessing
import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from conftest import QUICK, make_sets
from muster import SetClassifier, SetEncoder, Sets


def test_python_goes_on_while_the_library_works():
    rng = np.random.default_rng(0)
    sets = Sets(rng.normal(size=(300000, 16)).astype(np.float32), np.arange(0, 300001, 100))
    encoder = SetEncoder("fisher:components=64").fit(sets[:100])
    ticks, over = [], threading.Event()

    def count():
        while not over.is_set():
            ticks.append(time.perf_counter())
            time.sleep(0.001)

    other = threading.Thread(target=count)
    other.start()
    start = time.perf_counter()
    encoder.transform(sets)
    end = time.perf_counter()
    over.set()
    other.join()
    assert end - start > 0.05, "too little work to tell"
    during = [tick for tick in ticks if start < tick < end]
    assert max(np.diff([start, *during, end])) < 0.5 * (end - start)


@pytest.mark.parametrize("method", [QUICK, "fisher:components=2/linear-svm", "pmk/kernel-svm"])
def test_any_number_of_threads_gives_the_same_bytes(data, method):
    models = {SetClassifier(method, n_jobs=n_jobs).fit(*data).model_.bytes() for n_jobs in (None, 1, 2, 4, -1)}
    assert len(models) == 1


def test_many_threads_share_one_classifier(data, fresh):
    classifier = SetClassifier(QUICK).fit(*data)
    expected = classifier.predict_proba(fresh[0])
    with ThreadPoolExecutor(4) as pool:
        for found in pool.map(lambda _: classifier.predict_proba(fresh[0]), range(40)):
            np.testing.assert_array_equal(found, expected)


def test_threads_fit_side_by_side(data):
    expected = [SetClassifier(QUICK, random_state=seed).fit(*data).model_.bytes() for seed in range(4)]
    with ThreadPoolExecutor(4) as pool:
        found = pool.map(lambda seed: SetClassifier(QUICK, random_state=seed, n_jobs=2).fit(*data).model_.bytes(), range(4))
    assert list(found) == expected


def predicted_in_child(classifier, X, queue):
    queue.put(classifier.predict_proba(X))


@pytest.mark.parametrize("way", ["fork", "spawn"])
def test_a_child_process_predicts_the_same(data, fresh, way):
    classifier = SetClassifier(QUICK, n_jobs=2).fit(*data)
    context = multiprocessing.get_context(way)
    queue = context.Queue()
    child = context.Process(target=predicted_in_child, args=(classifier, fresh[0], queue))
    child.start()
    found = queue.get(timeout=60)
    child.join(60)
    assert child.exitcode == 0
    np.testing.assert_array_equal(found, classifier.predict_proba(fresh[0]))


def test_the_threads_of_other_libraries_stay_as_they_were(data):
    """OpenMP's number of threads belongs to the calling thread, and scikit-learn goes by it."""
    openmp = ctypes.CDLL("libgomp.so.1")
    openmp.omp_set_num_threads(3)
    try:
        classifier = SetClassifier("fisher:components=2/linear-svm:C=1").fit(*data)
        classifier.predict(data[0][:1])
        assert openmp.omp_get_max_threads() == 3
    finally:
        openmp.omp_set_num_threads(len(os.sched_getaffinity(0)))


def test_an_array_that_another_thread_changes_does_no_harm():
    """What is computed then is not defined; that it ends, with a model or an error, is."""
    X, y = make_sets(300)
    over = threading.Event()

    def change():
        rng = np.random.default_rng(0)
        while not over.is_set():
            X[rng.integers(300)][...] = rng.normal()

    other = threading.Thread(target=change)
    other.start()
    try:
        for _ in range(3):
            try:
                SetClassifier("bow:words=8/linear-svm:C=1").fit(X, y)
            except ValueError:
                pass
    finally:
        over.set()
        other.join()
