"""A grid of voxels, in whatever form the file keeps it: boxes, lists, leaves, levels. Its forms, an SVDAG, bricks and a
spatial hash, share one interface."""

from typing import Any, Iterator, List, NamedTuple, Optional, Tuple

import numpy as np

from . import morton

Box = Any  # a key as numpy takes it in square brackets: numpy.s_[0:64, :, 5]
CHUNK = 1 << 22  # the most voxels in a chunk
_PLACES = morton.decode(np.arange(64, dtype=np.uint64))  # the places of a leaf's voxels
_ROWS = morton.codes_of_rows(4).reshape(4, 4, 4)  # Morton indices by z, y, x


class Form:
    """One of the forms in which a file keeps its voxels.

    Voxels are words, and 0 is empty. `low` and `high` are the corners of a box of voxels, int64 [3]. The generators yield
    their results in Morton order, at most `most` leaves or cubes at once.
    """

    name = ""  # the name of the group in the file
    dtype = None  # the type of words
    depth = 0  # levels above the leaves: there are at most 4 << depth voxels along each axis

    def leaves(self, low: np.ndarray, high: np.ndarray, most: int,
               solids: Optional[List[Any]] = None) -> Iterator[Tuple[np.ndarray, np.ndarray]]:
        """Yields (corners int32 [n, 3], words [n, 64] in Morton order) of the leaves of 4³ voxels that reach into the
        box and have a filled voxel, inside the box or not. With a list `solids`, larger cubes that are full of one word may
        be added to it instead, as (side in voxels, codes, words)."""
        raise NotImplementedError

    def at(self, places: np.ndarray) -> np.ndarray:
        """Returns the words of voxels of the grid, int64 [n, 3]."""
        raise NotImplementedError

    def cubes(self, level: int, low: np.ndarray, high: np.ndarray, most: int) -> Iterator[np.ndarray]:
        """Yields the codes of the cubes of this level that reach into the box and have a filled voxel."""
        last = np.uint64(2**64 - 1)  # not a valid code
        shift = np.uint64(3 * (self.depth - level))
        for corners, _ in self.leaves(low, high, most):
            codes = np.unique(morton.encode(corners >> 2) >> shift)
            codes = codes[codes != last]
            if len(codes) > 0:
                last = codes[-1]
                yield codes

    def facts(self, level: int) -> Tuple[Optional[int], Optional[int], Optional[int]]:
        """Returns (unique nodes, nodes of the octree, bytes) of a level of an SVDAG, and None for other forms."""
        return None, None, None


class Leaves(NamedTuple):
    """Cubes of 4³ voxels that are not empty: the corner of each, int32 [n, 3], a mask of its filled voxels, uint64 [n],
    and the values of its voxels in the form of a box's, [n, 64]; all in Morton order, x lowest."""

    corners: np.ndarray
    masks: np.ndarray
    values: np.ndarray

    def cubes(self) -> np.ndarray:
        """Returns the values by x, y, z: [n, 4, 4, 4]."""
        return self.values[:, _ROWS.transpose()]


def box_of(key, size):
    """Returns (low, high, axes that are single numbers) of a key in square brackets, as numpy interprets it."""
    key = key if isinstance(key, tuple) else (key,)
    if key.count(Ellipsis) > 1 or len(key) - key.count(Ellipsis) > 3:
        raise IndexError("a box has three axes, x, y and z")
    at = key.index(Ellipsis) if Ellipsis in key else len(key)
    rest = 3 - len(key) + key.count(Ellipsis)
    key = key[:at] + (slice(None),) * rest + key[at + 1:]
    low, high, single = np.zeros(3, np.int64), np.zeros(3, np.int64), []
    for axis, (part, length) in enumerate(zip(key, size)):
        if isinstance(part, slice):
            low[axis], high[axis], step = part.indices(int(length))
            if step != 1:
                raise IndexError("a box has no steps; level() has larger cubes")
        else:
            try:
                index = part.__index__()
            except AttributeError:
                raise IndexError(f"{part!r} is no part of a box: numbers, slices and ... are") from None
            if not -length <= index < length:
                raise IndexError(f"{index} is outside of the {length} voxels along {'xyz'[axis]}")
            low[axis], high[axis] = index % length, index % length + 1
            single.append(axis)
    return low, np.maximum(low, high), single


