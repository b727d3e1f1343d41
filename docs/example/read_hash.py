"""Reads voxels of a scene's spatial hash, as docs/formats.md describes it: read_hash.py SCENE.h5 X,Y,Z …"""
import sys, h5py, numpy as np
U = np.uint64

def mix64(x):
    x = (x ^ x >> U(33)) * U(0xFF51AFD7ED558CCD)
    x = (x ^ x >> U(33)) * U(0xC4CEB9FE1A85EC53)
    return x ^ x >> U(33)

class SpatialHash:
    def __init__(self, file):
        group = h5py.File(file, "r")["hash"]
        self.cells, self.info = group["cells"][()], dict(group.attrs)

    def keys(self, voxels):
        x, y, z, side = *np.asarray(voxels).astype(U).T, U(self.info["resolution"])
        if self.info["layout"] == b"linear": return x + side * (y + side * z)
        return sum((v >> U(i) & U(1)) << U(3 * i + axis) for axis, v in enumerate((x, y, z)) for i in range(20))

    def materials(self, voxels):  # of voxels of the grid, an array [n, 3]; -1 where they are empty
        keys, lines, seed = self.keys(voxels), U(self.info["lines"]), U(self.info["seed"])
        found = np.where((keys == U(2**60 - 1)) & (self.info["apart"] == 1), int(self.cells[-1] & U(15)), -1)
        left = np.flatnonzero(keys != U(2**60 - 1))  # the voxels that are still looked for
        for turn in range(self.info["probes"]):
            key = keys[left]
            h, later = mix64((key >> U(4)) + seed), turn >= lines
            low, high = h & U(2**32 - 1), h >> U(32)
            line = ((high * lines >> U(32)) + U(turn) * (U(1) + (low * (lines - U(1)) >> U(32)))) % lines
            side = (key >> U(3)) + (low >> U((turn - int(lines) * later) % 32)) + U(later)
            bucket = line * U(2) + (side & U(1))
            held = self.cells[bucket[:, None] * U(8) + np.arange(8, dtype=U)]
            hit = held >> U(4) == key[:, None]
            found[left[hit.any(axis=1)]] = held[hit] & U(15)
            left = left[~hit.any(axis=1) & (held[:, 7] != U(2**64 - 1))]
        return found

if __name__ == "__main__":
    print(SpatialHash(sys.argv[1]).materials([[int(n) for n in voxel.split(",")] for voxel in sys.argv[2:]]))
