"""What in an item speaks for a class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Optional

import numpy as np
import numpy.typing as npt

from . import _muster


@dataclass(frozen=True)
class DecidingItem:
    """A training item that decided; only kernel machines have such.

    Attributes
    ----------
    name : str
        The item's name: of sets in memory its number, counted from 1.
    labels : list
        Its labels.
    kernel : float
        How similar it is: its kernel value with the item.
    value : float
        What that similarity, less the mean one, adds to the score.
    file : str
        The item's file if `explain` was given the training data, else "".
    matches : list of tuple
        The strongest pairs of vectors (vector of the item, x, y in the training item, weight), if the kernel pairs vectors and the training
        data were given.
    """

    name: str
    labels: list[Any]
    kernel: float
    value: float
    file: str
    matches: list[tuple[int, float, float, float]]


@dataclass(frozen=True)
class Explanation:
    """What speaks for and against a class in one item: what `SetClassifier.explain` gives.

    Attributes
    ----------
    label : object
        The class that was explained, as in `classes_`.
    against : object
        The class whose score is subtracted, or None.
    probability : float
        Of the class.
    score : float
        Of the class, less that of `against`.
    by : str
        How evidence was found: "exact" if the score is a sum over the vectors, "first order" if each vector has its share by the tangent,
        "leaving out" if regions were left out.
    rest : float
        The score less all evidence: 0 unless regions were left out.
    evidence : ndarray of shape (n_vectors,)
        How much of the score each vector brings: above 0 for the class, below against it.
    places : ndarray of shape (n_vectors, 3), or None
        Where each vector lies: x and y of its middle and the size of its patch, in [0, 1]; None if the vectors have no places.
    map : ndarray of two dimensions, or None
        Evidence by place, rows from top to bottom; it adds up to the sum of `evidence`. None without places.
    features : list of str
        The feature stages of pictures; one empty text for sets of vectors.
    feature_of : ndarray of int
        Which of `features` each vector belongs to.
    strongest_for : ndarray of int
        The vectors with the most evidence for the class, the strongest first.
    strongest_against : ndarray of int
        The same against it.
    deciding : list of DecidingItem
        The training items that decided, the strongest first.
    """

    label: Any
    against: Any
    probability: float
    score: float
    by: str
    rest: float
    evidence: npt.NDArray[np.float64]
    places: Optional[npt.NDArray[np.float32]]
    map: Optional[npt.NDArray[np.float64]]
    features: list[str]
    feature_of: npt.NDArray[np.int64]
    strongest_for: npt.NDArray[np.int64]
    strongest_against: npt.NDArray[np.int64]
    deciding: list[DecidingItem]


def explanation_of(found: _muster.ExplanationDict, labels: dict[str, Any]) -> Explanation:
    """What the library found, with the labels that stand behind its texts."""
    deciding = [
        DecidingItem(one["name"], [labels[text] for text in one["classes"]], one["kernel"], one["value"], one["file"], one["matches"])
        for one in found["deciding"]
    ]
    return Explanation(
        label=labels[found["class_name"]],
        against=labels[found["against"]] if found["against"] else None,
        probability=found["probability"],
        score=found["score"],
        by=found["by"],
        rest=found["rest"],
        evidence=found["evidence"],
        places=found["places"],
        map=found["map"],
        features=found["features"],
        feature_of=found["feature_of"],
        strongest_for=found["strongest_for"],
        strongest_against=found["strongest_against"],
        deciding=deciding,
    )
