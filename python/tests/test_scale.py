"""Many sets: time, and memory beyond the values themselves."""

import resource
import subprocess
import sys
import time

import numpy as np

from muster import SetClassifier, SetEncoder, Sets

CHILD = """
import resource, sys
import numpy as np
import muster

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024

count, size, dim = 100_000, 20, 32
values = np.empty((count * size, dim), np.float32)
rng = np.random.default_rng(0)
labels = np.arange(count) % 2
for begin in range(0, count, 1000):  # in blocks, so that no double-precision copy raises the peak
    block = rng.standard_normal((1000 * size, dim), dtype=np.float32)
    block[:, 0] += 2 * np.repeat(labels[begin:begin + 1000], size)
    values[begin * size:(begin + 1000) * size] = block
sets = muster.Sets(values, np.arange(0, count * size + 1, size))
muster.SetClassifier("bow:words=16/linear-svm:C=1").fit(sets[:200], labels[:200]).predict(sets[:200])  # what any run needs
before = peak()
classifier = muster.SetClassifier("bow:words=16/linear-svm:C=1", n_jobs=-1).fit(sets, labels)
right = classifier.score(sets, labels)
print(values.nbytes, peak() - before, right)
"""


def test_a_hundred_thousand_sets_are_not_copied():
    run = subprocess.run([sys.executable, "-c", CHILD], check=True, capture_output=True, text=True)
    values, more, right = (float(word) for word in run.stdout.split())
    print(f"{values / 2**20:.0f} MiB of values, {more / 2**20:.0f} MiB more at the peak, {100 * right:.1f} % right")
    assert values == 100_000 * 20 * 32 * 4
    assert more < 0.5 * values
    assert right > 0.9


def test_a_million_tiny_sets():
    rng = np.random.default_rng(0)
    values = rng.standard_normal((1_000_000, 2), dtype=np.float32)
    tiny = [values[i : i + 1] for i in range(len(values))]
    start = time.perf_counter()
    encoder = SetEncoder("bow:words=4", n_jobs=-1).fit(tiny)
    vectors = encoder.transform(tiny)
    seconds = time.perf_counter() - start
    assert vectors.shape == (1_000_000, 4)
    assert seconds < 60
    flat = Sets(values, np.arange(1_000_001))
    np.testing.assert_array_equal(encoder.transform(flat), vectors)


def test_a_call_on_a_small_set_is_quick():
    """Far more than what is promised (bench/python measures that), so that a busy machine does not fail it."""
    rng = np.random.default_rng(0)
    X = [rng.normal(label, 1, size=(10, 4)).astype(np.float32) for label in [0, 1] * 10]
    classifier = SetClassifier("bow:words=4/linear-svm:C=1").fit(X, [0, 1] * 10)
    one = X[:1]
    times = []
    for _ in range(200):
        start = time.perf_counter()
        classifier.predict(one)
        times.append(time.perf_counter() - start)
    assert np.median(times) < 0.002


def test_memory_does_not_grow_with_calls():
    rng = np.random.default_rng(0)
    X = [rng.normal(size=(200, 32)) for _ in range(20)]  # float64: copied in each call
    encoder = SetEncoder("bow:words=4").fit(X)

    def used(calls):
        for _ in range(calls):
            encoder.transform(X)
            try:
                encoder.transform([*X, np.zeros(3)])
            except ValueError:
                pass
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024

    settled = used(50)
    assert used(400) - settled < 10 * 2**20  # a leak of one call's copies would be 400 MiB
