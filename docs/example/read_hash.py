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
        self.cells, self.filters, self.info = group["cells"][()], group["filters"][()], dict(group.attrs)

    def keys(self, voxels):
        x, y, z, side = *np.asarray(voxels).astype(U).T, U(self.info["resolution"])
        if self.info["layout"] == b"linear": return x + side * (y + side * z)
        return sum((v >> U(i) & U(1)) << U(3 * i + axis) for axis, v in enumerate((x, y, z)) for i in range(20))

    def materials(self, voxels):  # of voxels of the grid, an array [n, 3]; -1 where they are empty
        keys, lines, seed = self.keys(voxels), U(self.info["lines"]), int(self.info["seed"])
        found = np.where((keys == U(2**60 - 1)) & (self.info["apart"] == 1), int(self.cells[-1] & U(15)), -1)
        left = np.flatnonzero(keys != U(2**60 - 1))  # the voxels that are still looked for
        for turn in range(self.info["probes"]):
            key = keys[left]
            h = mix64((key >> U(4)) + U((seed + turn * 0x9E3779B97F4A7C15) % 2**64))
            line = ((h >> U(32)) * lines + ((h & U(2**32 - 1)) * lines >> U(32))) >> U(32)  # h * lines / 2^64
            sector = line * U(4) + ((key >> U(2) ^ h) & U(3))
            held = self.cells[sector[:, None] * U(4) + np.arange(4, dtype=U)]
            hit = held >> U(4) == key[:, None]
            found[left[hit.any(axis=1)]] = held[hit] & U(15)
            goes_on = ~hit.any(axis=1) & (held[:, 3] != U(2**64 - 1))
            if turn == 0:
                filters = self.filters[sector >> U(1)].astype(U) >> sector % U(2) * U(16)
                goes_on &= filters >> (mix64(key ^ U(0x5851F42D4C957F2D ^ seed)) >> U(60)) & U(1) == U(1)
            left = left[goes_on]
        return found

if __name__ == "__main__":
    print(SpatialHash(sys.argv[1]).materials([[int(n) for n in voxel.split(",")] for voxel in sys.argv[2:]]))
