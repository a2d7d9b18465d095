"""Peers from Python. Holds the data and, for every line on stdin, runs the job once and prints the
CPU seconds, the wall seconds and the result as one number.

  peers.py kmeans DATA ROWS COLS WORDS ITERATIONS      raw float32; result: mean squared error
  peers.py fourier DATA ROWS COLS FREQUENCIES PHASES WIDTH OUT REPEATS
                                                       raw float32; the mean vector goes to OUT
  peers.py matching COSTS PROBLEMS SIDE                raw float64; result: the sum of all costs
"""
import sys
import time

import numpy as np


def matrix(path, rows, cols, dtype=np.float32):
    return np.fromfile(path, dtype=dtype).reshape(int(rows), int(cols))


def kmeans(path, rows, cols, words, iterations):
    from sklearn.cluster import KMeans

    data = matrix(path, rows, cols)
    first = data[np.random.RandomState(2).choice(len(data), int(words), replace=False)]

    def run():
        # Lloyd's is the faster of its two algorithms at this size.
        fitted = KMeans(int(words), init=first, n_init=1, max_iter=int(iterations), tol=0,
                        algorithm="lloyd").fit(data)
        return fitted.inertia_ / len(data)

    return run


def fourier(path, rows, cols, frequencies, phases, width, out, repeats):
    from sklearn.kernel_approximation import RBFSampler

    data = matrix(path, rows, cols)
    sampler = RBFSampler(n_components=int(width)).fit(data)
    sampler.random_weights_ = np.ascontiguousarray(matrix(frequencies, width, cols).T)
    sampler.random_offset_ = np.fromfile(phases, dtype=np.float32)

    def run():
        for _ in range(int(repeats)):
            mean = sampler.transform(data).mean(axis=0)
        mean.astype(np.float32).tofile(out)
        return float(mean[0])

    return run


def matching(path, problems, side):
    from scipy.optimize import linear_sum_assignment

    costs = np.fromfile(path).reshape(int(problems), int(side), int(side))

    def run():
        total = 0.0
        for problem in costs:
            rows, cols = linear_sum_assignment(problem)
            total += problem[rows, cols].sum()
        return total

    return run


def main():
    job = {"kmeans": kmeans, "fourier": fourier, "matching": matching}[sys.argv[1]]
    run = job(*sys.argv[2:])
    for _ in sys.stdin:
        cpu, wall = time.process_time(), time.perf_counter()
        result = run()
        print(time.process_time() - cpu, time.perf_counter() - wall, repr(float(result)), flush=True)


if __name__ == "__main__":
    import warnings

    warnings.filterwarnings("ignore")  # that k-means was stopped is meant
    main()
