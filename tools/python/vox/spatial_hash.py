"""The spatial hash of a scene (docs/formats.md, "Spatial hash"): a table of 64-bit cells, a key and its material."""

from typing import Any, Iterator, List, Optional, Tuple

import numpy as np

from . import hdf5, morton
from .grid import Form

U = np.uint64
_EMPTY = U(2**64 - 1)
_APART = U(2**60 - 1)  # the key that could be mistaken for an empty cell
_VERSIONS = (1, 2)  # they differ in what the order of a bucket's cells says about the last one


def mix64(x):
    x = (x ^ x >> U(33)) * U(0xFF51AFD7ED558CCD)
    x = (x ^ x >> U(33)) * U(0xC4CEB9FE1A85EC53)
    return x ^ x >> U(33)


class SpatialHash(Form):
    """Looks up voxels in the table, as any other program would. To list them in Morton order, it sorts them when that is
    first needed, which takes 8 bytes for each."""

    name = "hash"
    dtype = np.dtype(np.uint8)

    layout: str
    resolution: int
    filled: int
    lines: int
    seed: int
    probes: int
    apart: int

    def __init__(self, file: Any, depth: int) -> None:
        group = self.group = hdf5.group(file, "hash")
        self.depth = depth
        version = hdf5.number(group, "version")
        if version not in _VERSIONS:
            raise hdf5.damaged(group, f"is of version {version}, this program reads versions 1 and 2")
        hdf5.text(group, "table", ["lines"])
        for name, expected in (("key_bits", 60), ("value_bits", 4), ("line_cells", 16), ("bucket_cells", 8)):
            hdf5.number(group, name, expected, expected)
        self.layout = hdf5.text(group, "layout", ["morton", "linear"])
        self.resolution = hdf5.number(group, "resolution", 4, 2**20)
        self.filled = hdf5.number(group, "voxels")
        self.lines = hdf5.number(group, "lines", 1, 2**60)
        self.seed = hdf5.number(group, "seed")
        self.probes = hdf5.number(group, "probes", 0, 64)
        self.apart = hdf5.number(group, "apart", 0, 1)
        self._cells = self._sorted = None

    @property
    def cells(self) -> np.ndarray:
        """The cells of the table, followed by the one that is kept apart."""
        if self._cells is None:
            cells = hdf5.words(self.group, "cells", bits=64)
            if len(cells) != 16 * self.lines + 1:
                raise hdf5.damaged(self.group, f"has {len(cells)} cells, expected {16 * self.lines + 1}", "cells")
            self._cells = cells
        return self._cells

    def keys(self, places: np.ndarray) -> np.ndarray:
        if self.layout == "morton":
            return morton.encode(places)
        x, y, z = (places[:, axis].astype(U) for axis in range(3))
        return x + U(self.resolution) * (y + U(self.resolution) * z)

    def at(self, places: np.ndarray) -> np.ndarray:
        """Returns material + 1 for voxels of the grid, and 0 for empty ones."""
        keys, cells, lines = self.keys(places), self.cells, U(self.lines)
        found = np.zeros(len(keys), np.uint8)
        left = np.flatnonzero(keys != _APART)  # the voxels that have not been found yet
        if self.apart:
            found[keys == _APART] = (cells[-1] & U(15)) + U(1)
        for turn in range(self.probes):
            key = keys[left]
            h, later = mix64((key >> U(4)) + U(self.seed)), int(turn >= self.lines)
            low, high = h & U(2**32 - 1), h >> U(32)
            line = ((high * lines >> U(32)) + U(turn) * (U(1) + (low * (lines - U(1)) >> U(32)))) % lines
            side = (key >> U(3)) + (low >> U((turn - self.lines * later) % 32)) + U(later)
            bucket = line * U(2) + (side & U(1))
            held = cells[bucket[:, None] * U(8) + np.arange(8, dtype=U)]
            hit = held >> U(4) == key[:, None]
            hits = hit.any(axis=1)
            if np.count_nonzero(hit) > np.count_nonzero(hits):
                raise hdf5.damaged(self.group, "two cells have one key", "cells")
            found[left[hits]] = (held[hit] & U(15)) + U(1)
            left = left[~hits & (held[:, 7] != _EMPTY)]
        return found

    # --- lists ---

    @property
    def sorted(self) -> np.ndarray:
        """The filled voxels in Morton order: code << 4 | material."""
        if self._sorted is None:
            cells = self.cells[:-1]
            cells = cells[cells != _EMPTY]
            if self.apart:
                cells = np.append(cells, self.cells[-1:])
            if self.layout == "linear":
                self._to_morton(cells)
            cells.sort()
            self._check(cells)
            self._sorted = cells
        return self._sorted

    def _to_morton(self, cells):
        side = U(self.resolution)
        for i in range(0, len(cells), 1 << 20):
            part = cells[i:i + (1 << 20)]
            keys = part >> U(4)
            places = np.stack([keys % side, keys // side % side, np.minimum(keys // side // side, side)], axis=1)
            part[:] = morton.encode(places) << U(4) | part & U(15)

    def _check(self, cells):
        if len(cells) != self.filled:
            raise hdf5.damaged(self.group, f"the number of voxels is {self.filled}, but {len(cells)} cells are filled")
        for i in range(0, len(cells), 1 << 20):
            keys = cells[i:i + (1 << 20) + 1] >> U(4)
            if (keys[1:] == keys[:-1]).any():
                raise hdf5.damaged(self.group, "two cells have one key", "cells")
        far_corner = morton.encode(np.full((1, 3), self.resolution - 1))
        if (cells[-1:] >> U(4) > far_corner).any():
            raise self._outside()

    def _outside(self):
        return hdf5.damaged(self.group, f"a cell's key is no voxel of {self.resolution}³", "cells")

    def leaves(self, low: np.ndarray, high: np.ndarray, most: int,
               solids: Optional[List[Any]] = None) -> Iterator[Tuple[np.ndarray, np.ndarray]]:
        cells = self.sorted
        # Codes grow with each coordinate, so the codes in the box are between those of its corners.
        first, last = morton.encode(np.stack([low, high - 1]) >> 2) << U(10)
        i, end = np.searchsorted(cells, first), np.searchsorted(cells, last | U(1023), side="right")
        while i < end:
            part = cells[i:min(i + most + 63, end)]
            codes = part >> U(10)
            starts = np.flatnonzero(np.diff(codes, prepend=_EMPTY))
            if i + len(part) < end:  # the last leaf may continue
                part, starts = part[:starts[-1]], starts[:-1]
            i += len(part)
            values = np.zeros((len(starts), 64), np.uint8)
            leaf = np.repeat(np.arange(len(starts)), np.diff(starts, append=len(part)))
            values[leaf, part >> U(4) & U(63)] = (part & U(15)) + U(1)
            corners = morton.decode(codes[starts]) * 4
            if (corners >= self.resolution).any():
                raise self._outside()
            inside = ((corners < high) & (corners + 4 > low)).all(axis=1)
            if inside.any():
                yield corners[inside], values[inside]
