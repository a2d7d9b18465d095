"""muster for Python: classification of sets of vectors, and of pictures, with the interface of scikit-learn.

>>> import numpy as np
>>> from muster import SetClassifier
>>> rng = np.random.default_rng(0)
>>> X = [rng.normal(label, 1, size=(rng.integers(5, 30), 3)) for label in [0, 2] * 20]
>>> y = [0, 1] * 20
>>> SetClassifier("bow:words=8/linear-svm").fit(X[:30], y[:30]).score(X[30:], y[30:])
1.0
"""

from . import _muster
from ._classifier import SetClassifier, load
from ._dataset import Dataset, read_dataset
from ._encoder import SetEncoder
from ._errors import DataError, Error, MusterWarning, RuntimeFailure, UsageError
from ._explain import DecidingItem, Explanation
from ._features import LocalFeatures
from ._kernel import SetKernel
from ._sets import Sets

__version__ = _muster.version()

__all__ = [
    "DataError",
    "Dataset",
    "DecidingItem",
    "Error",
    "Explanation",
    "LocalFeatures",
    "MusterWarning",
    "RuntimeFailure",
    "SetClassifier",
    "SetEncoder",
    "SetKernel",
    "Sets",
    "UsageError",
    "load",
    "read_dataset",
]
