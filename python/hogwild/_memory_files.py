# SPDX-License-Identifier: Apache-2.0
"""Text of the caller's as a file in memory, which the engine opens by a path."""
import contextlib
import os

from ._engine import ConfigError, InputError

_FOLDER = "/proc/self/fd/"


def in_memory(path):
    """Whether file_of() has made it."""
    return path.startswith(_FOLDER)


@contextlib.contextmanager
def file_of(text, name):
    """The path of a file with these bytes, within which faults of the engine call it `name`."""
    descriptor = os.memfd_create("hogwild", os.MFD_CLOEXEC)
    path = f"{_FOLDER}{descriptor}"
    try:
        with os.fdopen(descriptor, "wb", closefd=False) as file:
            file.write(text)
        yield path
    except (InputError, ConfigError) as fault:
        raise type(fault)(str(fault).replace(path, name)) from None
    finally:
        os.close(descriptor)
