"""A scene of voxels with materials, and the colors and normals of voxels that its file holds beside the DAG."""

from typing import Any, Iterator, List, NamedTuple, Optional, Tuple, Union

import numpy as np

from . import hdf5
from .grid import CHUNK, Box, Form, Grid


class Voxels(NamedTuple):
    """Filled voxels: their coordinates, int32 [n, 3], and the material of each, uint8 [n]."""

    coordinates: np.ndarray
    materials: np.ndarray


class Edit(NamedTuple):
    """A run of vox-edit: its time, the text of its script, the scene's digest after it."""

    time: str
    script: str
    digest: str


def read_palette(file):
    """Returns (colors uint8 [count, 3] in sRGB, names, shares of the surface when it was voxelized)."""
    group = hdf5.group(file, "palette")
    count = hdf5.number(group, "count", 0, 16)
    names = hdf5.texts(group, "names")
    if len(names) != 16:
        raise hdf5.damaged(group, f"has {len(names)} names, expected 16", "names")
    colors = hdf5.read(hdf5.dataset(group, "colors", "u", (16, 3)))
    shares = hdf5.read(hdf5.dataset(group, "share", "f", (16,)))
    return colors[:count], names[:count], shares[:count]


def read_members(file):
    """Returns, for each of 16 entries, the names of the mesh that it stands for; empty lists if the file has none."""
    group = hdf5.group(file, "palette")
    members = [[] for _ in range(16)]
    if "members" not in group:
        return members
    names = hdf5.read(hdf5.dataset(group, "members", "u", (None,))).tobytes().split(b"\0")[:-1]
    entries = hdf5.read(hdf5.dataset(group, "member_entries", "u", (None,))).tolist()
    if len(names) != len(entries) or any(entry >= 16 for entry in entries):
        raise hdf5.damaged(group, "members do not fit their entries", "members")
    for name, entry in zip(names, entries):
        members[entry].append(name.decode(errors="replace"))
    return members


class Material(NamedTuple):
    """A material of a scene whose voxels have colors: its name, its color (r, g, b), and the mesh's names that it stands
    for. Its voxels are those of its color, which no other material has."""

    name: str
    color: Tuple[int, int, int]
    members: List[str]


def _long_names(group, name, count):
    names = hdf5.read(hdf5.dataset(group, name, "u", (None,))).tobytes().split(b"\0")[:-1]
    if len(names) != count:
        raise hdf5.damaged(group, f"has {len(names)} names for {count} places", name)
    return [text.decode(errors="replace") for text in names]


def read_materials(file):
    """Returns the materials that colors stand for, by number; an empty list if the file has none."""
    group = hdf5.group(file, "palette")
    if "named" not in group:
        return []
    colors = hdf5.read(hdf5.dataset(group, "named_colors", "u", (None, 3))).tolist()
    if len({tuple(color) for color in colors}) != len(colors):
        raise hdf5.damaged(group, "has a color twice", "named_colors")
    materials = [Material(name, tuple(color), [])
                 for name, color in zip(_long_names(group, "named", len(colors)), colors)]
    if "named_members" in group:
        numbers = hdf5.read(hdf5.dataset(group, "named_member_numbers", "u", (None,))).tolist()
        if any(number >= len(materials) for number in numbers):
            raise hdf5.damaged(group, "members do not fit their numbers", "named_members")
        for name, number in zip(_long_names(group, "named_members", len(numbers)), numbers):
            materials[number].members.append(name)
    return materials


def depth_of(resolution):
    """Returns the number of levels of a scene above its leaves."""
    return max(0, (resolution - 1).bit_length() - 2)


