"""The groups of a sparse root of bricks (docs/formats.md, "Bricks")."""

import numpy as np

from . import hdf5
from .ragged import bit_counts, bits_of

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
