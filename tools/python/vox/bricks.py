"""Hybrid bricks (docs/formats.md, "Bricks"): cubes of a grid, each in the form that takes the least memory."""

import numpy as np

from . import hdf5, morton
from .brick_types import DECODERS
from .grid import Form
from .morton import bit_counts, bits_of

VALUE_TYPES = {"u8": np.uint8, "u16": np.uint16, "i16": np.int16, "f32": np.float32}


class Bricks(Form):
    """Decodes all bricks of a type at once. Words are values xor the bits of the background. The group is that of a file, or
    an hdf5.ArrayGroup with the same names."""

    name = "bricks"

    def __init__(self, group):
        self.group = group
        self.size = self._size()
        self.value_type = np.dtype(VALUE_TYPES[hdf5.text(group, "value_type", list(VALUE_TYPES))])
        self.dtype = np.dtype(f"u{self.value_type.itemsize}")
        self.background = self._background()
        self.filled = hdf5.number(group, "filled", 0, int(np.prod(self.size, dtype=object)))
        self.side = hdf5.number(group, "brick_side", 4, 512)
        if self.side & self.side - 1:
            raise hdf5.damaged(group, f"bricks of {self.side} voxels a side, expected a power of two")
        self.grid = -(-self.size // self.side)  # bricks along each axis
        self.depth = max(0, int(self.size.max() - 1).bit_length() - 2)
        self.type_names = self._type_names()
        self._groups = Groups(group, self.grid) if "group_levels" in group.attrs else None
        self._root = self._data = None

    def _size(self):
        value = np.asarray(self.group.attrs.get("size", ()))
        if value.shape != (3,) or value.dtype.kind not in "ui" or not ((value >= 1) & (value < 2**31)).all():
            raise hdf5.damaged(self.group, "the attribute size is not three numbers of voxels")
        return value.astype(np.int64)

    def _background(self):
        value = hdf5.real(self.group, "background")
        with np.errstate(all="ignore"):
            result = np.array(value).astype(self.value_type)
        if float(result) != value:
            raise hdf5.damaged(self.group, f"the background is {value}, which no {self.value_type} is")
        return result[()]

    # --- the root grid ---

    @property
    def root(self):
        """(type, place) of each entry: numbers of types as uint8, and the words at which the bricks begin.

        A dense root has an entry for each brick, x fastest.
        """
        if self._root is None:
            entry_words = hdf5.number(self.group, "entry_words", 1, 2)
            words = hdf5.words(self.group, "root")
            bricks = int(np.prod(self.grid, dtype=object))
            expected = len(words) // entry_words * entry_words if self._groups else bricks * entry_words
            if len(words) != expected:
                raise hdf5.damaged(self.group, f"has {len(words)} words for {bricks} bricks", "root")
            unit = hdf5.number(self.group, "place_log2", 0, 2) if self._groups else 0
            entries = words.view(f"<u{4 * entry_words}")
            types = (entries & 15).astype(np.uint8)
            if len(types) > 0 and types.max() >= len(self.type_names):
                raise hdf5.damaged(self.group, f"a brick is of type {types.max()}", "root")
            self._root = types, (entries >> 4).astype(np.int64) << unit
        return self._root

    def _type_names(self):
        names = hdf5.texts(self.group, "types")
        for name in names:
            if name not in DECODERS:
                raise hdf5.damaged(self.group, f"bricks of the unknown type '{name}': a newer vox may read them", "types")
        return names

    @property
    def data(self):
        """The words of the bricks of each type."""
        if self._data is None:
            self._data = [hdf5.words(self.group, name) if (self.root[0] == i).any() else None
                          for i, name in enumerate(self.type_names)]
        return self._data

    # --- decoding ---

    def words(self, entries):
        """Returns the words of the bricks of these entries: [n, side³], each in Morton order. Entry -1 is empty."""
        words = np.zeros((len(entries), self.side**3), self.dtype)
        if len(self.root[0]) == 0:
            return words
        if entries.max(initial=0) >= len(self.root[0]):
            raise hdf5.damaged(self.group, "a group has an entry that is not there", "root")
        types, places = (part[entries] for part in self.root)
        rows = np.flatnonzero(entries >= 0)
        types, places = types[rows], places[rows]
        for i, name in enumerate(self.type_names):
            of_type = np.flatnonzero(types == i)
            if len(of_type) == 0 or name == "empty":
                continue
            data = self.data[i]
            try:
                DECODERS[name](data, places[of_type], self.side, words, rows[of_type])
            except (IndexError, ValueError) as error:
                raise hdf5.damaged(self.group, f"a brick does not stay inside of the data ({error})", name) from None
        return words

    def leaves(self, low, high, most, solids=None):
        places, entries = self._filled_bricks(low // self.side, -(-high // self.side))
        order = np.argsort(morton.encode(places))
        step = max(1, most * 64 // self.side**3)
        inside = morton.decode(np.arange(self.side**3 // 64, dtype=np.uint64)) * 4
        for i in range(0, len(order), step):
            part = order[i:i + step]
            words = self.words(entries[part]).reshape(-1, 64)
            corners = (places[part, None] * self.side + inside).reshape(-1, 3).astype(np.int32)
            wanted = (words != 0).any(axis=1) & ((corners < high) & (corners + 4 > low)).all(axis=1)
            for begin in range(0, len(words), most):
                at = begin + np.flatnonzero(wanted[begin:begin + most])
                if len(at) > 0:
                    yield corners[at], words[at]

    def _filled_bricks(self, first, last):
        """Returns the places of the bricks in a box of the grid that are not empty, and their entries."""
        if self._groups:
            return self._groups.filled(first, last)
        filled = np.array([name != "empty" for name in self.type_names])
        box = tuple(slice(a, b) for a, b in zip(first[::-1], last[::-1]))
        found = np.nonzero(filled[self.root[0].reshape(self.grid[::-1])[box]])
        places = np.stack(found[::-1], axis=1) + first
        return places, self._entries(places)

    def _entries(self, places):
        """Returns the entries of bricks, or -1."""
        if self._groups:
            return self._groups.find(places)
        return places @ np.array([1, self.grid[0], self.grid[0] * self.grid[1]])

    def at(self, places):
        entries, brick = np.unique(self._entries(places // self.side), return_inverse=True)
        codes = morton.encode(places % self.side).astype(np.int64)
        words = np.zeros(len(places), self.dtype)
        order = np.argsort(brick, kind="stable")
        step = max(1, (1 << 22) // self.side**3)
        for i in range(0, len(entries), step):
            begin, end = np.searchsorted(brick[order], [i, i + step])
            part = order[begin:end]
            words[part] = self.words(entries[i:i + step])[brick[part] - i, codes[part]]
        return words


PARTS = np.stack(np.unravel_index(np.arange(512), (8, 8, 8))[::-1], axis=1)  # the place of each part in its group


class Groups:
    """8³ bricks form a group, 8³ groups a larger one. A block says which parts of a group hold anything."""

    def __init__(self, group, grid):
        self.group, self.grid = group, grid
        self.levels = hdf5.number(group, "group_levels", 1, 5)
        self.top_grid = -(-grid // 8**self.levels)
        self.top = hdf5.words(group, "groups")
        if len(self.top) != int(np.prod(self.top_grid, dtype=object)):
            raise hdf5.damaged(group, "does not have a number for each group", "groups")
        self.blocks = [self._blocks(f"blocks{level}") for level in range(self.levels)]
        self.lists = [hdf5.words(group, f"list{level}") for level in range(self.levels - 1)]

    def _blocks(self, name):
        words = hdf5.words(self.group, name)
        if len(words) == 0 or len(words) % 24:
            raise hdf5.damaged(self.group, f"has {len(words)} words, expected 24 for each block", name)
        return words.reshape(-1, 24)

    def _taken(self, array, at, name):
        if len(at) > 0 and at.max() >= len(array):
            raise hdf5.damaged(self.group, f"has no place {at.max()}", name)
        return array[at].astype(np.int64)

    def find(self, places):
        """Returns the entries of bricks, or -1 where nothing is filled."""
        found = np.full(len(places), -1, np.int64)
        shift = 3 * self.levels
        at = self.top[(places >> shift) @ np.array([1, self.top_grid[0], self.top_grid[0] * self.top_grid[1]])]
        rows, at = np.flatnonzero(at), at[at != 0].astype(np.int64)
        for level in range(self.levels):
            if level > 0:
                at = self._taken(self.lists[level - 1], at, f"list{level - 1}")
            shift -= 3
            blocks = self._taken(self.blocks[level], at, f"blocks{level}")
            part = (places[rows] >> shift & 7) @ np.array([1, 8, 64])
            masks = blocks[:, :16].astype("<u4").view("<u8")
            row, bit = part >> 6, (part & 63).astype(np.uint64)
            mask = masks[np.arange(len(rows)), row]
            before = blocks[:, 16:20].astype("<u4").view("<u2")[np.arange(len(rows)), row].astype(np.int64)
            lower = mask & (np.uint64(1) << bit) - np.uint64(1)
            filled = (mask >> bit & np.uint64(1)) != 0
            at = (blocks[:, 20] + before + bit_counts(lower))[filled]
            rows = rows[filled]
        found[rows] = at
        return found

    def filled(self, first, last):
        """Returns the places of the bricks in a box in which something is filled, and their entries."""
        cells = np.flatnonzero(self.top)
        corners = np.stack(np.unravel_index(cells, self.top_grid[::-1])[::-1], axis=1)
        at = self.top[cells].astype(np.int64)
        for level in range(self.levels):
            if level > 0:
                at = self._taken(self.lists[level - 1], at, f"list{level - 1}")
            side = 8**(self.levels - level)
            inside = ((corners * side < last) & ((corners + 1) * side > first)).all(axis=1)
            corners, at = self._parts(level, corners[inside], at[inside])
        inside = ((corners < last) & (corners >= first)).all(axis=1)
        return corners[inside], at[inside]

    def _parts(self, level, corners, numbers):
        """Returns the places of the filled parts of these groups, and where they are in the list of the level."""
        found = [(np.empty((0, 3), np.int64), np.empty(0, np.int64))]
        for i in range(0, len(numbers), 1 << 14):
            blocks = self._taken(self.blocks[level], numbers[i:i + (1 << 14)], f"blocks{level}")
            bits = bits_of(blocks[:, :16].astype("<u4").reshape(-1)).reshape(len(blocks), 512)
            owner, part = np.nonzero(bits)
            rank = np.cumsum(bits, axis=1, dtype=np.int64)[owner, part] - 1
            found.append((8 * corners[i + owner] + PARTS[part], blocks[owner, 20] + rank))
        return tuple(np.concatenate(arrays) for arrays in zip(*found))