def _write_box(grid, low, high, corners, words):
    """Writes leaves into a box, which is indexed by z, y, x."""
    whole = _whole(corners, low, high)
    if whole.all():
        return _write_whole(grid, corners - low, words)
    if whole.any():
        _write_whole(grid, corners[whole] - low, words[whole])
    coordinates, values = _listed(corners[~whole], words[~whole], low, high)
    x, y, z = (coordinates - low).T
    grid[z, y, x] = values


def _write_whole(grid, corners, words):
    """Writes leaves that lie completely inside a grid. Rows of four bytes are written as one number where they lie on such
    numbers of the grid."""
    x, y, z = corners.T
    if words.itemsize == 1 and grid.shape[2] % 4 == 0 and len(x) > 0 and x[0] % 4 == 0:
        rows = np.take(words.view("<u2"), _ROWS[..., ::2].reshape(-1) >> 1, axis=1)
        _windows(grid.view("<u4"), (4, 4, 1))[z, y, x >> 2] = rows.view("<u4").reshape(-1, 4, 4, 1)
    else:
        _windows(grid, (4, 4, 4))[z, y, x] = np.take(words, _ROWS.reshape(-1), axis=1).reshape(-1, 4, 4, 4)


def _windows(grid, shape):
    return np.lib.stride_tricks.sliding_window_view(grid, shape, writeable=True)


