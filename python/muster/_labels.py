"""Labels as scikit-learn has them, and as the library has them: texts."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils import column_or_1d
from sklearn.utils.multiclass import check_classification_targets

from ._errors import DataError

Labels = Any


def _is_list_of_labels(entry: Any) -> bool:
    return isinstance(entry, (list, tuple, set, frozenset, np.ndarray))


class LabelCoder:
    """Turns ``y`` into texts, and the library's columns back into ``y``.

    `form` is "single" (one label per item), "indicator" (a matrix with one column per label) or "lists" (any number of labels per item).
    """

    def __init__(self, form: str, classes: npt.NDArray[Any]) -> None:
        self.form = form
        self.classes = classes

    @classmethod
    def of(cls, y: Labels) -> "LabelCoder":
        if hasattr(y, "toarray"):  # sparse
            y = y.toarray()
        if getattr(y, "ndim", 1) == 2 and np.shape(y)[1] > 1:
            matrix = np.asarray(y)
            if not np.isin(matrix, (0, 1)).all():
                raise DataError("y has two dimensions, so it must be an indicator matrix of 0 and 1, one column per label")
            empty = np.flatnonzero(~matrix.astype(bool).any(axis=0))
            if len(empty):
                raise DataError(f"y: no item has label {empty[0]} (a column of 0), so there is nothing to learn it from; leave the column out")
            return cls("indicator", np.arange(matrix.shape[1]))
        if not isinstance(y, np.ndarray) and len(y) and all(_is_list_of_labels(entry) for entry in y):
            every = [label for entry in y for label in entry]
            return cls("lists", np.unique(np.asarray(every)) if every else np.empty(0, dtype=str))
        flat = column_or_1d(np.asarray(y), warn=True)
        check_classification_targets(flat)
        return cls("single", np.unique(flat))

    @property
    def multi_label(self) -> bool:
        return self.form != "single"

    def texts(self, y: Labels) -> list[Any]:
        """One text per item, or one list of texts."""
        if self.form == "single":
            return [str(label) for label in np.asarray(y).ravel()]
        if self.form == "lists":
            return [[str(label) for label in entry] for entry in y]
        matrix = np.asarray(y.toarray() if hasattr(y, "toarray") else y)
        return [[str(column) for column in np.flatnonzero(row)] for row in matrix]

    def match(self, class_names: list[str]) -> None:
        """Finds the classes among the library's columns: texts of numbers sort otherwise than numbers."""
        position = {name: column for column, name in enumerate(class_names)}
        self.columns = np.array([position[str(label)] for label in self.classes], dtype=np.intp)

    def predicted(self, probabilities: npt.NDArray[np.float64]) -> Any:
        """From the library's columns: with one label per item the most probable, else those that are more likely than not."""
        if self.form == "single":
            return self.classes[np.argsort(self.columns)[probabilities.argmax(axis=1)]]
        present = probabilities[:, self.columns] >= 0.5
        if self.form == "indicator":
            return present.astype(int)
        return [[self.classes[k] for k in np.flatnonzero(row)] for row in present]
