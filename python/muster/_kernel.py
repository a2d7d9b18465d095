"""Kernels between sets."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np
import numpy.typing as npt
from sklearn.base import TransformerMixin
from sklearn.utils.validation import check_is_fitted

from . import _muster
from ._estimator import Options, PathLike, SetEstimator
from ._progress import Progress
from ._sets import item_views

Values = npt.NDArray[np.float64]


class SetKernel(TransformerMixin, SetEstimator):  # type: ignore[misc]
    """Kernel values between sets, or pictures, for ``SVC(kernel="precomputed")`` and its like.

    Parameters
    ----------
    recipe : str, default="pmk"
        Stages that end in a kernel: ``"pmk:pyramids=3"``, ``"bow:words=100/rbf"``; one that stops at a set feature means its dot product.
    options, random_state, n_jobs, cache, progress
        As for `SetEncoder`.

    Attributes
    ----------
    recipe_ : str
        The recipe with every option spelled out.
    kernel_ : object
        The library's kernel with the training sets; immutable.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.svm import SVC
    >>> from muster import SetKernel
    >>> rng = np.random.default_rng(0)
    >>> X = [rng.normal(label, 1, size=(rng.integers(5, 30), 3)) for label in [0, 3] * 20]
    >>> y = [0, 1] * 20
    >>> pipeline = make_pipeline(SetKernel("pmk:pyramids=3/normalise"), SVC(kernel="precomputed"))
    >>> pipeline.fit(X[:30], y[:30]).score(X[30:], y[30:])
    1.0
    """

    def __init__(
        self,
        recipe: str = "pmk",
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

    def fit(self, X: Any, y: Any = None) -> "SetKernel":
        """Fits the stages to items, which the kernel keeps to compare others with. ``y`` is ignored."""
        items = item_views(X)
        with self._work() as work:
            self.kernel_ = _muster.fit_kernel(
                self.recipe, items, set=self._overrides(), seed=self._seed(), cache=self._cache(), work=work
            )
        self.recipe_ = self.kernel_.recipe
        return self

    def transform(self, X: Any) -> Values:
        """One row per item, one column per item of `fit`."""
        check_is_fitted(self)
        items = item_views(X)
        with self._work() as work:
            return self.kernel_.against_training(items, work)

    def fit_transform(self, X: Any, y: Any = None, **fit_params: Any) -> Values:
        """The kernel matrix of all items, after `fit`; exactly symmetric."""
        self.fit(X, y)
        with self._work() as work:
            return self.kernel_.training_gram(work)

    def pairwise(self, A: Any, B: Any = None) -> Values:
        """The values between any items: rows ``A`` and columns ``B``, or all pairs of ``A``."""
        check_is_fitted(self)
        rows = item_views(A)
        cols = None if B is None else item_views(B)
        with self._work() as work:
            return self.kernel_.gram(rows, cols, work)

    def _more_tags(self) -> dict[str, Any]:
        return {**super()._more_tags(), "pairwise": False}
