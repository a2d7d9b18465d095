"""Many sets of vectors in one array, and whatever else may be given as ``X``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Optional, Union, overload

import numpy as np
import numpy.typing as npt

from . import _muster
from ._errors import DataError, UsageError

Floats = npt.NDArray[np.float32]
Integers = npt.NDArray[np.int64]


def _float32(array: npt.ArrayLike, name: str) -> Floats:
    """Rows of float32, one after the other; what is so already is not copied."""
    values = np.asarray(array)
    if values.dtype.kind != "f" or values.dtype.itemsize not in (4, 8):
        raise DataError(f"{name} is of dtype {values.dtype}; allowed are float32, which is not copied, and float64")
    if values.ndim != 2:
        raise DataError(f"{name} has the shape {values.shape}; it needs two dimensions, one vector per row")
    return np.ascontiguousarray(values, dtype=np.float32)


class Sets(Sequence):  # type: ignore[type-arg]
    """Many sets of vectors as one array: the form in which large collections fit.

    A float32 array with one vector per row is used where it is: neither this class nor any estimator copies it, and a part of the sets
    (a slice, an array of indices, a mask: what cross-validation takes) shares it as well.

    Parameters
    ----------
    values : array of shape (n_vectors, dimension)
        The vectors of all sets. float64 is converted, which is a copy.
    offsets : array of int, of shape (n_sets + 1,)
        Set ``i`` is ``values[offsets[i]:offsets[i + 1]]``.
    places : array of shape (n_vectors, 2) or (n_vectors, 3), optional
        Where each vector lies in its picture, in [0, 1]: x, y and scale.
    weights : array of shape (n_vectors,), optional
        How much each vector counts, 0 to 1e6: a vector of weight w counts as w vectors. Kernels that compare vectors with vectors (``pmk``,
        ``matching``, densities) refuse weights.

    Examples
    --------
    >>> import numpy as np
    >>> from muster import Sets
    >>> sets = Sets(np.zeros((5, 3), np.float32), [0, 2, 5])
    >>> len(sets), sets[1].shape
    (2, (3, 3))
    >>> sets[[1, 0]][0].shape
    (3, 3)
    """

    def __init__(
        self,
        values: npt.ArrayLike,
        offsets: npt.ArrayLike,
        places: Optional[npt.ArrayLike] = None,
        weights: Optional[npt.ArrayLike] = None,
    ) -> None:
        self._values = _float32(values, "values")
        ends = np.asarray(offsets)
        if ends.ndim != 1 or len(ends) == 0 or ends.dtype.kind not in "iu":
            raise DataError(f"offsets are of dtype {ends.dtype} and shape {ends.shape}; give n + 1 whole numbers for n sets")
        ends = ends.astype(np.int64)
        if ends[0] < 0 or ends[-1] > len(self._values) or np.any(np.diff(ends) < 0):
            raise DataError(f"offsets must rise from 0 or more to at most {len(self._values)}, the number of vectors")
        self._starts: Integers = ends[:-1]
        self._stops: Integers = ends[1:]
        self._places = None if places is None else _float32(places, "places")
        if self._places is not None and len(self._places) != len(self._values):
            raise DataError(f"places of {len(self._places)} vectors for {len(self._values)} vectors; give one row per vector")
        self._weights = None if weights is None else np.ascontiguousarray(weights, dtype=np.float32)
        if self._weights is not None and self._weights.shape != (len(self._values),):
            raise DataError(f"weights of shape {self._weights.shape} for {len(self._values)} vectors; give one number per vector")

    @classmethod
    def from_list(cls, sets: Iterable[npt.ArrayLike]) -> "Sets":
        """The sets of a list, copied into one array.

        Examples
        --------
        >>> import numpy as np
        >>> from muster import Sets
        >>> Sets.from_list([np.zeros((2, 3)), np.ones((4, 3))])
        Sets(2 sets of 6 vectors, dimension 3)
        """
        arrays = [_float32(one, f"item {number}") for number, one in enumerate(sets, 1)]
        if not arrays:
            raise UsageError("no sets were given; give one or more")
        for number, array in enumerate(arrays, 1):
            if array.shape[1] != arrays[0].shape[1]:
                raise DataError(f"item {number}: its vectors have {array.shape[1]} components, those of item 1 have {arrays[0].shape[1]}")
        return cls(np.concatenate(arrays), np.concatenate([[0], np.cumsum([len(array) for array in arrays])]))

    @property
    def values(self) -> Floats:
        """The vectors of all sets, also of those that this part leaves out."""
        return self._values

    @property
    def shape(self) -> tuple[int]:
        """The number of sets, as scikit-learn asks for it."""
        return (len(self._starts),)

    @property
    def sizes(self) -> Integers:
        """How many vectors each set has."""
        return self._stops - self._starts

    @property
    def places(self) -> Optional[list[Floats]]:
        """Where the vectors of each set lie, or None if that is not known."""
        if self._places is None:
            return None
        return [self._places[start:stop] for start, stop in zip(self._starts, self._stops)]

    @property
    def weights(self) -> Optional[list[Floats]]:
        """How much the vectors of each set count, or None if all count alike."""
        if self._weights is None:
            return None
        return [self._weights[start:stop] for start, stop in zip(self._starts, self._stops)]

    def __len__(self) -> int:
        return len(self._starts)

    @overload
    def __getitem__(self, key: int) -> Floats: ...

    @overload
    def __getitem__(self, key: Union[slice, Sequence[int], npt.NDArray[Any]]) -> "Sets": ...

    def __getitem__(self, key: Any) -> Any:
        """The vectors of one set, or a part of the sets; a view either way."""
        if isinstance(key, tuple) and len(key) == 2 and key[1] is Ellipsis:
            key = key[0]  # as newer versions of scikit-learn ask for rows
        if isinstance(key, (int, np.integer)):
            return self._values[self._starts[key] : self._stops[key]]
        part = object.__new__(Sets)
        part._values, part._places, part._weights = self._values, self._places, self._weights
        key = key if isinstance(key, slice) else np.asarray(key)
        part._starts, part._stops = self._starts[key], self._stops[key]
        return part

    def __iter__(self) -> Iterator[Floats]:
        for start, stop in zip(self._starts, self._stops):
            yield self._values[start:stop]

    def __repr__(self) -> str:
        more = [name for name, given in (("places", self._places), ("weights", self._weights)) if given is not None]
        end = f", with {' and '.join(more)}" if more else ""
        return f"Sets({len(self)} sets of {self.sizes.sum()} vectors, dimension {self._values.shape[1]}{end})"

    def _views(self) -> _muster.ItemViews:
        return _muster.ItemViews(self._values, self._starts, self._stops, self._places, self._weights)


def item_views(X: Any) -> _muster.ItemViews:
    """Any ``X`` that an estimator takes, as the library sees it."""
    if isinstance(X, list):
        return _muster.ItemViews(X)
    if isinstance(X, Sets):
        return X._views()
    if isinstance(X, np.ndarray) and X.dtype != object:
        # Sets or pictures of equal size; the pixels of one picture or the vectors of one set would be taken for many items.
        if X.ndim < 3:
            raise DataError(
                f"X is one array of dtype {X.dtype} and shape {X.shape}; give a list of arrays, one per item, each with one vector per row, "
                "or muster.Sets"
            )
        return _muster.ItemViews(list(X))
    if isinstance(X, (str, bytes)) or not hasattr(X, "__iter__"):
        raise UsageError(f"X is of type {type(X).__name__}; give a list with one array, path or picture per item, or muster.Sets")
    return _muster.ItemViews(list(X))
