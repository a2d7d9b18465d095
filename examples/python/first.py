"""Sets of vectors, from arrays to a model file."""

import muster
import numpy as np
from sklearn.model_selection import cross_val_score

rng = np.random.default_rng(0)
# 100 sets of 5 to 39 vectors: alike in their means, not in their spread.
X = [rng.normal(0, spread, (rng.integers(5, 40), 16)).astype(np.float32) for spread in [1.0, 1.3] * 50]
y = ["calm", "lively"] * 50

classifier = muster.SetClassifier("fisher:components=4/linear-svm")
print(f"{100 * cross_val_score(classifier, X, y).mean():.0f} % right by cross-validation")
classifier.fit(X, y).save("sets.muster")  # the command and C++ read it, too
