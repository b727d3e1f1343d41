"""Reads HDF5 files that may be damaged or foreign: everything unexpected is a ValueError that names its place."""

import math
import os
from typing import Any, Dict

import h5py
import numpy as np

# Deflate expands one byte to at most 1,032.
_MOST_INFLATION = 1032


def damaged(item, text, below=""):
    """Returns the error about a defect of a file, group or dataset, or of something below it."""
    place = "/".join(part for part in (item.name.strip("/"), below) if part)
    return ValueError(f"{item.file.filename}: /{place}: {text}" if place else f"{item.file.filename}: {text}")


def open_file(path, kind, versions=(1,)):
    """Opens a file whose root has this kind, `vox-scene` or `vox-report`, and one of these versions."""
    path = os.fspath(path)
    with open(path, "rb"):  # raises a clear error for a missing file, a folder or an unreadable file
        pass
    try:
        file = h5py.File(path, "r")
        has_format = "format" in file.attrs
    except (KeyError, OSError, RuntimeError) as error:
        raise ValueError(f"{path}: is no HDF5 file, or a damaged one ({error})") from None
    try:
        found = text(file, "format") if has_format else "none of vox"
        if found != kind:
            raise damaged(file, f"the format is {found}, expected {kind}")
        version = number(file, "version")
        if version not in versions:
            raise damaged(file, f"is of version {version}, this program reads version {', '.join(map(str, versions))}")
    except BaseException:
        file.close()
        raise
    return file


# --- attributes ---


def _attribute(item, name):
    try:
        return np.asarray(item.attrs[name])
    except KeyError:
        raise damaged(item, f"the attribute {name} is missing") from None
    except (OSError, TypeError, ValueError) as error:
        raise damaged(item, f"the attribute {name} cannot be read ({error})") from None


def number(item, name, least=0, most=2**64 - 1):
    """Returns a whole number in this range."""
    value = _attribute(item, name)
    if value.shape != () or value.dtype.kind not in "ui":
        raise damaged(item, f"the attribute {name} is no whole number")
    if not least <= int(value) <= most:
        raise damaged(item, f"the attribute {name} is {int(value)}, expected {least} to {most}")
    return int(value)


def reals(item, name, count):
    """Returns an array of finite numbers."""
    value = _attribute(item, name)
    if value.shape != (count,) or value.dtype.kind not in "fui" or not np.isfinite(value).all():
        raise damaged(item, f"the attribute {name} is not {count} finite numbers")
    return value.astype(float)


def real(item, name):
    value = _attribute(item, name)
    if value.shape != () or value.dtype.kind not in "fui" or math.isnan(value):
        raise damaged(item, f"the attribute {name} is no number")
    return float(value)


def _decoded(item, name, value):
    try:
        return value if isinstance(value, str) else bytes(value).decode()
    except (TypeError, UnicodeDecodeError):
        raise damaged(item, f"{name} is no text") from None


def text(item, name, choices=None):
    """Returns a text, which must be one of the choices if there are any."""
    value = _attribute(item, name)
    if value.shape != () or value.dtype.kind not in "SUO":
        raise damaged(item, f"the attribute {name} is no text")
    value = _decoded(item, f"the attribute {name}", value[()])
    if choices is not None and value not in choices:
        raise damaged(item, f"{name} is '{value}', expected one of: {', '.join(choices)}")
    return value


# --- groups and datasets ---


class ArrayGroup:
    """A group in memory, which the functions of this module read like one of a file: attributes and arrays by name."""

    def __init__(self, name: str, attrs: Dict[str, Any], arrays: Dict[str, np.ndarray]) -> None:
        self.name, self.attrs, self._arrays = name, attrs, arrays
        self.file, self.filename = self, "memory"

    def get(self, name: str) -> Any:
        return self._arrays.get(name)

    def close(self) -> None:
        """There is no file to close."""


def group(parent, name):
    try:
        item = parent.get(name)
    except (KeyError, OSError, RuntimeError):
        item = None
    if not isinstance(item, h5py.Group):
        raise damaged(parent, f"the group {name} is missing")
    return item


def dataset(parent, name, kinds, shape):
    """Returns a dataset of one of the kinds (u: unsigned, f: real, S: texts) and of this shape; None is any length."""
    try:
        item = parent.get(name)
    except (KeyError, OSError, RuntimeError):
        item = None
    if isinstance(parent, ArrayGroup) and item is not None:
        return item
    if not isinstance(item, h5py.Dataset):
        raise damaged(parent, f"the dataset {name} is missing")
    fits = item.shape is not None and len(item.shape) == len(shape)
    if not fits or any(want not in (None, have) for want, have in zip(shape, item.shape)):
        raise damaged(item, f"has the shape {item.shape}, expected {shape}")
    if item.dtype.kind not in kinds:
        raise damaged(item, f"is of type {item.dtype}")
    return item


def read(item):
    """Reads all of a dataset, unless it claims more values than its stored bytes can hold."""
    if isinstance(item, np.ndarray):
        return item
    held = item.id.get_storage_size()
    if item.size * item.dtype.itemsize > max(held * _MOST_INFLATION, 1 << 16):
        raise damaged(item, f"says that it holds {item.size:,} values, in {held:,} bytes")
    try:
        return item[()]
    except (OSError, RuntimeError, TypeError, ValueError) as error:
        raise damaged(item, f"cannot be read ({error})") from None


def words(parent, name, bits=32):
    """Reads a dataset of unsigned words of 32 or 64 bits, in the byte order of files."""
    return words_of(dataset(parent, name, "u", (None,)), bits)


def words_of(item, bits=32):
    if item.dtype.itemsize * 8 != bits:
        raise damaged(item, f"is of type {item.dtype}, expected words of {bits} bits")
    return read(item).astype(f"<u{bits // 8}", copy=False)


def texts(parent, name):
    """Reads a dataset of texts as a list."""
    item = dataset(parent, name, "SO", (None,))
    return [_decoded(item, f"text {i}", value) for i, value in enumerate(read(item))]
