"""Reads reports of vox-bench, vox-stats and vox-edit (docs/results.md) as dictionaries of arrays with their units."""

import os
from typing import Any, Dict, Union

import h5py
import numpy as np

from . import hdf5


class Results(dict):
    """A group of a report. Its names lead to columns (arrays), single values and further groups. `units` has the unit of
    each name that has one. A path works as well: results["hash/rows"]["ms"]."""

    units: Dict[str, str]

    def __init__(self) -> None:
        super().__init__()
        self.units = {}

    def __missing__(self, path: str) -> Any:
        first, slash, rest = path.partition("/")
        if not slash or first not in self:
            raise KeyError(f"{first}: there are {', '.join(self) or 'no names'}")
        return self[first][rest]


def report(path: "Union[str, os.PathLike[str]]") -> Results:
    """Reads a report. Texts are str, numbers and arrays are numpy's."""
    with hdf5.open_file(path, "vox-report") as file:
        return _group(file)


def _plain(item, value):
    """Converts texts from bytes to str."""
    value = np.asarray(value)
    if value.dtype.kind in "SO":
        try:
            value = np.char.decode(value.astype(bytes), "utf-8")
        except UnicodeDecodeError:
            raise hdf5.damaged(item, "holds bytes that are no text") from None
        return str(value) if value.shape == () else value
    return value if value.shape else value[()]


def _group(group):
    results = Results()
    for name, value in group.attrs.items():
        if name.endswith("_unit") and name[:-len("_unit")] in group.attrs:
            results.units[name[:-len("_unit")]] = _plain(group, value)
        else:
            results[name] = _plain(group, value)
    for name in group:
        item = group.get(name)
        if isinstance(item, h5py.Group):
            results[name] = _group(item)
        elif isinstance(item, h5py.Dataset):
            results[name] = _plain(item, hdf5.read(item))
            if "unit" in item.attrs:
                results.units[name] = hdf5.text(item, "unit")
        else:
            raise hdf5.damaged(group, f"{name} is neither a group nor a dataset")
    return results
