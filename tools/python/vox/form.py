"""The interface that the forms of a grid's voxels share: SVDAG, bricks, spatial hash."""

import numpy as np

from . import morton


class Form:
    """One of the forms in which a file keeps its voxels.

    Voxels are words, and 0 is empty. `low` and `high` are the corners of a box of voxels, int64 [3]. The generators yield
    their results in Morton order, at most `most` leaves or cubes at once.
    """

    name = ""  # the name of the group in the file
    dtype = None  # the type of words
    depth = 0  # levels above the leaves: there are at most 4 << depth voxels along each axis

    def leaves(self, low, high, most):
        """Yields (corners int32 [n, 3], words [n, 64] in Morton order) of the leaves of 4³ voxels that reach into the
        box and have a filled voxel, inside the box or not."""
        raise NotImplementedError

    def at(self, places):
        """Returns the words of voxels of the grid, int64 [n, 3]."""
        raise NotImplementedError

    def cubes(self, level, low, high, most):
        """Yields the codes of the cubes of this level that reach into the box and have a filled voxel."""
        last = np.uint64(2**64 - 1)  # not a valid code
        shift = np.uint64(3 * (self.depth - level))
        for corners, _ in self.leaves(low, high, most):
            codes = np.unique(morton.encode(corners >> 2) >> shift)
            codes = codes[codes != last]
            if len(codes) > 0:
                last = codes[-1]
                yield codes

    def facts(self, level):
        """Returns (unique nodes, nodes of the octree, bytes) of a level of an SVDAG, and None for other forms."""
        return None, None, None
