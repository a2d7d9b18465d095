"""Sets in front of estimators of scikit-learn: as vectors, and through a kernel."""

import argparse

import numpy as np
from muster import SetEncoder, SetKernel
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--quick", action="store_true", help="few sets, as the tests run it")
arguments = parser.parse_args()
rng = np.random.default_rng(0)
count = 20 if arguments.quick else 100
y = np.array([0, 1, 2] * count)
X = [rng.normal(0, 1 + 0.2 * label, (rng.integers(10, 60), 8)) for label in y]

vectors = make_pipeline(SetEncoder("fisher:components=8"), StandardScaler(), LogisticRegression())
kernel = make_pipeline(SetKernel("pmk:pyramids=3/normalise"), SVC(kernel="precomputed"))
for name, pipeline in (("Fisher vectors and logistic regression", vectors), ("pyramid match and support vector machine", kernel)):
    print(f"{name}: {100 * cross_val_score(pipeline, X, y, cv=3).mean():.1f} %")
