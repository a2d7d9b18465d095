"""What a user would glue together from OpenCV and scikit-learn: pictures to accuracy.

  glue.py SPLIT.json THREADS      SPLIT: {"train": [[file, label], ...], "test": [...]}; prints JSON

RootSIFT on a grid (patches of 16 every 8 pixels, pictures shrunk to 300 pixels), the mean of 1,000 random Fourier features per picture,
a linear SVM with C by cross-validation.
"""
import json
import multiprocessing
import os
import sys
import time

# One thread per process; read when numpy is loaded.
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[variable] = "1"

import cv2
import numpy as np
from sklearn.kernel_approximation import RBFSampler
from sklearn.model_selection import GridSearchCV
from sklearn.svm import LinearSVC

PATCH, STEP, LONGEST, FEATURES, GAMMA = 16, 8, 300, 1000, 5


def picture(path):
    grey = cv2.imread(path, cv2.IMREAD_GRAYSCALE)
    factor = LONGEST / max(grey.shape)
    return grey if factor >= 1 else cv2.resize(grey, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA)


def describe(path, sift=[]):
    if not sift:
        cv2.setNumThreads(1)
        sift.append(cv2.SIFT_create())
    grey = picture(path)
    height, width = grey.shape
    grid = [cv2.KeyPoint(float(x), float(y), PATCH / 4, 0)
            for y in range(PATCH // 2, height - PATCH // 2 + 1, STEP)
            for x in range(PATCH // 2, width - PATCH // 2 + 1, STEP)]
    descriptors = sift[0].compute(grey, grid)[1]
    return np.sqrt(descriptors / np.maximum(descriptors.sum(axis=1, keepdims=True), 1e-9)).astype(np.float32)


def encode(path):
    return SAMPLER.transform(describe(path)).mean(axis=0)


def main():
    global SAMPLER
    start = time.perf_counter()
    split = json.load(open(sys.argv[1]))
    threads = int(sys.argv[2])
    SAMPLER = RBFSampler(gamma=GAMMA, n_components=FEATURES, random_state=1).fit(np.zeros((1, 128), np.float32))
    with multiprocessing.Pool(threads) as pool:
        train, test = (np.array(pool.map(encode, [path for path, _ in split[part]], chunksize=8)) for part in ("train", "test"))
    encoded = time.perf_counter()
    labels = {part: np.array([label for _, label in split[part]]) for part in split}
    search = GridSearchCV(LinearSVC(dual=False), {"C": [10, 100, 1000, 10000]}, cv=3, n_jobs=threads)
    search.fit(train, labels["train"])
    accuracy = search.score(test, labels["test"])
    print(json.dumps({"accuracy": accuracy, "C": search.best_params_["C"], "encoding_s": encoded - start,
                      "wall_s": time.perf_counter() - start}))


if __name__ == "__main__":
    main()
