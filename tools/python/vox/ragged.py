"""Rows of different lengths, all at once."""

import numpy as np


def ragged(counts):
    """For the elements of rows with so many elements each: the row that each is in, and its place there."""
    counts = np.asarray(counts, np.int64)
    row = np.repeat(np.arange(len(counts)), counts)
    return row, np.arange(len(row)) - np.repeat(np.cumsum(counts) - counts, counts)


_BITS = np.array([bin(i).count("1") for i in range(1 << 16)], np.uint8)


def bit_counts(words):
    """How many bits are set in each of the words, of 32 or 64 bits."""
    halves = np.ascontiguousarray(words).view(np.uint16).reshape(len(words), words.itemsize // 2)
    return _BITS[halves].sum(axis=1, dtype=np.int64)


def bits_of(words):
    """The bits of each word, low ones first: uint8 [n, 32] or [n, 64] of 0 and 1."""
    each = np.ascontiguousarray(words).view(np.uint8).reshape(len(words), words.itemsize)
    return np.unpackbits(each, axis=1, bitorder="little")
