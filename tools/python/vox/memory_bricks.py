"""Bricks of a scene in the library's memory, as a volume that is read like one of a file."""

import ctypes

import numpy as np

from . import library
from .bricks import Bricks
from .hdf5 import ArrayGroup
from .opening import Volume


def _words(pointer, name):
    """Returns an array of the bricks."""
    read, count = library.load().vox_bricks_words, ctypes.c_uint64()
    library.check(read(pointer, name.encode(), None, 0, ctypes.byref(count)))
    words = np.empty(count.value, "<u4")
    library.check(read(pointer, name.encode(), words.ctypes.data, words.size, ctypes.byref(count)))
    return words


def _group(pointer):
    """Returns the bricks with the names that a file has for everything."""
    told = library.BricksAttributes()
    library.check(library.load().vox_bricks_describe(pointer, ctypes.byref(told)))
    names = [library.load().vox_bricks_type_name(pointer, i).decode() for i in range(told.type_count)]
    attributes = {
        "size": np.array(told.size), "value_type": "u8", "spacing": np.array(told.spacing), "origin": np.array(told.origin),
        "background": 0.0, "brick_side": told.brick_side, "filled": np.uint64(told.filled), "entry_words": told.entry_words,
        "source": library.load().vox_bricks_source(pointer).decode(errors="replace"),
        "allowed_types": ",".join(name for i, name in enumerate(names) if told.allowed_types >> i & 1)
    }
    arrays = ["root"] + [name for name, count in zip(names, told.counts) if count > 0]
    if told.group_levels > 0:
        attributes.update(group_levels=told.group_levels, place_log2=told.place_log2)
        arrays += ["groups"] + [f"blocks{level}" for level in range(told.group_levels)]
        arrays += [f"list{level}" for level in range(told.group_levels - 1)]
    return ArrayGroup("bricks", attributes, {"types": np.array(names, object), **{n: _words(pointer, n) for n in arrays}})


def volume_of(pointer, palette):
    """Returns the volume of a vox_bricks*, which is deleted. `palette` is (colors, names, shares), or None."""
    try:
        group = _group(pointer)
    finally:
        library.load().vox_bricks_delete(ctypes.byref(pointer))
    return Volume(group, Bricks(group), palette)
