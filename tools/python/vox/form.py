"""What the forms of a grid's voxels have in common: SVDAG, bricks, spatial hash."""

import numpy as np

from . import morton


class Form:
    """One of the ways in which a file keeps its voxels.

    Voxels are words of which 0 is empty. `low` and `high` are the corners of a box of voxels, int64 [3]; what is yielded
    is in Morton order, so many leaves or cubes at once at most.
    """

    name = ""  # of the group in the file
    dtype = None  # of words
    depth = 0  # levels above the leaves: there are 4 << depth voxels along each axis, or fewer

    def leaves(self, low, high, most):
        """Yields (corners int32 [n, 3], words [n, 64] in Morton order) of the leaves of 4³ voxels that reach into the
        box and of which a voxel, in the box or not, is filled."""
        raise NotImplementedError

    def at(self, places):
        """The words of voxels of the grid, int64 [n, 3]."""
        raise NotImplementedError

    def cubes(self, level, low, high, most):
        """Yields codes of the cubes of this level that reach into the box and hold a filled voxel."""
        last = np.uint64(2**64 - 1)  # no code
        shift = np.uint64(3 * (self.depth - level))
        for corners, _ in self.leaves(low, high, most):
            codes = np.unique(morton.encode(corners >> 2) >> shift)
            codes = codes[codes != last]
            if len(codes) > 0:
                last = codes[-1]
                yield codes

    def facts(self, level):
        """(unique nodes, nodes of the octree, bytes) of a level of an SVDAG; nothing of another form."""
        return None, None, None
