#!/usr/bin/env python3
"""Runs the tools on damaged files, scripts and options, and checks that they end as they promise.

    tests/torture.py N [SEED] [--bin build/release] [--keep FOLDER]

Makes small files of every kind, damages one of them N times in some way, and gives it to a tool that reads it. A run must exit
with 0, 1 or 2, within a minute, take at most 64 times the size of its input and 512 MB of memory, print no control characters,
say why if it fails, and leave nothing at the place of its output unless it exits with 0. A scene that is left passes --verify.
Equal seeds give equal runs. What breaks these rules is printed with its command; with --keep, its input stays in the folder.
"""

import argparse
import gzip
import os
import pathlib
import random
import resource
import shutil
import struct
import subprocess
import sys
import tempfile
import zlib

SECONDS, MEMORY_FACTOR, MEMORY = 60, 64, 512 << 20
SCRIPT = """units voxels
sphere add center 20,20,20 radius 9.5 material 1
box remove min 4,4,4 max 20,9,30
snapshot a
repeat 5 step 3,0,1
sphere paint center 10,12,14 radius 4 material 2
end
undo
copy min 2,2,2 max 12,12,12 to 30,30,30
smooth steps 2 in box min 0,0,0 max 40,40,40
gc
"""
CAMERA = "time,eye_x,eye_y,eye_z,target_x,target_y,target_z\n0,9,9,9,0,0,0\n0.1,-9,9,9,0,0,0\n"
STROKES = ("stroke color #ff0000 radius 0.2 edge 0.3 from 0,1,0 through 0.5,0.8,0.3 to 1,0,0\n"
           "stroke color #20a040 radius 0.1 at 0,0,1\nstroke color #ffffff radius 0.05 uv 0.5,0.25\n")
CUBE = "".join(f"v {i & 1} {i >> 1 & 1} {i >> 2}\n" for i in range(8)) + "vt 0 0\nvt 1 0\nvt 1 1\nusemtl a\n" + "".join(
    f"f {' '.join(f'{v}/{1 + v % 3}' for v in face)}\n"
    for face in ((1, 3, 4, 2), (5, 6, 8, 7), (1, 2, 6, 5), (3, 7, 8, 4), (1, 5, 7, 3), (2, 4, 8, 6)))
NUMBERS = [b"0", b"-1", b"1e308", b"nan", b"4294967296", b"-2147483649", b"0.0000001", b"99999999999999999999", b"\x00", b'"', b"%s"]
WORDS = [0, 1, 0x7F, 0x80, 0xFF, 0x7FFF, 0x8000, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 1 << 33, (1 << 63) - 1, (1 << 64) - 1]


