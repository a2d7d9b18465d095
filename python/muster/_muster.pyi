"""The compiled module: the front door of the library for the classes around it. Not for users."""

from collections.abc import Sequence
from typing import Any, Callable, Optional, Protocol, TypedDict, TypeVar, overload

import numpy as np
import numpy.typing as npt

_Labels = TypeVar("_Labels", contravariant=True)

class FitFacts(TypedDict):
    parameter: str
    C: float
    folds: int
    tried: list[tuple[float, float]]
    cross_validated: Optional[float]

class TriedRecipe(TypedDict):
    name: str
    recipe: str
    C: float
    score: float
    error: float
    items: int
    repeats: int
    seconds: float
    chosen: bool

class Choice(TypedDict):
    effort: str
    folds: int
    tried: list[TriedRecipe]
    estimate: Optional[float]
    error: float

class Report(TypedDict):
    items: int
    left_out: list[tuple[str, str]]
    seconds: dict[str, float]
    fit: Optional[FitFacts]
    choice: Optional[Choice]

class DecidingDict(TypedDict):
    name: str
    classes: list[str]
    kernel: float
    value: float
    file: str
    matches: list[tuple[int, float, float, float]]

class ExplanationDict(TypedDict):
    class_name: str
    against: str
    probability: float
    score: float
    by: str
    rest: float
    features: list[str]
    evidence: npt.NDArray[np.float64]
    feature_of: npt.NDArray[np.int64]
    places: Optional[npt.NDArray[np.float32]]
    map: Optional[npt.NDArray[np.float64]]
    strongest_for: npt.NDArray[np.int64]
    strongest_against: npt.NDArray[np.int64]
    deciding: list[DecidingDict]

class DatasetDict(TypedDict):
    paths: list[str]
    names: list[str]
    labels: list[list[str]]
    groups: list[str]
    split: list[str]
    class_names: list[str]
    multi_label: bool
    of_pictures: bool
    notes: list[str]

def version() -> str: ...

class Work:
    def __init__(self, threads: int, progress: Optional[Callable[[str, int, int], Any]]) -> None: ...
    @property
    def notices(self) -> list[str]: ...

class ItemViews:
    @overload
    def __init__(self, items: Sequence[Any]) -> None: ...
    @overload
    def __init__(
        self,
        values: npt.NDArray[np.float32],
        starts: npt.NDArray[np.int64],
        stops: npt.NDArray[np.int64],
        places: Optional[npt.NDArray[np.float32]],
        weights: Optional[npt.NDArray[np.float32]],
    ) -> None: ...
    def __len__(self) -> int: ...
    @property
    def dim(self) -> int: ...

class Model:
    def predict(self, items: ItemViews, work: Work) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]: ...
    def explain(
        self,
        items: ItemViews,
        class_name: str,
        against: str,
        regions: int,
        leave_out: bool,
        map_side: int,
        patches: int,
        deciding: int,
        training: str,
        work: Work,
    ) -> ExplanationDict: ...
    def save(self, path: str) -> None: ...
    def bytes(self) -> bytes: ...
    def report(self) -> Report: ...
    @property
    def class_names(self) -> list[str]: ...
    @property
    def recipe(self) -> str: ...
    @property
    def seed(self) -> int: ...
    @property
    def multi_label(self) -> bool: ...
    def __deepcopy__(self, memo: dict[int, Any]) -> Model: ...

class Encoder:
    def encode(self, items: ItemViews, work: Work) -> npt.NDArray[np.float32]: ...
    @property
    def dim(self) -> int: ...
    @property
    def recipe(self) -> str: ...
    def __deepcopy__(self, memo: dict[int, Any]) -> Encoder: ...

class Kernel:
    def training_gram(self, work: Work) -> npt.NDArray[np.float64]: ...
    def against_training(self, items: ItemViews, work: Work) -> npt.NDArray[np.float64]: ...
    def gram(self, rows: ItemViews, cols: Optional[ItemViews], work: Work) -> npt.NDArray[np.float64]: ...
    def __len__(self) -> int: ...
    @property
    def recipe(self) -> str: ...
    def __deepcopy__(self, memo: dict[int, Any]) -> Kernel: ...

class _Train(Protocol[_Labels]):
    def __call__(
        self,
        items: ItemViews,
        labels: _Labels,
        method: str,
        set: list[str],
        seed: int,
        effort: str,
        groups: list[str],
        keep_training: bool,
        class_mixtures: bool,
        universal: str,
        strict: bool,
        cache: str,
        work: Work,
    ) -> Model: ...

train: _Train[Sequence[str]]
train_multi_label: _Train[Sequence[Sequence[str]]]

def load(path: str) -> Model: ...
def fit_encoder(
    recipe: str, items: ItemViews, labels: Optional[Sequence[str]], set: list[str], seed: int, cache: str, work: Work
) -> Encoder: ...
def fit_kernel(recipe: str, items: ItemViews, set: list[str], seed: int, cache: str, work: Work) -> Kernel: ...
def extract(
    recipe: str, items: ItemViews, set: list[str], cache: str, work: Work
) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32], npt.NDArray[np.int64]]: ...
def read_dataset(path: str) -> DatasetDict: ...
