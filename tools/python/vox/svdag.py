"""The SVDAG of a scene file (docs/formats.md, "The scene file"). It is walked level by level, many nodes at once.

A node has a header, whose low eight bits are its child mask, and a pointer for each child in Morton order. A leaf has a
mask of 64 bits and, with materials, four bits for each filled voxel. The meaning of a pointer depends on the file's
version: `places` returns where the nodes that pointers name lie in a level's words, and `check` proves that every pointer
names a node. Each version of the file has a class with these two methods.
"""

import os

import numpy as np

from . import hdf5, morton
from .grid import Form
from .morton import bit_counts, bits_of, ragged

_HEADER_BITS = np.uint32(0x1FFF)
_FULL = np.uint32(1 << 8)  # in a header: all voxels below are filled with the material of the bits above
_SLICE = 1 << 20  # the number of nodes that are checked at once
_START_EVERY = 4096  # files of version 2 have the place of every 4096th node
_FEW_RUNS = 32  # of so many nodes

# For each child mask, the octant of the child with each rank, and the number of children before each octant.
_MASKS = np.arange(256)[:, None] >> np.arange(8) & 1
_OCTANT = np.argsort(1 - _MASKS, axis=1, kind="stable").astype(np.uint64)
_RANK = np.cumsum(_MASKS, axis=1) - _MASKS
_CHILDREN = _MASKS.sum(axis=1)


def level_path(level):
    return f"svdag/level_{level:02}/words"


