"""The colors and normals of voxels that a scene file holds beside the DAG (docs/formats.md, "Colors of voxels")."""

import numpy as np

from . import hdf5

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
