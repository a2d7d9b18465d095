"""Labelled data on disk."""

from __future__ import annotations

import os
import warnings
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _muster
from ._errors import MusterWarning
from ._estimator import PathLike


@dataclass
class Dataset:
    """What `read_dataset` found: names and labels; no item was read.

    Attributes
    ----------
    paths : list of str
        The files, sorted by name: pictures, or vector sets in .npy and .npz files.
    labels : ndarray of str, or list of lists of str
        One label per item, or several.
    groups : ndarray of str
        Items of one object share it: for ``GroupKFold`` and its like.
    split : ndarray of str
        "train" or "test" if the data say which part an item belongs to, else "".
    class_names : list of str
        All labels, sorted.
    multi_label : bool
        Whether an item may have any number of labels.
    of_pictures : bool
        Whether the items are pictures, else they are vector sets.
    """

    paths: list[str]
    labels: Any
    groups: npt.NDArray[np.str_]
    split: npt.NDArray[np.str_]
    class_names: list[str]
    multi_label: bool
    of_pictures: bool
    names: list[str] = field(repr=False)

    def __len__(self) -> int:
        return len(self.paths)

    def part(self, name: str) -> tuple[list[str], Any]:
        """Paths and labels of the items whose `split` is ``name``."""
        wanted = np.flatnonzero(self.split == name)
        labels = [self.labels[i] for i in wanted] if self.multi_label else self.labels[wanted]
        return [self.paths[i] for i in wanted], labels


def read_dataset(path: PathLike) -> Dataset:
    """Lists a labelled data set: class folders, train and test folders, a list file or a VOC folder.

    Examples
    --------
    >>> import numpy as np, os, tempfile
    >>> import muster
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for label in ("cat", "dog"):
    ...         os.mkdir(os.path.join(folder, label))
    ...         np.save(os.path.join(folder, label, "1.npy"), np.zeros((3, 2), np.float32))
    ...     data = muster.read_dataset(folder)
    >>> len(data), [str(label) for label in data.labels]
    (2, ['cat', 'dog'])
    """
    found = _muster.read_dataset(os.fspath(path))
    for note in found["notes"]:
        warnings.warn(note, MusterWarning, stacklevel=2)
    labels = found["labels"]
    return Dataset(
        paths=found["paths"],
        labels=labels if found["multi_label"] else np.array([one[0] for one in labels]),
        groups=np.array(found["groups"]),
        split=np.array(found["split"]),
        class_names=found["class_names"],
        multi_label=found["multi_label"],
        of_pictures=found["of_pictures"],
        names=found["names"],
    )
