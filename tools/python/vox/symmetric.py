"""The symmetric form of a scene file (docs/formats.md, "The symmetric form"), in which parts that become each other when they
are turned or mirrored are stored once. It is expanded to the words of an SVDAG when they are first needed."""

import itertools

import numpy as np

from . import hdf5
from .morton import bits_of
from .svdag import _CHILDREN, _FULL, _RANK, Svdag

_VERSION = 1
_SYMMETRIES = 48
_FULL_NODE = np.uint32(1 << 24)  # in the second word of a node
_UNUSED_BITS = np.uint32(0xFE000000)

# Symmetry 8 · p + m permutes the axes by _PERMUTATIONS[p], which says what each axis becomes, and then mirrors those in m.
_PERMUTATIONS = ((0, 1, 2), (1, 0, 2), (2, 1, 0), (0, 2, 1), (1, 2, 0), (2, 0, 1))


def _moved(symmetry, place, side):
    """Returns the place in a cube of this side to which a symmetry moves a place."""
    result = [0, 0, 0]
    for axis, to in enumerate(_PERMUTATIONS[symmetry // 8]):
        result[to] = side - 1 - place[axis] if symmetry >> to & 1 else place[axis]
    return tuple(result)


def _sources(places, side):
    """Returns for each symmetry and each of these places the number of the place that is moved there."""
    number = {place: i for i, place in enumerate(places)}
    sources = np.zeros((_SYMMETRIES, len(places)), np.int64)
    for symmetry, (i, place) in itertools.product(range(_SYMMETRIES), enumerate(places)):
        sources[symmetry, number[_moved(symmetry, place, side)]] = i
    return sources


_OCTANTS = [(o & 1, o >> 1 & 1, o >> 2) for o in range(8)]
_VOXELS = [tuple((o >> a & 1) | (o >> (3 + a) & 1) << 1 for a in range(3)) for o in range(64)]
_OCTANT_FROM, _VOXEL_FROM = _sources(_OCTANTS, 2), _sources(_VOXELS, 4)
_BY_SOURCES = {tuple(sources): symmetry for symmetry, sources in enumerate(_OCTANT_FROM.tolist())}
# [a, b]: the symmetry that does what b does and then what a does.
_PRODUCT = np.array([[_BY_SOURCES[tuple(_OCTANT_FROM[b][_OCTANT_FROM[a]])] for b in range(_SYMMETRIES)]
                     for a in range(_SYMMETRIES)])
_INVERSE = np.argmin(_PRODUCT, axis=1)


class Symmetric(Svdag):
    """Reads the form as the SVDAG for which it stands, with child pointers that are offsets."""

    name = "symmetric"

    def __init__(self, file, depth, has_materials):
        super().__init__(file, depth, has_materials)
        group = hdf5.group(file, "symmetric")
        hdf5.number(group, "version", _VERSION, _VERSION)
        if has_materials:
            raise hdf5.damaged(group, "the scene states materials, which this form cannot hold")

    def _path(self, level):
        return f"symmetric/level_{level:02}/words"

    def _damaged(self, level, text):
        return hdf5.damaged(self.file, text, self._path(level))

    def _facts(self, level):
        return hdf5.dataset(self.file, self._path(level), "u", (None,))

    def facts(self, level):
        words = self._facts(level)
        return (hdf5.number(words, "plain_nodes"), hdf5.number(words, "svo_nodes"),
                4 * hdf5.number(words, "plain_words"))

    def read(self):
        stored = [None] * (self.depth + 1)
        leaves = self._leaves()
        unchanged = [None] * (self.depth + 1)
        unchanged[self.depth] = np.stack([(leaves[:, _VOXEL_FROM[s]] == leaves).all(axis=1) for s in range(_SYMMETRIES)],
                                         axis=1)
        for level in reversed(range(self.depth)):
            stored[level] = self._nodes(level, len(unchanged[level + 1]))
            unchanged[level] = _unchanged_nodes(*stored[level][:2], unchanged[level + 1])
        levels = []
        nodes = np.zeros(min(1, len(unchanged[0])), np.int64)
        turns = np.zeros_like(nodes)
        for level in range(self.depth):
            words, nodes, turns = self._expanded(level, stored, unchanged[level + 1], nodes, turns)
            levels.append(words)
        bits = leaves[nodes[:, None], _VOXEL_FROM[turns]]
        levels.append(np.packbits(bits, axis=1, bitorder="little").view("<u4").reshape(-1))
        for level, words in enumerate(levels):
            if len(words) != hdf5.number(self._facts(level), "plain_words"):
                raise self._damaged(level, f"becomes {len(words)} words, not as many as it states")
        return levels

    def _leaves(self):
        """Returns the voxels of the stored leaves, uint8 [n, 64]."""
        words = hdf5.words(self.file, self._path(self.depth))
        if len(words) != 2 * hdf5.number(self._facts(self.depth), "nodes"):
            raise self._damaged(self.depth, "does not have two words for each leaf")
        return bits_of(words.view("<u8"))

    def _nodes(self, level, below):
        """Returns the children of the stored nodes, −1 for none, their symmetries, and which nodes are full."""
        words = hdf5.words(self.file, self._path(level))
        count = hdf5.number(self._facts(level), "nodes", 0, len(words))
        sizes = (2 + _CHILDREN[words & 255]).tolist()
        places, at = [], 0
        while at < len(words) and len(places) < count:
            places.append(at)
            at += sizes[at]
        if at != len(words) or len(places) != count or (level == 0 and count > 1):
            raise self._damaged(level, "its nodes are not as many as it states, or reach beyond its end")
        places = np.array(places, np.int64)
        first, second = words[places], words[places + 1]
        masks = first & 255
        present = (masks[:, None] >> np.arange(8, dtype=np.uint32) & 1) == 1
        turns = (first.astype(np.uint64) >> np.uint64(8) | second.astype(np.uint64) << np.uint64(24))
        turns = (turns[:, None] >> np.arange(0, 48, 6, dtype=np.uint64) & np.uint64(63)).astype(np.int64)
        children = np.where(present, words[np.where(present, places[:, None] + 2 + _RANK[masks], 0)].astype(np.int64), -1)
        wrong = (masks == 0) | ((second & _UNUSED_BITS) != 0) | (children >= below).any(axis=1)
        wrong |= (turns >= _SYMMETRIES).any(axis=1) | (turns[:, :] * ~present).any(axis=1)
        if wrong.any():
            raise self._damaged(level, f"the node at word {places[np.argmax(wrong)]} is damaged")
        return children, turns, (second & _FULL_NODE) != 0

    def _expanded(self, level, stored, unchanged_below, nodes, turns):
        """Returns the words of a level whose nodes are these stored ones, turned so, and the same of the next level."""
        children, child_turns, full = stored[level]
        sources = _OCTANT_FROM[turns]
        below = children[nodes[:, None], sources]
        present = below >= 0
        turned = _PRODUCT[turns[:, None], child_turns[nodes[:, None], sources]][present]
        below = below[present]
        least = _least_turns(below, turned, unchanged_below)
        keys, first, numbers = np.unique(below * _SYMMETRIES + least, return_index=True, return_inverse=True)
        order = np.argsort(first)  # nodes are numbered in the order in which they are first met
        rank = np.empty(len(order), np.int64)
        rank[order] = np.arange(len(order))
        keys, numbers = keys[order], rank[numbers.reshape(-1)]
        next_nodes = keys // _SYMMETRIES
        if len(keys) > hdf5.number(self._facts(level + 1), "plain_nodes"):
            raise self._damaged(level + 1, "becomes more nodes than it states")
        if level + 1 == self.depth:
            places = 2 * np.arange(len(keys))
        else:
            sizes = 1 + (stored[level + 1][0][next_nodes] >= 0).sum(axis=1)
            places = np.cumsum(sizes) - sizes
        if len(places) > 0 and places[-1] >= 2**32:
            raise self._damaged(level + 1, "becomes more words than 32 bits can name")
        sizes = 1 + present.sum(axis=1)
        begins = np.cumsum(sizes) - sizes
        words = np.zeros(sizes.sum(), "<u4")
        is_header = np.zeros(len(words), bool)
        is_header[begins] = True
        words[~is_header] = places[numbers]
        words[begins] = present @ (1 << np.arange(8)) | np.where(full[nodes], _FULL, np.uint32(0))
        return words, next_nodes, keys % _SYMMETRIES


def _unchanged_nodes(children, turns, below):
    """Returns which symmetries leave each stored node as it is, bool [n, 48]."""
    result = np.zeros((len(children), _SYMMETRIES), bool)
    for symmetry, sources in enumerate(_OCTANT_FROM):
        same = (children[:, sources] == children).all(axis=1)
        between = _PRODUCT[_INVERSE[turns[same]], _PRODUCT[symmetry, turns[same][:, sources]]]
        kept = children[same]
        result[same, symmetry] = (below[kept, between] | (kept < 0)).all(axis=1)
    return result


def _least_turns(nodes, turns, unchanged):
    """Returns the least symmetry that makes the same of each stored node as this one."""
    least = turns.copy()
    several = np.flatnonzero(unchanged[nodes, 1:].any(axis=1))
    for same in range(1, _SYMMETRIES):
        at = several[unchanged[nodes[several], same]]
        least[at] = np.minimum(least[at], _PRODUCT[turns[at], same])
    return least
