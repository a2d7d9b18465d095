"""How far the work is: a function of the caller's, or bars by tqdm."""

from __future__ import annotations

from typing import Any, Callable, Optional, Union

from ._errors import UsageError

Progress = Union[None, bool, Callable[[str, int, int], Any]]


class Bars:
    """One tqdm bar per step."""

    def __init__(self) -> None:
        from tqdm.auto import tqdm

        self._make = tqdm
        self._bar: Any = None
        self._step = ""

    def __call__(self, step: str, done: int, total: int) -> None:
        if self._bar is None or step != self._step:
            self.close()
            self._bar, self._step = self._make(total=total, desc=step, leave=False), step
        self._bar.update(done - self._bar.n)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()
            self._bar = None


def callback_of(progress: Progress) -> Optional[Callable[[str, int, int], Any]]:
    """What the parameter ``progress`` of an estimator stands for."""
    if progress is None or progress is False:
        return None
    if progress is True:
        try:
            return Bars()
        except ImportError:
            raise UsageError("progress=True draws bars with tqdm, which is not installed; install it or give a function") from None
    if not callable(progress):
        raise UsageError(f"progress={progress!r}; allowed are None, True (bars, with tqdm) or a function of (step, done, total)")
    return progress
