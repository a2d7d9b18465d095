"""A classifier of sets of vectors and of pictures."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, Optional

import numpy as np
import numpy.typing as npt
from sklearn.base import ClassifierMixin
from sklearn.metrics import accuracy_score
from sklearn.preprocessing import MultiLabelBinarizer
from sklearn.utils.validation import check_is_fitted

from . import _muster
from ._errors import UsageError
from ._estimator import Options, PathLike, SetEstimator, logger
from ._explain import Explanation, explanation_of
from ._labels import LabelCoder, Labels
from ._progress import Progress
from ._sets import item_views

Scores = npt.NDArray[np.float64]


class SetClassifier(ClassifierMixin, SetEstimator):  # type: ignore[misc]
    """Classifies sets of vectors, or pictures, by any method of muster.

    Parameters
    ----------
    method : str, default="auto"
        A named method such as ``"bow-linear"``, or a recipe such as ``"bow:words=100/linear-svm"``; ``"auto"`` leaves the choice to muster.
        Every method, stage and option is in docs/methods.
    options : dict or list of str, optional
        Single options of the method: ``{"words": 200, "linear-svm.C": 10}`` or ``["words=200"]``.
    random_state : int, RandomState or None, default=1
        One seed gives one model, on any number of threads. 1 is the seed of the command as well; None draws one.
    n_jobs : int, optional
        Threads, as scikit-learn counts them: None for one (or what joblib's context says), -1 for all.
    effort : {"quick", "normal", "thorough"}, default="normal"
        How much the method ``"auto"`` tries; more takes longer.
    strict : bool, default=True
        Whether an item that cannot be used, such as a damaged picture or a set with NaN, is an error in `fit`. If not, it is left out with a warning.
    keep_training : bool, default=False
        Keeps the training vectors in the model, for ``muster add-class``.
    class_mixtures : bool, default=False
        Keeps one mixture per class (methods with a universal mixture only).
    universal : path, optional
        A universal mixture made by ``muster train --save-universal``, used instead of learning one.
    cache : path, optional
        A folder that keeps the features of pictures between runs.
    progress : None, True or callable, default=None
        True draws bars with tqdm; a function is called with (step, done, total).

    Attributes
    ----------
    classes_ : ndarray
        The classes, sorted.
    recipe_ : str
        The method with every option spelled out.
    report_ : dict
        How it was fitted: "items", "left_out", "seconds", "fit" with "C", "folds", "tried" and "cross_validated", and for the method
        ``"auto"`` "choice" with "effort", "folds", "tried" (a dictionary per recipe that was judged), "estimate" and its "error".
    n_features_in_ : int
        Components per vector; only if it was fitted to arrays.
    model_ : object
        The library's model; immutable, so copies of the estimator share it.

    Notes
    -----
    ``X`` is a list with one entry per item (see the guide, docs/how-to/python.md), or `Sets`. The arrays must not be changed by another thread
    during a call: float32 arrays are read where they are.

    Examples
    --------
    >>> import numpy as np
    >>> from muster import SetClassifier
    >>> rng = np.random.default_rng(0)
    >>> X = [rng.normal(label, 1, size=(rng.integers(5, 30), 3)) for label in [0, 2] * 20]
    >>> y = ["low", "high"] * 20
    >>> classifier = SetClassifier("bow:words=8/linear-svm").fit(X[:30], y[:30])
    >>> print(*classifier.predict(X[30:32]))
    low high
    >>> classifier.score(X[30:], y[30:])
    1.0
    """

    def __init__(
        self,
        method: str = "auto",
        *,
        options: Options = None,
        random_state: Any = 1,
        n_jobs: Optional[int] = None,
        effort: str = "normal",
        strict: bool = True,
        keep_training: bool = False,
        class_mixtures: bool = False,
        universal: Optional[PathLike] = None,
        cache: Optional[PathLike] = None,
        progress: Progress = None,
    ) -> None:
        self.method = method
        self.options = options
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.effort = effort
        self.strict = strict
        self.keep_training = keep_training
        self.class_mixtures = class_mixtures
        self.universal = universal
        self.cache = cache
        self.progress = progress

    def fit(self, X: Any, y: Labels, groups: Optional[Sequence[Any]] = None) -> "SetClassifier":
        """Learns from labelled items.

        Parameters
        ----------
        X : list or Sets
            One entry per item: an array with one vector per row, (vectors, places), (vectors, places or None, weights), or for a picture a
            path, bytes, a Pillow image or a uint8 array.
        y : sequence
            One label per item (texts or whole numbers), or several: lists of labels, or an indicator matrix with one column per label.
        groups : sequence, optional
            One entry per item, equal for items that belong together, such as views of one object: the method ``"auto"`` judges recipes on
            groups that they were not trained on.

        Returns
        -------
        self : SetClassifier
        """
        items = item_views(X)
        if y is None:
            raise UsageError("fit requires y to be passed, but the target y is None")
        coder = LabelCoder.of(y)
        train = _muster.train_multi_label if coder.multi_label else _muster.train
        with self._work() as work:
            model = train(
                items,
                coder.texts(y),
                method="" if self.method == "auto" else self.method,
                set=self._overrides(),
                seed=self._seed(),
                effort=self.effort,
                groups=[] if groups is None else [str(group) for group in groups],
                keep_training=self.keep_training,
                class_mixtures=self.class_mixtures,
                universal="" if self.universal is None else os.fspath(self.universal),
                strict=self.strict,
                cache=self._cache(),
                work=work,
            )
        self._take(model, coder)
        if items.dim:
            self.n_features_in_ = items.dim
        elif hasattr(self, "n_features_in_"):
            del self.n_features_in_
        logger.info("trained %s on %d items in %.3g s", self.recipe_, self.report_["items"], sum(self.report_["seconds"].values()))
        return self

    def _take(self, model: _muster.Model, coder: LabelCoder) -> None:
        self.model_ = model
        self.recipe_ = model.recipe
        self.report_ = model.report()
        self.classes_ = coder.classes
        self._coder = coder
        coder.match(model.class_names)

    def _predict(self, X: Any) -> tuple[Scores, Scores]:
        """Probabilities and scores, with the library's columns."""
        check_is_fitted(self)
        items = item_views(X)
        with self._work() as work:
            return self.model_.predict(items, work)

    def predict(self, X: Any) -> Any:
        """The label of each item; with several labels per item, in the form of the ``y`` that it was fitted to.

        An item that cannot be used is a `DataError`.
        """
        probabilities = self._predict(X)[0]
        return self._coder.predicted(probabilities)

    def predict_proba(self, X: Any) -> Scores:
        """How probable each class is: one row per item, one column per class in the order of `classes_`."""
        probabilities = self._predict(X)[0]
        return probabilities[:, self._coder.columns]

    def decision_function(self, X: Any) -> Scores:
        """The scores of the classifier itself, one column per class; with two classes one number per item, positive for the second."""
        scores = self._predict(X)[1]
        scores = scores[:, self._coder.columns]
        if self._coder.multi_label or scores.shape[1] != 2:
            return scores
        return scores[:, 1] - scores[:, 0]

    def score(self, X: Any, y: Labels, sample_weight: Optional[npt.ArrayLike] = None) -> float:
        """The share of items whose labels are predicted right; with several labels per item all of them must be."""
        predicted = self.predict(X)
        if self._coder.form == "lists":
            binarizer = MultiLabelBinarizer().fit([*predicted, *y])
            predicted, y = binarizer.transform(predicted), binarizer.transform(y)
        return float(accuracy_score(y, predicted, sample_weight=sample_weight))

    def explain(
        self,
        x: Any,
        label: Any = None,
        *,
        against: Any = None,
        regions: int = 8,
        leave_out: bool = False,
        map_side: int = 64,
        strongest: int = 6,
        deciding: int = 5,
        training: Optional[PathLike] = None,
    ) -> Explanation:
        """What in one item speaks for a class.

        Parameters
        ----------
        x : array, pair, path, bytes or picture
            One entry of an ``X``.
        label : object, optional
            The class to explain; the most probable one if it is left out.
        against : object, optional
            A class whose score is subtracted.
        regions : int, default=8
            By leaving out: cells per side that the picture is divided into.
        leave_out : bool, default=False
            Leaves regions out even if the model's sums tell.
        map_side : int, default=64
            Cells of the map along the longer side.
        strongest : int, default=6
            Most vectors in `Explanation.strongest_for` and `Explanation.strongest_against`.
        deciding : int, default=5
            Most training items to name.
        training : path, optional
            The data set on disk that the model was trained on, to find the files of training items in.

        Returns
        -------
        explanation : Explanation

        Examples
        --------
        >>> import numpy as np
        >>> from muster import SetClassifier
        >>> rng = np.random.default_rng(0)
        >>> X = [rng.normal(label, 1, size=(20, 3)) for label in [0, 2] * 20]
        >>> classifier = SetClassifier("bow:words=8/linear-svm").fit(X, ["low", "high"] * 20)
        >>> mixed = np.array([[0, 0, 0], [2, 2, 2]], float)
        >>> explanation = classifier.explain(mixed, "high")
        >>> explanation.by, explanation.evidence.argmax()
        ('exact', 1)
        """
        check_is_fitted(self)
        labels = {str(one): one for one in self.classes_}
        with self._work() as work:
            found = self.model_.explain(
                item_views([x]),
                class_name="" if label is None else str(label),
                against="" if against is None else str(against),
                regions=regions,
                leave_out=leave_out,
                map_side=map_side,
                patches=strongest,
                deciding=deciding,
                training="" if training is None else os.fspath(training),
                work=work,
            )
        return explanation_of(found, labels)

    def save(self, path: PathLike) -> None:
        """Writes the model to a file that `load`, the command ``muster`` and C++ read. Labels become texts there; pickle keeps them as they are."""
        check_is_fitted(self)
        self.model_.save(os.fspath(path))

    def _more_tags(self) -> dict[str, Any]:
        return {**super()._more_tags(), "multilabel": True, "requires_y": True}


def load(path: PathLike) -> SetClassifier:
    """A classifier from a model file, whether Python, the command ``muster`` or C++ wrote it.

    Its classes are texts, as they are in the file.

    Examples
    --------
    >>> import numpy as np, os, tempfile
    >>> import muster
    >>> X = [np.full((4, 2), label, float) for label in [0, 1] * 5]
    >>> classifier = muster.SetClassifier("bow:words=2/linear-svm").fit(X, [0, 1] * 5)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "small.muster")
    ...     classifier.save(path)
    ...     again = muster.load(path)
    >>> print(*again.predict(X[:2]))
    0 1
    """
    model = _muster.load(os.fspath(path))
    out = SetClassifier(model.recipe, random_state=model.seed)
    out._take(model, LabelCoder("lists" if model.multi_label else "single", np.array(model.class_names)))
    return out