class Svdag(Form):
    """Reads version 1, in which a child pointer is the offset of the child's first word in the next level's words."""

    name = "svdag"
    dtype = np.dtype(np.uint8)

    def __init__(self, file, depth, has_materials):
        self.file, self.depth, self.has_materials = file, depth, has_materials
        self._levels = None  # the words of each level
        self._datasets = {}  # of the levels' words: to open one takes as long as to decode thousands of leaves

    @property
    def levels(self):
        """The words of all levels, which are read and checked when they are first needed."""
        if self._levels is None:
            levels = self.read()
            self.check(levels)
            self._levels = levels
        return self._levels

    def _dataset(self, level):
        if level not in self._datasets:
            self._datasets[level] = hdf5.dataset(self.file, level_path(level), "u", (None,))
        return self._datasets[level]

    def facts(self, level):
        """Returns (unique nodes, nodes of the octree, bytes) of a level."""
        words = self._dataset(level)
        return hdf5.number(words, "nodes"), hdf5.number(words, "svo_nodes"), 4 * words.size

    # --- differences between the file's versions ---

    def read(self):
        """Reads the words of all levels."""
        return [hdf5.words_of(self._dataset(level)) for level in range(self.depth + 1)]

    def places(self, level, pointers):
        """Returns the offsets of the words of the nodes in a level that these pointers name."""
        return pointers

    def check(self, levels):
        """Checks that every node stays inside its level and every pointer leads to the start of a node: the nodes that a
        level's pointers name must follow each other without a gap, because a file has no unnamed node."""
        starts = np.arange(min(1, len(levels[0])))
        for level, words in enumerate(levels):
            below = levels[level + 1] if level < self.depth else ()
            named = np.zeros(len(below), bool)
            for i in range(0, len(starts), _SLICE):
                part = starts[i:i + _SLICE]
                end = starts[i + _SLICE] if i + _SLICE < len(starts) else len(words)
                self._check_part(level, words, part, end)
                if level < self.depth:
                    self._name_children(level, words, part, named)
            starts = np.flatnonzero(named)
            if len(below) > 0 and not named[0]:
                raise self._damaged(level + 1, "no pointer leads to word 0")

    def _check_part(self, level, words, starts, end):
        if len(starts) == 0:
            return
        if starts[-1] + (level == self.depth) >= len(words):
            raise self._damaged(level, "ends inside of a node")
        if level < self.depth:
            headers = words[starts]
            sizes = 1 + _CHILDREN[headers & 255]
            wrong = ((headers & 255) == 0) | ((headers & ~_HEADER_BITS) != 0)
        else:
            filled = bit_counts(words[starts]) + bit_counts(words[starts + 1])
            sizes = 2 + (filled + 7) // 8 * self.has_materials
            wrong = filled == 0
        wrong |= sizes != np.diff(starts, append=end)
        if wrong.any():
            place = starts[np.argmax(wrong)]
            raise self._damaged(level, f"the node at word {place} is empty, or does not end where the next one begins")

    def _name_children(self, level, words, starts, named):
        node, rank = ragged(_CHILDREN[words[starts] & 255])
        places = starts[node] + 1 + rank
        pointers = words[places]
        wrong = pointers >= len(named)
        if wrong.any():
            i = np.argmax(wrong)
            raise self._damaged(level, f"word {places[i]} points to word {pointers[i]} of the next level's {len(named)}")
        named[pointers] = True

    def _damaged(self, level, text):
        return hdf5.damaged(self.file, text, level_path(level))

    # --- the walk ---

    def _children(self, level, codes, nodes):
        """Returns (codes, pointers) of all children of nodes, which are given by the offsets of their words."""
        words = self.levels[level]
        masks = words[nodes] & 255
        node, rank = ragged(_CHILDREN[masks])
        pointers = words[nodes[node] + 1 + rank].astype(np.int64)
        return codes[node] << np.uint64(3) | _OCTANT[masks[node], rank], pointers

    def walk(self, last, low, high, most, solids=None):
        """Yields (codes, places) of the nodes of the level `last` that reach into the box, in Morton order, at most `most`
        at once. The nodes still to be walked are on a stack, a few parts of this size for each level. With a list `solids`,
        nodes that are full of one value go there instead, as in Form.leaves()."""
        if len(self.levels[0]) == 0:
            return
        whole = (low <= 0).all() and (high >= 4 << self.depth).all()
        stack = [(0, np.zeros(1, np.uint64), np.zeros(1, np.int64))]
        while stack:
            level, codes, nodes = stack.pop()
            if level == last:
                yield codes, nodes
                continue
            codes, pointers = self._children(level, codes, nodes)
            level += 1
            if not whole:
                inside = _touches(morton.decode(codes), 4 << (self.depth - level), low, high)
                codes, pointers = codes[inside], pointers[inside]
            nodes = self.places(level, pointers)
            if solids is not None and level < last:
                headers = self.levels[level][nodes]
                full = (headers & _FULL) != 0
                solids.append((4 << (self.depth - level), codes[full], self._full_values(headers[full])))
                codes, nodes = codes[~full], nodes[~full]
            parts = -(-len(codes) // most)
            if parts > 0:
                pieces = zip(np.array_split(codes, parts), np.array_split(nodes, parts))
                stack += reversed([(level, *piece) for piece in pieces])

    def cubes(self, level, low, high, most):
        for codes, _ in self.walk(level, low, high, most):
            yield codes

    def leaves(self, low, high, most, solids=None):
        for codes, leaves in self.walk(self.depth, low, high, most, solids):
            yield morton.decode(codes) * 4, self._leaf_values(leaves)

    def _full_values(self, headers):
        return (headers >> 9 & 15).astype(np.uint8) + 1 if self.has_materials else np.ones(len(headers), np.uint8)

    def _leaf_values(self, leaves):
        """Returns the values of leaves. If many of them are the same ones, each is decoded once."""
        words = self.levels[self.depth]
        if len(words) <= 8 * len(leaves):
            is_used = np.zeros(len(words), bool)
            is_used[leaves] = True
            used = np.flatnonzero(is_used)
            if 4 * len(used) < 3 * len(leaves):
                number = np.empty(len(words), np.int32)
                number[used] = np.arange(len(used))
                return self._decoded(used)[number[leaves]]
        return self._decoded(leaves)

    def _decoded(self, leaves):
        words = self.levels[self.depth]
        masks = words[leaves[:, None] + np.arange(2)].view("<u8")[:, 0]
        values = bits_of(masks)
        if self.has_materials:
            # Eight words have the materials of 64 voxels, of which a leaf has as many as it has filled voxels.
            places = np.minimum(leaves[:, None] + np.arange(2, 10), len(words) - 1)
            pairs = words[places].view(np.uint8)
            materials = np.stack([pairs & 15, pairs >> 4], axis=-1).reshape(-1, 64) + np.uint8(1)
            ranks = np.arange(64, dtype=np.uint8) < bit_counts(masks).astype(np.uint8)[:, None]
            np.place(values, values.view(bool), materials[ranks])
        return values

    def at(self, places):
        values = np.zeros(len(places), np.uint8)
        if len(self.levels[0]) == 0:
            return values
        left = np.arange(len(places))  # the voxels whose walk continues
        nodes = np.zeros(len(places), np.int64)
        for level in range(self.depth):
            words = self.levels[level]
            octants = _octants(places[left], self.depth - level + 1)
            masks = words[nodes] & 255
            there = (masks >> octants & 1) == 1
            left, nodes, masks, octants = left[there], nodes[there], masks[there], octants[there]
            nodes = self.places(level + 1, words[nodes + 1 + _RANK[masks, octants]].astype(np.int64))
        bits = _octants(places[left], 0) | _octants(places[left], 1) << 3
        for i in range(0, len(left), _SLICE // 16):
            part = slice(i, i + _SLICE // 16)
            values[left[part]] = self._leaf_values(nodes[part])[np.arange(len(nodes[part])), bits[part]]
        return values


class NumberedSvdag(Svdag):
    """Reads version 2, in which a child pointer is the number of the child among the nodes of the next level. The words
    may lie in parts, which are read one after another."""

    def __init__(self, file, depth, has_materials):
        super().__init__(file, depth, has_materials)
        self._places = None  # the places of the nodes of each level

    def read(self):
        return [self._with_short_numbers(level, words) for level, words in enumerate(self._stored())]

    def _stored(self):
        """Reads the words of all levels as they are in the file."""
        svdag = hdf5.group(self.file, "svdag")
        if "parts" not in svdag:
            return super().read()
        parts = hdf5.group(svdag, "parts")
        names, checks = hdf5.texts(parts, "file"), hdf5.words(parts, "check", bits=64)
        levels = [[] for _ in range(self.depth + 1)]
        for name, check in zip(names, checks):
            path = os.path.join(os.path.dirname(self.file.filename), name)
            with hdf5.open_file(path, "vox-scene-part", (2,)) as part:
                if hdf5.number(part, "check") != check:
                    raise hdf5.damaged(part, "is not the part for which the scene's head was written")
                for level, words in enumerate(levels):
                    words.append(hdf5.words(part, level_path(level)))
        return [np.concatenate([np.zeros(0, "<u4"), *words]) for words in levels]

    def _has_long_numbers(self, level):
        """Returns whether the file's child numbers have 8 bytes. Leaves have none."""
        size = hdf5.number(self._dataset(level), "child_bytes", 4, 8)
        if size not in (4, 8):
            raise self._damaged(level, f"the attribute child_bytes is {size}, expected 4 or 8")
        return size == 8 and level < self.depth

    def _with_short_numbers(self, level, words):
        """Returns the words with child numbers of 4 bytes."""
        if not self._has_long_numbers(level):
            return words
        nodes = self._find_nodes(level, words, 2)
        node, rank = ragged(_CHILDREN[words[nodes] & 255])
        upper = nodes[node] + 2 + 2 * rank
        if len(upper) > 0 and (upper.max() >= len(words) or words[upper].any()):
            raise self._damaged(level, "ends inside of a node, or points to a node that does not exist")
        return np.delete(words, upper)

    def facts(self, level):
        nodes, svo_nodes, size = super().facts(level)
        return nodes, svo_nodes, 2 * nodes + size // 2 if self._has_long_numbers(level) else size

    def places(self, level, pointers):
        return self._places[level][pointers]

    def check(self, levels):
        """Checks that every node stays inside its level, and that every pointer is the number of a node."""
        places = [self._find_nodes(level, words) for level, words in enumerate(levels)]
        for level, words in enumerate(levels):
            below = len(places[level + 1]) if level < self.depth else 0
            for i in range(0, len(places[level]), _SLICE):
                part = places[level][i:i + _SLICE]
                end = places[level][i + _SLICE] if i + _SLICE < len(places[level]) else len(words)
                self._check_part(level, words, part, end)
                if level < self.depth:
                    self._check_children(level, words, part, below)
        if len(places[0]) > 1:
            raise self._damaged(0, f"has {len(places[0])} roots")
        self._places = places

    def _find_nodes(self, level, words, number_words=1):
        """Returns where the nodes of a level begin, if a child number has so many words. _check_part() finds errors in the
        result."""
        nodes = hdf5.number(self._dataset(level), "nodes", 0, len(words))
        starts = hdf5.words(self.file, f"svdag/level_{level:02}/starts", bits=64)
        if self._has_long_numbers(level) and number_words == 1:
            starts = (starts + _START_EVERY * np.arange(len(starts), dtype=np.uint64)) // np.uint64(2)
        wrong = starts[0] != 0 if nodes > 0 and len(starts) > 0 else len(words) > 0
        if len(starts) != -(-nodes // _START_EVERY) or wrong:
            raise self._damaged(level, f"has {len(starts)} starts, {nodes} nodes and {len(words)} words")
        last = len(words) - (2 if level == self.depth else 1)  # the last word at which a node can begin
        if nodes > 0 and last < 0:
            raise self._damaged(level, "ends inside of a node")
        first = np.minimum(starts, max(last, 0)).astype(np.int64)
        if 0 < len(first) <= _FEW_RUNS:
            return self._few_runs(level, words, first, last, nodes, number_words)
        # All runs from one start to the next are walked at the same time.
        places = np.zeros((len(starts), _START_EVERY), np.int64)
        at = first
        for i in range(min(nodes, _START_EVERY)):
            places[:, i] = at
            at = np.minimum(at + self._sizes(level, words, at, number_words), last)
        return places.reshape(-1)[:nodes]

    def _few_runs(self, level, words, first, last, nodes, number_words):
        """Does this with few operations on long arrays: `after` has for each word the word at which the next node would
        begin if a node began there, then the one after two nodes, after four, … and at last after 64."""
        at = np.arange(last + 1)
        after = np.minimum(at + self._sizes(level, words, at, number_words), last)
        places, most = first[:, None], min(nodes, _START_EVERY)
        while places.shape[1] < min(most, 64):
            places = np.concatenate([places, after[places]], axis=1)
            after = after[after]
        parts = [places]
        while len(parts) * places.shape[1] < most:
            parts.append(after[parts[-1]])
        return np.concatenate(parts, axis=1).reshape(-1)[:nodes]

    def _sizes(self, level, words, at, number_words):
        if level < self.depth:
            return 1 + number_words * _CHILDREN[words[at] & 255]
        return 2 + (bit_counts(words[at]) + bit_counts(words[at + 1]) + 7) // 8 * self.has_materials

    def _check_children(self, level, words, nodes, below):
        node, rank = ragged(_CHILDREN[words[nodes] & 255])
        places = nodes[node] + 1 + rank
        wrong = words[places] >= below
        if wrong.any():
            i = np.argmax(wrong)
            raise self._damaged(level, f"word {places[i]} points to node {words[places[i]]} of the next level's {below}")


def _touches(places, side, low, high):
    """Returns for each cube of this side, counted in cubes, whether it reaches into a box of voxels."""
    corners = places.astype(np.int64) * side
    return ((corners < high) & (corners + side > low)).all(axis=1)


def _octants(places, shift):
    return (places >> shift & 1) @ np.array([1, 2, 4])