class Scene(Grid):
    """R³ voxels. In a box, uint8, 0 is empty and material m is m + 1 (1 if voxels have no materials), as vox-convert
    writes them to .nrrd; lists of filled voxels have the materials themselves."""

    resolution: int
    material_bits: int
    filled: int
    origin: np.ndarray
    voxel_size: Union[float, np.ndarray]
    up: str
    coverage: str
    solid: bool
    source: str
    digest: str
    palette: np.ndarray
    palette_names: List[str]
    palette_shares: np.ndarray
    palette_members: List[List[str]]
    materials: List[Material]

    def __init__(self, file: Any, form: Form) -> None:
        group = hdf5.group(file, "scene")
        self.resolution = hdf5.number(group, "resolution", 4, 2**20)
        super().__init__(file, form, [self.resolution] * 3)
        self.material_bits = hdf5.number(group, "material_bits", 0, 4)
        self.filled = hdf5.number(group, "voxels")  # the number of filled voxels
        self.origin = hdf5.reals(group, "origin", 3)
        cubes = "voxel_sides" not in group.attrs
        self.voxel_size = hdf5.real(group, "voxel_size") if cubes else hdf5.reals(group, "voxel_sides", 3)
        self.up = hdf5.text(group, "up", ["x", "y", "z"])
        self.coverage = hdf5.text(group, "coverage", ["conservative", "thin"])
        self.solid = hdf5.number(group, "solid", 0, 1) == 1
        self.source = hdf5.text(group, "source")
        self.digest = hdf5.text(file, "digest")
        self.palette, self.palette_names, self.palette_shares = read_palette(file)
        self.palette_members = read_members(file)[:len(self.palette)]
        self.materials = read_materials(file)
        self._colors, self._normals = self._attribute("colors", Colors), self._attribute("normals", Normals)

    def _attribute(self, name, kind):
        if "attributes" not in self.file or name not in self.file["attributes"]:
            return None
        return kind(hdf5.group(hdf5.group(self.file, "attributes"), name), self.filled)

    def __repr__(self):
        return f"<scene of {self.resolution}³, {self.filled:,} voxels as {self.form}, digest {self.digest}>"

    def _values(self, words):
        return words

    def _chunk(self, coordinates, words):
        return Voxels(coordinates, words - 1)

    def voxels(self, box: Box = ..., chunk: int = CHUNK) -> Iterator[Voxels]:
        counted = 0
        for part in super().voxels(box, chunk):
            counted += len(part.materials)
            yield part
        if box is Ellipsis and counted != self.filled:
            raise hdf5.damaged(self.file["scene"], f"the number of voxels is {self.filled}, but {counted} are filled")

    voxels.__doc__ = Grid.voxels.__doc__

    @property
    def has_colors(self) -> bool:
        """True if the voxels have 24-bit colors, which `colors` returns, in place of materials."""
        return self._colors is not None

    def colors(self, first: int = 0, count: Optional[int] = None) -> np.ndarray:
        """Returns the colors of the filled voxels from number `first` on, uint8 [n, 3] in sRGB. Voxels are numbered in the
        order in which `voxels` yields those of the whole scene."""
        if self._colors is None:
            raise ValueError("the scene has no colors apart from its palette")
        return self._colors.read(first, self.filled - first if count is None else count)

    @property
    def has_normals(self) -> bool:
        """True if the voxels have normals, which `normals` returns."""
        return self._normals is not None

    def normals(self, first: int = 0, count: Optional[int] = None) -> np.ndarray:
        """Returns the normals of the filled voxels from number `first` on, float32 [n, 3] of length 1, or 0 for voxels
        that have none. Voxels are numbered as in `colors`."""
        if self._normals is None:
            raise ValueError("the scene has no normals")
        return self._normals.read(first, self.filled - first if count is None else count)

    def centers(self, coordinates: Any) -> np.ndarray:
        """Returns the centers of these voxels in the world, float64 [n, 3]."""
        return self.origin + self.voxel_size * (np.asarray(coordinates) + 0.5)

    @property
    def history(self) -> List[Edit]:
        """The edits that vox-edit made to the scene, a list of `Edit`."""
        group = hdf5.group(self.file, "history")
        script = hdf5.read(hdf5.dataset(group, "script", "u", (None,))).tobytes()
        ends = hdf5.read(hdf5.dataset(group, "script_end", "u", (None,))).tolist()
        times, digests = hdf5.texts(group, "time"), hdf5.texts(group, "digest")
        if not len(times) == len(digests) == len(ends) or ends != sorted(ends) or ([0] + ends)[-1] != len(script):
            raise hdf5.damaged(group, "its datasets contradict each other")
        return [Edit(time, script[begin:end].decode(errors="replace"), digest)
                for time, begin, end, digest in zip(times, [0] + ends, ends, digests)]