class Corpus:
    """Small files that are sound, in a folder, and the arguments with which each is read."""

    def __init__(self, folder, programs):
        self.folder, self.programs, self.runs = folder, programs, []
        self.make_inputs()
        self.make_scenes()

    def run(self, *arguments):
        command = [self.programs / arguments[0], *arguments[1:]]
        subprocess.run(command, cwd=self.folder, check=True, capture_output=True, stdin=subprocess.DEVNULL)

    def write(self, name, content):
        (self.folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())

    def reads(self, name, *arguments, tool="vox-convert", output="out.h5"):
        """A run reads this file: NAME and OUT stand for it and for the output."""
        self.runs.append((name, tool, arguments, output))

    def make_inputs(self):
        self.run("vox-scene", "bumpy-sphere", "--triangles", "600", "--texture-size", "16", "-o", "ball.glb")
        self.run("vox-scene", "bumpy-sphere", "--triangles", "300", "--texture-size", "16", "-o", "ball.obj")
        self.write("cube.obj", CUBE)
        self.write("cube.off", "OFF\n4 4 0\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 2 1\n3 0 1 3\n3 0 3 2\n3 1 2 3\n")
        triangle = struct.pack("<12fH", 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0.5, 0)
        self.write("mesh.stl", b"solid?".ljust(80, b"\0") + struct.pack("<I", 20) + triangle * 20)
        self.write("text.stl", "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0.5\n"
                               "endloop\nendfacet\nendsolid a\n")
        self.write("points.xyz", "".join(f"{i % 7} {i % 11} {i % 13} {i % 256} 10 20\n" for i in range(300)))
        head = "ply\nformat binary_little_endian 1.0\nelement vertex 64\n" + "".join(
            f"property float {axis}\n" for axis in "xyz") + "property uchar red\nproperty uchar green\nproperty uchar blue\nend_header\n"
        self.write("points.ply", head.encode() + b"".join(
            struct.pack("<3f3B", i % 4, i // 4 % 4, i // 16, i, 2 * i, 3 * i) for i in range(64)))
        names = [*"xyz", "f_dc_0", "f_dc_1", "f_dc_2", "opacity", "scale_0", "scale_1", "scale_2", "rot_0", "rot_1", "rot_2", "rot_3"]
        head = "ply\nformat binary_little_endian 1.0\nelement vertex 40\n" + "".join(
            f"property float {name}\n" for name in names) + "end_header\n"
        self.write("splats.ply", head.encode() + b"".join(
            struct.pack("<14f", i % 4, i // 4 % 4, i // 16, 0.1, 0.2, 0.3, 3, -1, -2, -1, 1, 0, 0.1, 0) for i in range(40)))
        self.write("splats.splat", b"".join(
            struct.pack("<6f8B", i % 4, i // 4 % 4, i // 16, 0.3, 0.1, 0.4, 200, i, 30, 250, 255, 128, 140, 128) for i in range(40)))
        values = bytes((x * y + z) % 251 for z in range(20) for y in range(20) for x in range(20))
        self.write("ct_20x20x20_uint8.raw", values)
        self.write("ct.nrrd", b"NRRD0004\ntype: uint8\ndimension: 3\nsizes: 20 20 20\nencoding: gzip\n\n" + gzip.compress(values))
        self.write("ct.mha", b"ObjectType = Image\nNDims = 3\nDimSize = 20 20 20\nElementType = MET_UCHAR\n"
                             b"ElementDataFile = LOCAL\n" + values)
        self.write("ct.npy", b"\x93NUMPY\x01\x00" + struct.pack("<H", 118) + (
            b"{'descr': '|u1', 'fortran_order': False, 'shape': (20, 20, 20), }").ljust(117) + b"\n" + values)
        nifti = bytearray(352)
        struct.pack_into("<i", nifti, 0, 348)
        struct.pack_into("<8h", nifti, 40, 3, 20, 20, 20, 1, 1, 1, 1)
        struct.pack_into("<2h", nifti, 70, 2, 8)
        struct.pack_into("<8f", nifti, 76, 1, 1, 1, 1, 1, 1, 1, 1)
        struct.pack_into("<f", nifti, 108, 352)
        nifti[344:348] = b"n+1\0"
        self.write("ct.nii", bytes(nifti) + values)
        self.write("edits.txt", SCRIPT)
        self.write("camera.csv", CAMERA)
        self.write("strokes.txt", STROKES)
        self.write("colors.hex", "ff0000\n00ff00\n0000ff\n808080\n")
        self.write("colors.gpl", "GIMP Palette\nName: a\n#\n255 0 0 red\n0 0 255 blue\n")

    def make_scenes(self):
        self.run("vox-convert", "ball.glb", "--res", "48", "-o", "scene.h5")
        self.run("vox-convert", "ball.glb", "--res", "48", "--structure", "svdag,bricks,hash", "-o", "forms.h5")
        self.run("vox-convert", "ball.glb", "--res", "48", "--materials", "colors", "-o", "colors.h5")
        self.run("vox-convert", "ct.nrrd", "--brick-size", "8", "-o", "ct.h5")
        for name in ("scene.nvdb", "scene.vdb", "scene.vox", "scene.binvox", "scene.vl32", "scene.basic_dag.dag.bin", "scene.svdag", "scene.ussvdag"):
            self.run("vox-convert", "scene.h5", "-o", name)
            self.reads(name)
            self.reads(name, "--materials", "none", output="out.nrrd")
        for name in ("ball.glb", "ball.obj", "cube.obj", "cube.off", "mesh.stl", "text.stl"):
            self.reads(name, "--res", "48")
            self.reads(name, "--res", "40", "--solid", "--materials", "mesh")
            self.reads(name, "--voxel-size", "0.1", "--coverage", "thin", "--snap-origin")
        for name in ("points.xyz", "points.ply", "splats.ply", "splats.splat"):
            self.reads(name, "--res", "40")
            self.reads(name, "--voxel-size", "0.2,0.3,0.1", "--materials", "none", *(["--point-radius", "0.3"] if "points" in name else []))
        for name in ("ct_20x20x20_uint8.raw", "ct.nrrd", "ct.mha", "ct.npy", "ct.nii"):
            self.reads(name, "--brick-size", "8")
            self.reads(name, "--structure", "svdag", "--materials", "bins:4", "--threshold", "0.2")
        for name in ("scene.h5", "forms.h5", "colors.h5", "ct.h5"):
            self.reads(name, "--verify", output=None)
            self.reads(name, "--info", output=None)
            self.reads(name, "--html", "OUT", tool="vox-stats", output="out.html")
            self.reads(name, "-o", "OUT", "--size", "40x30", tool="vox-render", output="out.png")
            self.reads(name, "-o", "OUT", "--slice", "z=9", tool="vox-render", output="out.png")
        for name in ("scene.h5", "forms.h5", "colors.h5"):
            self.reads(name, "--res", "24")
            self.reads(name, "--clip", "-1,-1,-1,0.2,2,2")
            self.reads(name, "--html", "OUT", tool="vox-render", output="out.html")
            for output in ("out.nvdb", "out.vox", "out.nrrd", "out.glb", "out.ply", "out.vtkhdf", "out.svdag"):
                self.reads(name, "-o", "OUT", output=output)
        self.reads("edits.txt", "scene.h5", "--script", "NAME", tool="vox-edit")
        self.reads("scene.h5", "NAME", "--script", "edits.txt", tool="vox-edit")
        self.reads("camera.csv", "scene.h5", "--path", "NAME", "--size", "16x12", "-o", "out.png", tool="vox-render", output=None)
        self.reads("strokes.txt", "ball.glb", "--res", "32", "--paint", "NAME", "--paint-size", "256")
        for name in ("colors.hex", "colors.gpl"):
            self.reads(name, "ball.glb", "--res", "32", "--palette", "NAME")

    def command(self, run):
        name, tool, arguments, output = run
        given = ["NAME"] if "NAME" not in arguments and arguments[:1] not in (("scene.h5",), ("ball.glb",)) else []
        given += arguments
        if output and "OUT" not in given:
            given += ["-o", "OUT"]
        return tool, given


def repaired(data, name):
    """Returns damaged content with the sums that a reader looks at first put right, so that it reads on."""
    if name.endswith(".nrrd") and b"\n\n" in data:
        head, body = data.split(b"\n\n", 1)
        try:
            return head + b"\n\n" + gzip.compress(zlib.decompress(body, 31)[:-1] + b"\x07")
        except zlib.error:
            return data
    return data


def damaged(data, random_numbers):
    """Returns the content changed in one to four places."""
    data = bytearray(data)
    for _ in range(random_numbers.choice([1, 1, 1, 2, 4])):
        at = random_numbers.randrange(max(len(data), 1))
        if random_numbers.random() < 0.4:
            at = min(at, random_numbers.randrange(400))  # headers are where most can go wrong
        kind = random_numbers.randrange(8)
        if kind == 0:
            data[at:at + 1] = bytes([random_numbers.randrange(256)])
        elif kind == 1 and data:
            data[min(at, len(data) - 1)] ^= 1 << random_numbers.randrange(8)
        elif kind == 2:
            del data[at:]
        elif kind == 3:
            del data[at:at + random_numbers.choice([1, 4, 64, 1000])]
        elif kind == 4:
            data[at:at] = data[at:at + random_numbers.choice([1, 4, 64, 1000])]
        elif kind == 5:
            size = random_numbers.choice([1, 2, 4, 8])
            data[at:at + size] = (random_numbers.choice(WORDS) & (1 << 8 * size) - 1).to_bytes(size, "little")
        elif kind == 6:
            end = at
            while end < len(data) and data[end] in b"0123456789.-+e":
                end += 1
            data[at:end] = random_numbers.choice(NUMBERS)
        else:
            data[at:at + 4] = struct.pack("<f", random_numbers.choice([float("nan"), float("inf"), -1e30, 1e-40]))
    return bytes(data)


def limits():
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 30, 1 << 30))


def result_of(command, folder):
    """Runs a command and returns its exit code, None if it took too long, with what it said and its memory."""
    with open(folder / "said", "wb") as said:
        child = subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=said, stderr=said, preexec_fn=limits,
                                 env=os.environ | {"NO_COLOR": "1"})
        timer = subprocess.Popen(["sleep", str(SECONDS)])
        code = None
        while code is None:
            ended, status, usage = os.wait4(-1, 0)
            if ended == child.pid:
                code = os.waitstatus_to_exitcode(status)
                child.returncode = code
            elif ended == timer.pid:
                timer.returncode = 0
                child.kill()
                os.waitpid(child.pid, 0)
                child.returncode = -9
                return None, (folder / "said").read_bytes(), 0
        timer.kill()
        timer.wait()
    return code, (folder / "said").read_bytes(), usage.ru_maxrss * 1024


def faults_of(code, said, memory, size, output, programs):
    if code is None:
        yield f"took more than {SECONDS} s"
        return
    if code not in (0, 1, 2):
        yield f"exited with {code}"
    if memory > MEMORY + MEMORY_FACTOR * size:
        yield f"took {memory >> 20} MiB of memory for {size} bytes"
    if any(byte < 32 and byte not in b"\n\t" or byte == 127 for byte in said):
        yield "printed control characters"
    if code in (1, 2) and b"error: " not in said:
        yield "failed without a reason"
    if output and code != 0 and output.exists():
        yield f"left {output.name} although it failed"
    if output and code == 0 and not output.exists():
        yield f"exited with 0 without writing {output.name}"
    if output and code == 0 and output.suffix == ".h5":
        verified = subprocess.run([programs / "vox-convert", "--verify", output], capture_output=True, stdin=subprocess.DEVNULL)
        if verified.returncode != 0:
            yield f"wrote a file that --verify refuses: {verified.stderr.decode(errors='replace').strip()}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", type=int)
    parser.add_argument("seed", type=int, nargs="?", default=1)
    parser.add_argument("--bin", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parents[1] / "build/release")
    parser.add_argument("--keep", type=pathlib.Path)
    options = parser.parse_args()
    programs = options.bin.resolve()
    bad = 0
    codes = {}
    with tempfile.TemporaryDirectory() as folder:
        corpus = Corpus(pathlib.Path(folder), programs)
        for number in range(-len(corpus.runs), options.runs):  # before all others, each run once with a sound file
            random_numbers = random.Random(options.seed * 1_000_003 + number)
            run = random_numbers.choice(corpus.runs) if number >= 0 else corpus.runs[number]
            name, output = run[0], run[3]
            data = (corpus.folder / name).read_bytes()
            if number >= 0:
                data = damaged(data, random_numbers)
                if random_numbers.random() < 0.5:
                    data = repaired(data, name)
            target = corpus.folder / ("t" + name)
            target.write_bytes(data)
            tool, given = corpus.command(run)
            command = [programs / tool] + [{"NAME": target.name, "OUT": output}.get(word, word) for word in given] + ["-q"]
            code, said, memory = result_of(command, corpus.folder)
            if number >= 0:
                codes[code] = codes.get(code, 0) + 1
            elif code != 0:
                sys.exit(f"a sound file is refused: {' '.join(str(word) for word in command)}\n  {said[-300:]!r}")
            written = corpus.folder / output if output else None
            for fault in faults_of(code, said, memory, len(data), written, programs):
                bad += 1
                print(f"run {number}: {fault}\n  {' '.join(str(word) for word in command)}\n  {said[-300:]!r}", flush=True)
                if options.keep:
                    options.keep.mkdir(parents=True, exist_ok=True)
                    shutil.copy(target, options.keep / f"{options.seed}-{number}-{name}")
            for left in corpus.folder.glob("out*"):
                left.unlink()
            target.unlink()
            beside = [path.name for path in corpus.folder.iterdir() if path.name.startswith((".", "out"))]
            if beside:
                bad += 1
                print(f"run {number}: left {', '.join(beside)} behind\n  {' '.join(str(word) for word in command)}", flush=True)
                for path in beside:
                    (corpus.folder / path).unlink()
    print(f"{options.runs} runs with seed {options.seed}: exit codes {codes}, {bad} faults")
    sys.exit(bad > 0)


if __name__ == "__main__":
    main()
