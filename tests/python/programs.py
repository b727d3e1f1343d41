"""Scenes and volumes for the tests of tools/python, made by the programs in the folder that VOX_BIN names."""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest

SKIPPED = 77  # the exit code that ctest takes for a skipped test

try:
    import h5py
    import numpy as np
except ImportError as missing:
    print(missing)
    sys.exit(SKIPPED)

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
sys.path.insert(0, os.path.join(ROOT, "tools/python"))
sys.dont_write_bytecode = True

DEVICE = os.environ.get("VOX_TEST_DEVICE", "cpu")
TRIANGLE_COLORS = "#c03020 #20a040 #3050c0 #d0d0d0 #101010"


def soup(triangles, seed=1):
    """Returns vertices and faces of random triangles."""
    random = np.random.default_rng(seed)
    vertices = random.random((triangles, 1, 3)) * 10 + random.random((triangles, 3, 3))
    return vertices.reshape(-1, 3), np.arange(3 * triangles).reshape(-1, 3)


class ProgramTest(unittest.TestCase):
    """A test with a folder of its own, which is the current folder of all programs."""

    @classmethod
    def setUpClass(cls):
        if "VOX_BIN" not in os.environ:
            raise unittest.SkipTest("VOX_BIN names no folder")
        cls._folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls._folder.cleanup)
        cls.make()

    @classmethod
    def make(cls):
        """Makes the files that all tests of the class read."""

    @classmethod
    def path(cls, name):
        return os.path.join(cls._folder.name, name)

    @classmethod
    def run_program(cls, program, *arguments):
        """Returns the program's output."""
        command = [os.path.join(os.path.abspath(os.environ["VOX_BIN"]), program), *arguments]
        done = subprocess.run(command, cwd=cls._folder.name, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise AssertionError(f"{' '.join(command)}: {done.stderr}")
        return done.stdout

    @classmethod
    def convert(cls, *arguments):
        return cls.run_program("vox-convert", *arguments, "-q")

    @classmethod
    def write_mesh(cls, name="mesh.obj"):
        """Writes a wavy surface of colored triangles."""
        colors = TRIANGLE_COLORS.split()
        with open(cls.path("mesh.mtl"), "w", encoding="utf-8") as file:
            for i, color in enumerate(colors):
                red, green, blue = (int(color[at:at + 2], 16) / 255 for at in (1, 3, 5))
                file.write(f"newmtl m{i}\nKd {red} {green} {blue}\n")
        side = 12
        with open(cls.path(name), "w", encoding="utf-8") as file:
            file.write("mtllib mesh.mtl\n")
            for i in range(side * side):
                x, z = i % side, i // side
                file.write(f"v {x} {3 + 2 * np.sin(x) + np.cos(2 * z)} {z}\n")
            for z in range(side - 1):
                for x in range(side - 1):
                    a = 1 + x + side * z
                    file.write(f"usemtl m{(x // 2 + z // 3) % len(colors)}\nf {a} {a + side} {a + 1}\n"
                               f"f {a + 1} {a + side} {a + side + 1}\n")

    @classmethod
    def exported(cls, scene):
        """Returns the scene's voxels by x, y, z as vox-convert exports them: 0 or material + 1."""
        cls.convert(scene, "-o", "export.nrrd", "--force")
        with open(cls.path("export.nrrd"), "rb") as file:
            header, _, values = file.read().partition(b"\n\n")
        sizes = next(line for line in header.decode().splitlines() if line.startswith("sizes:"))
        return np.frombuffer(values, np.uint8).reshape([int(n) for n in sizes.split()[1:]], order="F")


def node_words(file, level, words, at):
    """Returns the number of words of the node at this word."""
    if level < int(file["scene"].attrs["depth"]):
        return 1 + bin(words[at] & 255).count("1")
    filled = bin(words[at]).count("1") + bin(words[at + 1]).count("1")
    return 2 + (filled + 7) // 8 * (file["scene"].attrs["material_bits"] > 0)


def node_starts(file, level, words):
    """Returns the words at which the nodes of a level begin."""
    at, starts = 0, []
    while at < len(words):
        starts.append(int(at))
        at += node_words(file, level, words, at)
    return starts


def mix64(x):
    x = (x ^ (x >> np.uint64(33))) * np.uint64(0xff51afd7ed558ccd)
    x = (x ^ (x >> np.uint64(33))) * np.uint64(0xc4ceb9fe1a85ec53)
    return x ^ (x >> np.uint64(33))


def check_of(part):
    """Returns the sum over all words of a part that docs/formats.md describes."""
    levels = [group["words"] for _, group in sorted(part["svdag"].items())]
    check = np.array([len(levels)], np.uint64)  # arrays wrap around without a warning
    for words in levels:
        numbers = np.arange(1, len(words) + 1, dtype=np.uint64)
        values = words[()].astype(np.uint64) | np.uint64(1 << 32)
        total = np.sum(mix64(numbers) * values, dtype=np.uint64)
        check = mix64(check ^ total) + words.attrs["first"]
    return check[0]


def write_in_parts(source, head, count):
    """Writes a scene as a head and parts, following docs/formats.md."""
    folder, base = os.path.splitext(head)[0] + ".parts", os.path.dirname(head)
    os.makedirs(folder, exist_ok=True)
    names = [f"{os.path.basename(folder)}/{i:03}.h5" for i in range(count)]
    parts = [h5py.File(os.path.join(base, name), "w") for name in names]
    with h5py.File(source) as file, h5py.File(head, "w") as to:
        to.attrs.update(file.attrs)
        for name in set(file) - {"svdag"}:
            file.copy(name, to)
        to["svdag/parts/file"] = np.array(names, "S")
        for part in parts:
            part.attrs["format"], part.attrs["version"] = np.bytes_("vox-scene-part"), np.uint32(2)
        for level, (group, item) in enumerate(sorted(file["svdag"].items())):
            words = item["words"][()]
            starts = node_starts(file, level, words.tolist())
            layout, path = h5py.VirtualLayout((len(words),), "<u4"), f"svdag/{group}/words"
            for i, part in enumerate(parts):
                first, end = len(starts) * i // count, len(starts) * (i + 1) // count
                begin, last = (starts + [len(words)])[first], (starts + [len(words)])[end]
                part[path] = words[begin:last]
                part[path].attrs["first"], part[path].attrs["nodes"] = np.uint64(first), np.uint64(end - first)
                part[f"svdag/{group}/starts"] = np.array(
                    [start - begin for n, start in enumerate(starts[first:end], first) if n % 4096 == 0], "<u8")
                if last > begin:
                    layout[begin:last] = h5py.VirtualSource(names[i], path, (last - begin,))
            to.create_virtual_dataset(path, layout)
            to[path].attrs.update(item["words"].attrs)
            item.copy("starts", to[f"svdag/{group}"])
        checks = np.array([check_of(part) for part in parts], "<u8")
        to["svdag/parts/check"] = checks
        for part, check in zip(parts, checks):
            part.attrs["check"] = check
    for part in parts:
        part.close()


def write_long_numbers(source, to):
    """Writes a scene with child indices of 8 bytes, following docs/formats.md."""
    shutil.copy(source, to)
    with h5py.File(to, "r+") as file:
        for level in range(int(file["scene"].attrs["depth"])):
            group = file[f"svdag/level_{level:02}"]
            old, attributes = group["words"][()].tolist(), dict(group["words"].attrs)
            ends, words, starts = node_starts(file, level, old) + [len(old)], [], []
            for number, (begin, end) in enumerate(zip(ends, ends[1:])):
                starts += [len(words)] if number % 4096 == 0 else []
                words += old[begin:begin + 1] + [half for child in old[begin + 1:end] for half in (child, 0)]
            del group["words"], group["starts"]
            group["words"], group["starts"] = np.array(words, "<u4"), np.array(starts, "<u8")
            group["words"].attrs.update(attributes | {"child_bytes": np.uint32(8)})


def place_of(file, level, pointer):
    """Returns the word at which a pointer's node begins. In version 2 it searches from the last start before the node."""
    if file.attrs["version"] == 1:
        return pointer
    group = file[f"svdag/level_{level:02}"]
    at = int(group["starts"][pointer // 4096])
    words = group["words"][at:at + 10 * (pointer % 4096 + 1)].tolist()
    step = 0
    for _ in range(pointer % 4096):
        step += node_words(file, level, words, step)
    return at + int(step)


def voxel(file, x, y, z):
    """Returns 0 or material + 1 of a voxel, node by node, following docs/formats.md."""
    depth, at = int(file["scene"].attrs["depth"]), 0
    for level in range(depth):
        words = file[f"svdag/level_{level:02}/words"]
        shift = depth - level + 1
        child = (x >> shift & 1) | (y >> shift & 1) << 1 | (z >> shift & 1) << 2
        header = int(words[at])
        if not header >> child & 1:
            return 0
        at = place_of(file, level + 1, int(words[at + 1 + bin(header & (1 << child) - 1).count("1")]))
    leaf = [int(word) for word in file[f"svdag/level_{depth:02}/words"][at:at + 10]]
    bit = (x & 1) | (y & 1) << 1 | (z & 1) << 2 | (x & 2) << 2 | (y & 2) << 3 | (z & 2) << 4
    mask = leaf[0] | leaf[1] << 32
    if not mask >> bit & 1:
        return 0
    if file["scene"].attrs["material_bits"] == 0:
        return 1
    rank = bin(mask & (1 << bit) - 1).count("1")
    return 1 + (leaf[2 + rank // 8] >> rank % 8 * 4 & 15)


def leaves_of(file):
    """Returns (corner, mask) of every leaf, node by node, in Morton order."""
    depth = int(file["scene"].attrs["depth"])
    levels = [file[f"svdag/level_{level:02}/words"][()].tolist() for level in range(depth + 1)]
    places = []  # for each level, the nodes' words by pointer
    for level, words in enumerate(levels):
        starts = node_starts(file, level, words)
        places.append({start: start for start in starts} if file.attrs["version"] == 1 else starts)

    def below(level, at, corner):
        words = levels[level]
        if level == depth:
            yield corner, words[at] | words[at + 1] << 32
            return
        place, half = at, 2 << (depth - level)
        for child in range(8):
            if words[at] >> child & 1:
                place += 1
                step = (half * (child & 1), half * (child >> 1 & 1), half * (child >> 2))
                yield from below(level + 1, places[level + 1][words[place]], tuple(a + b for a, b in zip(corner, step)))

    return list(below(0, 0, (0, 0, 0)))


def joined(parts):
    """Joins chunks by joining each of their arrays."""
    return [np.concatenate(arrays) for arrays in zip(*parts)]


__all__ = ["ProgramTest", "ROOT", "h5py", "joined", "leaves_of", "np", "unittest", "voxel", "write_in_parts",
           "write_long_numbers"]
