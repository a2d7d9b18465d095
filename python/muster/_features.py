"""From pictures to sets of local features."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np
from sklearn.base import TransformerMixin

from . import _muster
from ._estimator import Options, PathLike, SetEstimator
from ._progress import Progress
from ._sets import Sets, item_views


class LocalFeatures(TransformerMixin, SetEstimator):  # type: ignore[misc]
    """Turns pictures into sets of local features, with their places. It learns nothing, so `transform` needs no `fit`.

    Parameters
    ----------
    recipe : str, default="dsift"
        A feature, and reductions that learn nothing: ``"dsift:size=16,24/root"``, ``"lbp"``, ``"sift"``.
    options, n_jobs, cache, progress
        As for `SetEncoder`.

    Examples
    --------
    >>> import numpy as np
    >>> from muster import LocalFeatures
    >>> pictures = [np.random.default_rng(i).integers(0, 255, (64, 48, 3), dtype=np.uint8) for i in range(2)]
    >>> sets = LocalFeatures("dsift:size=16,step=8/root").transform(pictures)
    >>> sets
    Sets(2 sets of 70 vectors, dimension 128, with places)
    >>> sets[0].shape, sets.places[0].shape
    ((35, 128), (35, 3))
    """

    def __init__(
        self,
        recipe: str = "dsift",
        *,
        options: Options = None,
        n_jobs: Optional[int] = None,
        cache: Optional[PathLike] = None,
        progress: Progress = None,
    ) -> None:
        self.recipe = recipe
        self.options = options
        self.n_jobs = n_jobs
        self.cache = cache
        self.progress = progress

    def fit(self, X: Any, y: Any = None) -> "LocalFeatures":
        """Does nothing."""
        return self

    def transform(self, X: Any) -> Sets:
        """The features of each picture: a `Sets`, which is a sequence of arrays, with `Sets.places`.

        ``X`` is a list of paths, bytes, Pillow images or uint8 arrays.
        """
        items = item_views(X)
        with self._work() as work:
            vectors, places, counts = _muster.extract(self.recipe, items, set=self._overrides(), cache=self._cache(), work=work)
        offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        return Sets(vectors, offsets, places if places.shape[1] else None)

    def _more_tags(self) -> dict[str, Any]:
        return {"X_types": ["pictures"], "requires_fit": False, "stateless": True}
