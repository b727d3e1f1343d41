"""Cubes in Morton order, x lowest: bit i of x, y, z is bit 3 i, 3 i + 1, 3 i + 2 of the code. Bits, and rows of different
lengths."""

import numpy as np

# (shift, mask) that spread 20 bits with two zeros between neighbors; the last step comes first.
_STEPS = ((2, 0x1249249249249249), (4, 0x10C30C30C30C30C3), (8, 0x100F00F00F00F00F), (16, 0x1F0000FF0000FF),
          (32, 0x1F00000000FFFF))


def _spread(bits):
    for shift, mask in reversed(_STEPS):
        bits = (bits | bits << np.uint64(shift)) & np.uint64(mask)
    return bits


def _gather(bits):
    bits = bits & np.uint64(_STEPS[0][1])
    for (shift, _), mask in zip(_STEPS, [mask for _, mask in _STEPS[1:]] + [0x1FFFFF]):
        bits = (bits | bits >> np.uint64(shift)) & np.uint64(mask)
    return bits


def encode(places):
    """Returns the codes of places, an array [n, 3] of numbers below 2^20."""
    x, y, z = (_spread(places[:, axis].astype(np.uint64)) for axis in range(3))
    return x | y << np.uint64(1) | z << np.uint64(2)


def decode(codes):
    """Returns the places of codes, int32 [n, 3]."""
    places = np.empty((len(codes), 3), np.int32)
    for axis in range(3):
        places[:, axis] = _gather(codes >> np.uint64(axis))
    return places


def rows_of_codes(side):
    """Returns the index of each code's voxel in a cube that is stored row by row, x fastest."""
    places = decode(np.arange(side**3, dtype=np.uint64)).astype(np.int64)
    return places @ np.array([1, side, side * side])


def codes_of_rows(side):
    """Returns the codes of the voxels of a cube, row by row, x fastest."""
    return np.argsort(rows_of_codes(side))


# Computations on rows of different lengths and on bits, all at once.


def ragged(counts):
    """Returns, for each element of rows with these counts of elements, its row and its place in the row."""
    counts = np.asarray(counts, np.int64)
    row = np.repeat(np.arange(len(counts)), counts)
    return row, np.arange(len(row)) - np.repeat(np.cumsum(counts) - counts, counts)


_BITS = np.array([bin(i).count("1") for i in range(1 << 16)], np.uint8)


def bit_counts(words):
    """Returns the number of set bits in each word of 32 or 64 bits."""
    halves = np.ascontiguousarray(words).view(np.uint16).reshape(len(words), words.itemsize // 2)
    return sum(_BITS[half] for half in halves.T).astype(np.int64)  # sum(axis=1) is slow for short rows


def bits_of(words):
    """Returns the bits of each word, low ones first: uint8 [n, 32] or [n, 64] of 0 and 1."""
    each = np.ascontiguousarray(words).view(np.uint8).reshape(len(words), words.itemsize)
    return np.unpackbits(each, axis=1, bitorder="little")
