"""What muster raises and warns of. The messages are the library's own."""

from __future__ import annotations


class Error(Exception):
    """Base of everything that muster raises."""


class UsageError(Error, ValueError):
    """A wrong option, argument or call."""


class DataError(Error, ValueError):
    """A file, an array or a value that cannot be used."""


class RuntimeFailure(Error, RuntimeError):
    """A failure while running, such as a full disk."""


class MusterWarning(UserWarning):
    """What a person may want to know, such as which item was left out."""


for _type in (Error, UsageError, DataError, RuntimeFailure, MusterWarning):
    _type.__module__ = "muster"
