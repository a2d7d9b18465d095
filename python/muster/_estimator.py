"""What all estimators share."""

from __future__ import annotations

import inspect
import logging
import os
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Optional, Union

import numpy as np
from joblib import effective_n_jobs
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state

from . import _muster
from ._errors import MusterWarning, UsageError
from ._progress import Bars, callback_of

logger = logging.getLogger("muster")

Options = Union[None, Mapping[str, Any], Sequence[str]]
PathLike = Union[str, "os.PathLike[str]"]


class SetEstimator(BaseEstimator):  # type: ignore[misc]
    """Base of the estimators: how their parameters become those of the library."""

    options: Options
    random_state: Any
    n_jobs: Optional[int]
    cache: Optional[PathLike]
    progress: Any

    def _overrides(self) -> list[str]:
        options = self.options
        if options is None:
            return []
        if isinstance(options, Mapping):
            return [f"{name}={_text(value)}" for name, value in options.items()]
        if isinstance(options, str) or not all(isinstance(one, str) for one in options):
            raise UsageError(f"options={options!r}; give a dictionary, such as {{'words': 100}}, or a list of texts 'option=value'")
        return list(options)

    def _seed(self) -> int:
        state = self.random_state
        if isinstance(state, (int, np.integer)):
            if state < 0:
                raise UsageError(f"random_state={state}; allowed are whole numbers from 0, None or a RandomState")
            return int(state)
        return int(check_random_state(state).randint(np.iinfo(np.int32).max))

    def _cache(self) -> str:
        return "" if self.cache is None else os.fspath(self.cache)

    @contextmanager
    def _work(self) -> Iterator[_muster.Work]:
        """One call of the library; its notices become warnings of the caller's line."""
        callback = callback_of(self.progress)
        work = _muster.Work(1 if self.n_jobs == 1 else effective_n_jobs(self.n_jobs), callback)
        try:
            yield work
        finally:
            if isinstance(callback, Bars):
                callback.close()
            for notice in work.notices:
                warnings.warn(notice, MusterWarning, stacklevel=_level_of_caller())

    def _more_tags(self) -> dict[str, Any]:
        return {"X_types": ["sets"]}


def _level_of_caller() -> int:
    """The stacklevel, for the function that calls this one, of the first line outside muster and scikit-learn."""
    level, frame = 1, inspect.currentframe()
    frame = frame.f_back if frame else None
    while frame and frame.f_globals.get("__name__", "").partition(".")[0] in ("muster", "contextlib", "sklearn", "joblib"):
        level, frame = level + 1, frame.f_back
    return level


def _text(value: Any) -> str:
    """As recipes spell values: true, 16,24, 0.5."""
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return ",".join(_text(one) for one in value)
    return str(value)
