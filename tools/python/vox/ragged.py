"""Computations on rows of different lengths, all at once."""

import numpy as np


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
