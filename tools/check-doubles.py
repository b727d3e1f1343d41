#!/usr/bin/env python3
"""Looks for double-precision instructions in the kernels of a library, because most GPUs run them at 1/32 of the speed.

    tools/check-doubles.py LIBRARY [--list]

LIBRARY is libvox.so, whose machine code cuobjdump (of the CUDA toolkit) prints, or a text that it has printed. Each
kernel with double-precision instructions that is not allowed to have them is a line on stderr; the exit code is then 1.
--list prints for each kernel how many such instructions of which kinds it has, allowed or not.
"""

import collections
import re
import subprocess
import sys

# Bodies that may compute in double precision, with the reason. The key is the mangled name: its length and
# the name.
ALLOWED = {
    # once a triangle
    "14PrepareShading": "runs once a triangle",
    "18NormalsOfTriangles": "runs once a triangle",
    # libvox/voxelize measures distances exactly.
    "11PlaceInBand": "runs once a triangle",
    "9CoverBand": "runs once a triangle and a cell near it",
    "11MeasureBand": "runs once a voxel of a band, whose distance must be exact",
    "11CountShapes": "runs once a triangle",
    "11WriteShapes": "runs once a triangle",
    "14PlaceTriangles": "runs once a triangle",
    # libvox/painting computes in the scene's coordinates, but only for the texels near a stroke.
    "12CoverSquares": "runs once a square of texels near a stroke",
    "10EmitShares": "runs once a painted texel",
    "10NearStroke": "runs once a piece of a stroke and a box",
    "12NearSegments": "runs once a stroke and a triangle",
    "16EmitNearSegments": "runs once a stroke and a triangle",
    # rays through volumes
    "11CastPicture": "runs once a pixel",
    "10CastVolume": "runs once a pixel",
    "7CastIso": "runs once a pixel",
}

FUNCTION = re.compile(r"^\s*Function : (\S+)", re.MULTILINE)
DOUBLE = re.compile(
    r"\b(?:D(?:ADD|MUL|FMA|SETP|MNMX)|[FI]2[FI](?:\.\w+)*\.F64|D2[FI]|MUFU\.\w+64H)\b"
)


def machine_code(path):
    """Returns the output of cuobjdump, with a line `Function : name` before each kernel."""
    with open(path, "rb") as file:
        if file.read(4) != b"\x7fELF":
            return open(path, encoding="utf-8").read()
    return subprocess.run(["cuobjdump", "-sass", path], capture_output=True, text=True, check=True).stdout


def doubles(text):
    """Returns for each kernel the number of its double-precision instructions of each kind."""
    parts = FUNCTION.split(text)[1:]
    for name, code in zip(parts[::2], parts[1::2]):
        kinds = collections.Counter(DOUBLE.findall(code))
        if kinds:
            yield name, kinds


def reason_of(name):
    return next((reason for body, reason in ALLOWED.items() if body in name), None)


def main(arguments):
    options = [a for a in arguments if a.startswith("--")]
    paths = [a for a in arguments if not a.startswith("--")]
    if len(paths) != 1 or options not in ([], ["--list"]):
        print(__doc__, file=sys.stderr)
        return 2
    text = machine_code(paths[0])
    if not FUNCTION.search(text):
        print(f"check-doubles: no kernel in {paths[0]}: a build without CUDA has none", file=sys.stderr)
        return 1
    breaches = 0
    for name, kinds in sorted(doubles(text), key=lambda kernel: (-sum(kernel[1].values()), kernel[0])):
        reason = reason_of(name)
        told = ", ".join(f"{count} {kind}" for kind, count in kinds.most_common())
        if options:
            print(f"{sum(kinds.values()):6} {name}: {told} ({reason or 'not allowed'})")
        if not reason:
            print(
                f"{name}: {told}: kernels that run once a voxel, pair, node or ray compute in integers and floats; "
                "one that need not is named in tools/check-doubles.py",
                file=sys.stderr,
            )
            breaches += 1
    return 1 if breaches else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
