#!/usr/bin/env python3
"""Makes Gaussian splats, 32 bytes each, of a PLY file of points that vox-convert has written: splats_of_points.py IN.ply OUT.splat"""

import sys

import numpy as np

TYPES = {"float": "<f4", "double": "<f8", "uchar": "u1", "char": "i1", "ushort": "<u2", "short": "<i2", "uint": "<u4", "int": "<i4"}

with open(sys.argv[1], "rb") as file:
    head, _, data = file.read().partition(b"end_header\n")
words = [line.split() for line in head.decode().splitlines()]
fields = [(line[2], TYPES[line[1]]) for line in words if line[0] == "property" and line[1] != "list"]
count = next(int(line[2]) for line in words if line[:2] == ["element", "vertex"])
points = np.frombuffer(data, np.dtype(fields), count)
places = np.stack([points[axis] for axis in "xyz"], axis=1).astype("<f4")
step = np.median(np.diff(np.unique(places[:, 0])))  # from voxel to voxel

splats = np.zeros(count, [("center", "<f4", 3), ("deviation", "<f4", 3), ("color", "u1", 4), ("turn", "u1", 4)])
splats["center"], splats["deviation"] = places, step * 0.5
splats["color"] = np.stack([points["red"], points["green"], points["blue"], np.full(count, 230, np.uint8)], axis=1)
splats["turn"] = 255, 128, 128, 128
splats.tofile(sys.argv[2])