def _write_solids(grid, low, high, side, codes, words):
    """Writes cubes that are full of one word into a box, which is indexed by z, y, x."""
    corners = morton.decode(codes).astype(np.int64) * side
    if words.itemsize == 1 and side <= 16 and grid.shape[2] % 8 == 0 and low[0] % 8 == 0:
        inside = ((corners >= low) & (corners + side <= high)).all(axis=1)
        if inside.any():  # small cubes are written at once, eight bytes as one number
            x, y, z = (corners[inside] - low).T
            eights = words[inside].astype(np.uint64) * np.uint64(0x0101010101010101)
            _windows(grid.view("<u8"), (side, side, side // 8))[z, y, x >> 3] = eights[:, None, None, None]
            corners, words = corners[~inside], words[~inside]
    first, end = np.maximum(corners, low) - low, np.minimum(corners + side, high) - low
    for (x, y, z), (last_x, last_y, last_z), word in zip(first.tolist(), end.tolist(), words.tolist()):
        grid[z:last_z, y:last_y, x:last_x] = word


def _whole(corners, low, high):
    """Returns for each leaf whether it lies completely inside a box."""
    return ((corners >= low) & (corners + 4 <= high)).all(axis=1)


def _listed(corners, words, low, high):
    """Returns the filled voxels of leaves that lie in a box."""
    cut = np.flatnonzero(~_whole(corners, low, high))
    if len(cut) > 0:
        places = corners[cut, None] + _PLACES
        words = words.copy()
        words[cut] *= ((places >= low) & (places < high)).all(axis=2)
    place = np.flatnonzero(words.reshape(-1) != 0)
    return corners[place >> 6] + _PLACES[place & 63], words.reshape(-1)[place]


class Grid:
    """The base of scenes and volumes."""

    size: Tuple[int, ...]

    def __init__(self, file: Any, form: "Form", size: Any) -> None:
        self.file, self._form = file, form
        self.size = tuple(int(n) for n in size)

    def __enter__(self: Any) -> Any:
        return self

    def __exit__(self, *_):
        self.close()

    def close(self) -> None:
        self.file.close()

    @property
    def form(self) -> str:
        """The form from which voxels are read: `svdag`, `hash` or `bricks`."""
        return self._form.name

    def _values(self, words):
        """Converts words of the form to the values that a box has."""
        raise NotImplementedError

    def _chunk(self, coordinates, words):
        """Returns a chunk of a list of filled voxels."""
        raise NotImplementedError

    # --- voxels ---

    def __getitem__(self, key: Box) -> np.ndarray:
        """Returns a dense box, indexed by x, y, z; in memory x is fastest, as in the exports of vox-convert."""
        low, high, single = box_of(key, self.size)
        grid = np.zeros(high[::-1] - low[::-1], self._form.dtype)
        if grid.size > 0:
            solids = []
            for corners, words in self._form.leaves(low, high, CHUNK // 64, solids):
                _write_box(grid, low, high, corners, words)
            for cubes in solids:
                _write_solids(grid, low, high, *cubes)
        index = tuple(0 if axis in single else slice(None) for axis in range(3))
        return self._values(grid.transpose())[index]

    def at(self, coordinates: Any) -> np.ndarray:
        """Returns the values that a box would have at these voxels, an array [n, 3]."""
        places = np.asarray(coordinates)
        if places.ndim != 2 or places.shape[1] != 3 or places.dtype.kind not in "ui":
            raise IndexError("coordinates are whole numbers, an array [n, 3]")
        if ((places < 0) | (places >= self.size)).any():
            raise IndexError(f"coordinates outside of the grid of {' x '.join(map(str, self.size))} voxels")
        places = places.astype(np.int64)
        words = np.zeros(len(places), self._form.dtype)
        step = CHUNK // 8  # a search in a hash reads eight cells at once
        for i in range(0, len(places), step):
            words[i:i + step] = self._form.at(places[i:i + step])
        return self._values(words)

    def voxels(self, box: Box = ..., chunk: int = CHUNK) -> Iterator[Any]:
        """Yields the filled voxels in Morton order, at most `chunk` at once: their coordinates, int32 [n, 3], and their
        materials, or their values in a volume."""
        low, high, _ = box_of(box, self.size)
        for corners, words in self._leaf_words(low, high, chunk):
            coordinates, words = _listed(corners, words, low, high)
            if len(words) > 0:
                yield self._chunk(coordinates, words)

    def leaves(self, box: Box = ..., chunk: int = CHUNK) -> Iterator[Leaves]:
        """Yields the leaves that reach into the box as `Leaves`, in Morton order, at most `chunk` voxels at once."""
        low, high, _ = box_of(box, self.size)
        for corners, words in self._leaf_words(low, high, chunk):
            masks = np.packbits(words != 0, axis=1, bitorder="little").view("<u8")[:, 0]
            yield Leaves(corners, masks, self._values(words))

    def _leaf_words(self, low, high, chunk):
        if chunk < 64:
            raise ValueError(f"chunks of {chunk} voxels, expected at least the 64 of a leaf")
        if (high > low).all():
            yield from self._form.leaves(low, high, chunk // 64)

    # --- levels ---

    @property
    def depth(self) -> int:
        """The number of levels above the leaves."""
        return self._form.depth

    def level(self, number: int) -> "Level":
        """Returns the cubes of one size: 0 is the whole cube, `depth` or -1 the leaves."""
        if not -self.depth - 1 <= number <= self.depth:
            raise IndexError(f"level {number} of levels 0 to {self.depth}")
        return Level(self, number % (self.depth + 1))


class Level:
    """The cubes of one level of the octree: those that have a filled voxel, and the unique ones."""

    number: int
    side: int
    size: Tuple[int, ...]
    unique_nodes: Optional[int]
    svo_nodes: Optional[int]
    bytes: Optional[int]

    def __init__(self, grid: Grid, number: int) -> None:
        self._grid, self._form, self.number = grid, grid._form, number
        self.side = 4 << (grid.depth - number)  # voxels along a side of a cube
        self.size = tuple(-(-n // self.side) for n in grid.size)  # cubes along each axis
        # For an SVDAG, the file's figures: nodes in the SVDAG and in the octree, and the bytes of the former.
        self.unique_nodes, self.svo_nodes, self.bytes = self._form.facts(number)

    def __repr__(self):
        return f"<level {self.number}: cubes of {self.side} voxels>"

    def cubes(self, box: Box = ..., chunk: int = CHUNK) -> Iterator[np.ndarray]:
        """Yields the places of cubes that have a filled voxel, int32 [n, 3] counted in cubes, in Morton order."""
        low, high, _ = box_of(box, self.size)
        yield from self._cubes(low, high, chunk)

    def _cubes(self, low, high, chunk):
        if (high > low).all():
            ends = np.minimum(high * self.side, self._grid.size)
            for codes in self._form.cubes(self.number, low * self.side, ends, max(1, chunk // 64)):
                places = morton.decode(codes)
                yield places[((places >= low) & (places < high)).all(axis=1)]

    def __getitem__(self, key: Box) -> np.ndarray:
        """Returns a dense box of cubes, indexed by x, y, z: True for each that has a filled voxel."""
        low, high, single = box_of(key, self.size)
        grid = np.zeros(high[::-1] - low[::-1], bool)
        for places in self._cubes(low, high, CHUNK):
            x, y, z = (places - low).T
            grid[z, y, x] = True
        return grid.transpose()[tuple(0 if axis in single else slice(None) for axis in range(3))]
