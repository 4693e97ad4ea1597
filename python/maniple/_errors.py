# SPDX-License-Identifier: BSD-3-Clause
"""What is raised where a call of the library has failed."""

import errno
import os
import re

import numpy as np

from ._loading import lib
from ._prototypes import CONSTANTS


class Error(Exception):
    """A call has failed: .status is the name of the status, such as "MNP_ERR_IO", .message the sentence."""

    def __init__(self, status, message=None):
        self.status = lib.mnp_status_name(status).decode()
        text = message if message is not None else lib.mnp_error_message().decode(errors="replace")
        self.message = text[4:] if text.startswith("mnp_") else text  # a function has no prefix here
        super().__init__(self.message)


class ArgumentError(Error, ValueError):
    """An argument is wrong (MNP_ERR_ARG)."""


class OutOfBoundsError(ArgumentError, IndexError):
    """An index or an axis is outside of an array, or is none (MNP_ERR_ARG)."""


class AxisError(OutOfBoundsError, getattr(np, "exceptions", np).AxisError):
    """An axis is none of an array (MNP_ERR_ARG)."""


class DTypeError(ArgumentError, TypeError):
    """A function is not defined for its operands' dtypes, or an output cannot hold its result (MNP_ERR_ARG)."""


class OutOfMemoryError(Error, MemoryError):
    """There is no memory (MNP_ERR_MEMORY)."""


class FileError(Error, OSError):
    """A file could not be read or written (MNP_ERR_IO, MNP_ERR_FORMAT)."""

    def __str__(self):
        return self.message


class MissingFileError(FileError, FileNotFoundError):
    """There is no such file or folder (MNP_ERR_IO)."""


class MissingNameError(FileError, KeyError):
    """A file has no dataset, group or attribute of that name (MNP_ERR_IO)."""


class LinAlgError(Error, np.linalg.LinAlgError):
    """A matrix is singular or not positive definite, or an iteration did not converge (MNP_ERR_LINALG)."""


class MatrixError(ArgumentError, LinAlgError):
    """A shape is not one of a matrix that a function of linear algebra takes (MNP_ERR_ARG)."""

    def __init__(self, message):
        super().__init__(CONSTANTS["MNP_ERR_ARG"], message)


class PeerError(Error, ValueError, IndexError, MemoryError, OSError):
    """Another rank has failed, and the message says why (MNP_ERR_PEER).  What can be wrong on one rank alone, such as a
    file, is this error on the others, so that whatever a program catches it catches on all ranks."""

    def __str__(self):
        return self.message


class _PeerMissingFileError(PeerError, FileNotFoundError):
    pass


class _PeerMissingNameError(PeerError, KeyError):
    pass


_CLASSES = {
    CONSTANTS["MNP_ERR_PEER"]: PeerError,
    CONSTANTS["MNP_ERR_ARG"]: ArgumentError,
    CONSTANTS["MNP_ERR_MEMORY"]: OutOfMemoryError,
    CONSTANTS["MNP_ERR_IO"]: FileError,
    CONSTANTS["MNP_ERR_FORMAT"]: FileError,
    CONSTANTS["MNP_ERR_LINALG"]: LinAlgError,
}
_NO_FILE = re.escape(os.strerror(errno.ENOENT))
_NO_NAME = r"does not exist; the file has|has no attribute '"
# a class, and the finer ones that the words of a message tell
_FINER = {
    ArgumentError: (
        (r"\baxis -?\d+ is out of bounds", AxisError),
        ("out of bounds", OutOfBoundsError),
        ("cannot be cast|is not defined for|have no difference|which int64 does not hold|and must be integers",
         DTypeError),
        ("not square|of a square matrix|matrices have two at least|is not one matrix|neither a vector nor a matrix|"
         "rows, and a has|rows, and the matrix has|has no condition", lambda status, message: MatrixError(message)),
    ),
    FileError: ((_NO_FILE, MissingFileError), (_NO_NAME, MissingNameError)),
    PeerError: ((_NO_FILE, _PeerMissingFileError), (_NO_NAME, _PeerMissingNameError)),
}  # fmt: skip


def error_of(status, message=None):
    """The error that belongs to a status that is not MNP_OK, and to the message; None: that of the last call."""
    kind = _CLASSES.get(status, Error)
    error = kind(status, message)
    for words, finer in _FINER.get(kind, ()):
        if re.search(words, error.message):
            return finer(status, error.message)
    return error


def check(status):
    """Raise what belongs to a status that is not MNP_OK."""
    if status:
        raise error_of(status)
