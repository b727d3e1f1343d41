#!/usr/bin/env python3
"""Writes the triangles of an OBJ as Baert's SVO builder reads them: obj_to_tri.py MESH.obj NAME makes NAME.tri and NAME.tridata."""

import array
import sys

mesh, name = sys.argv[1:]
corners, triangles = [], array.array("f")
low, high = [float("inf")] * 3, [-float("inf")] * 3
with open(mesh) as file:
    for line in file:
        words = line.split()
        if line.startswith("v "):
            corners.append([float(word) for word in words[1:4]])
            low = [min(pair) for pair in zip(low, corners[-1])]
            high = [max(pair) for pair in zip(high, corners[-1])]
with open(mesh) as file:
    for line in file:
        if not line.startswith("f "):
            continue
        face = [int(word.split("/")[0]) for word in line.split()[1:]]
        face = [corner - 1 if corner > 0 else len(corners) + corner for corner in face]
        for second, third in zip(face[1:], face[2:]):
            for corner in (face[0], second, third):
                triangles.extend(value - least for value, least in zip(corners[corner], low))
side = 1.0001 * max(most - least for most, least in zip(high, low))  # their grid is a cube
with open(name + ".tridata", "wb") as out:
    triangles.tofile(out)
with open(name + ".tri", "w") as out:
    out.write(f"#tri 1\nntriangles {len(triangles) // 9}\ngeo_only 1\nbbox 0 0 0 {side:.7f} {side:.7f} {side:.7f}\nEND\n")
