"""One vector per set."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np
import numpy.typing as npt
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from . import _muster
from ._errors import UsageError
from ._estimator import Options, PathLike, SetEstimator
from ._labels import LabelCoder
from ._progress import Progress
from ._sets import item_views


class SetEncoder(ClassNamePrefixFeaturesOutMixin, TransformerMixin, SetEstimator):  # type: ignore[misc]
    """Turns each set, or picture, into one vector, for any estimator of scikit-learn behind it.

    Parameters
    ----------
    recipe : str, default="fisher"
        Stages that end in a set feature: ``"fisher:components=64"``, ``"pca:dim=16/bow:words=500"``; for pictures with a feature in front,
        ``"dsift/fisher"``.
    options : dict or list of str, optional
        Single options of the recipe, as for `SetClassifier`.
    random_state : int, RandomState or None, default=1
        One seed gives one encoder.
    n_jobs : int, optional
        Threads, as scikit-learn counts them.
    cache : path, optional
        A folder that keeps the features of pictures between runs.
    progress : None, True or callable, default=None
        True draws bars with tqdm; a function is called with (step, done, total).

    Attributes
    ----------
    recipe_ : str
        The recipe with every option spelled out.
    encoder_ : object
        The library's encoder; immutable.

    Examples
    --------
    >>> import numpy as np
    >>> from muster import SetEncoder
    >>> rng = np.random.default_rng(0)
    >>> X = [rng.normal(size=(rng.integers(5, 30), 4)) for _ in range(20)]
    >>> vectors = SetEncoder("fisher:components=2").fit_transform(X)
    >>> vectors.shape, vectors.dtype
    ((20, 16), dtype('float32'))
    """

    def __init__(
        self,
        recipe: str = "fisher",
        *,
        options: Options = None,
        random_state: Any = 1,
        n_jobs: Optional[int] = None,
        cache: Optional[PathLike] = None,
        progress: Progress = None,
    ) -> None:
        self.recipe = recipe
        self.options = options
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.cache = cache
        self.progress = progress

    def fit(self, X: Any, y: Any = None) -> "SetEncoder":
        """Fits the stages to items. ``y``, one label per item, is for stages that learn from labels (a vocabulary per class) and may be left out."""
        items = item_views(X)
        labels = None
        if y is not None:
            coder = LabelCoder.of(y)
            labels = None if coder.multi_label else coder.texts(y)
            if len(y) != len(items):
                raise UsageError(f"{len(y)} labels for {len(items)} items: give one entry per item")
        with self._work() as work:
            self.encoder_ = _muster.fit_encoder(
                self.recipe, items, labels, set=self._overrides(), seed=self._seed(), cache=self._cache(), work=work
            )
        self.recipe_ = self.encoder_.recipe
        return self

    def transform(self, X: Any) -> npt.NDArray[np.float32]:
        """One row per item."""
        check_is_fitted(self)
        items = item_views(X)
        with self._work() as work:
            return self.encoder_.encode(items, work)

    @property
    def _n_features_out(self) -> int:
        return self.encoder_.dim