# Colors and normals of voxels (docs/formats.md, "Colors of voxels").

_BLOCK, _BLOCKS = 64, 12  # values in a block, blocks in a group
_GROUP = _BLOCK * _BLOCKS
_PLAIN = 15


class _Values:
    """Reads any part of a list of values of `BITS` bits. The file is read when the first of them is needed."""

    def __init__(self, group, count):
        self.group = group
        self.count = hdf5.number(group, "count", count, count)
        self.bits = hdf5.number(group, "value_bits", 1, self.BITS)
        self._read = None

    def _stored(self):
        if self._read is None:
            size = hdf5.number(self.group, "bytes")
            heads = hdf5.words(self.group, "groups", bits=64).reshape(-1, 4)
            data = hdf5.words(self.group, "words").view(np.uint8)
            table = hdf5.words(self.group, "table") if "table" in self.group else np.zeros(0, np.uint32)
            if len(heads) != -(-self.count // _GROUP) or len(data) != (size + 3) // 4 * 4:
                raise hdf5.damaged(self.group, f"has {len(heads)} groups and {len(data)} bytes for {self.count} values")
            if len(table) == 0 and self.bits != self.BITS:
                raise hdf5.damaged(self.group, f"has values of {self.bits} bits and no table")
            firsts, blocks = heads[:, 0].copy(), heads[:, 1:].copy().view("<u2")
            self._read = firsts, blocks, data[:size], table
        return self._read

    def _values(self, first, count):
        """Returns the values of voxels from number `first` on."""
        if not 0 <= first <= first + count <= self.count:
            raise IndexError(f"voxels {first} to {first + count} of {self.count}")
        firsts, blocks, data, table = self._stored()
        number = np.arange(first, first + count)
        group, rank = number // _GROUP, number % _BLOCK
        code = blocks[group, number % _GROUP // _BLOCK].astype(np.int64)
        width = code & 15
        begin = firsts[group].astype(np.int64) + (code >> 4)
        indexed = (width > 0) & (width != _PLAIN)
        width = np.where(indexed, width, 0)
        index = np.where(indexed, self._numbers(data, begin, rank, width), np.where(code & 15 == _PLAIN, rank, 0))
        values = self._numbers(data, begin + _BLOCK // 8 * width, index, self.bits)
        if len(table) > 0:
            if len(values) > 0 and values.max() >= len(table):
                raise hdf5.damaged(self.group, "names a value that the table does not have")
            values = table[values]
        return values

    def _numbers(self, data, begin, index, bits):
        """Returns numbers `index` of numbers of so many bits that begin at these bytes."""
        first = index * bits
        at, last = begin + first // 8, begin + (first + np.maximum(bits, 1) - 1) // 8
        if len(at) > 0 and not 0 <= at.min() <= last.max() < len(data):
            raise hdf5.damaged(self.group, "a block reaches beyond the last byte")
        value = np.zeros(len(at), np.int64)
        for byte in range(4):
            there = at + byte <= last
            value[there] |= data[(at + byte)[there]].astype(np.int64) << 8 * byte
        return value >> first % 8 & (1 << bits) - 1


class Colors(_Values):
    BITS = 24

    def read(self, first, count):
        """Returns the colors of voxels from number `first` on, uint8 [count, 3]."""
        values = self._values(first, count)
        return np.stack([values & 255, values >> 8 & 255, values >> 16 & 255], axis=1).astype(np.uint8)


class Normals(_Values):
    BITS = 16

    def read(self, first, count):
        """Returns the normals of voxels from number `first` on, float32 [count, 3], 0 for none."""
        values = self._values(first, count).astype(np.int64)
        x, y = (values & 255) - 128, (values >> 8) - 128
        z = 127 - abs(x) - abs(y)
        below = z < 0
        folded_x, folded_y = (127 - abs(y)) * np.where(x < 0, -1, 1), (127 - abs(x)) * np.where(y < 0, -1, 1)
        normals = np.stack([np.where(below, folded_x, x), np.where(below, folded_y, y), z], axis=1)
        lengths = np.sqrt((normals**2).sum(axis=1, dtype=float))
        return np.where(values[:, None] == 0, 0, normals / lengths[:, None]).astype(np.float32)
