#!/usr/bin/env python3
"""Runs tools that write to disks of every size up to what they need, and to a disk that cannot be written.

    unshare -rm tests/full_disk.py [STEPS] [--bin build/release]

The disks are tmpfs, which only this process and its children see. At each of STEPS sizes (8 unless given) a tool replaces an
earlier result. It must exit with 0 and leave the new result, or with 1 and an error that names a file, with the earlier result as it
was and no temporary file.
"""

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

COMMANDS = [
    "vox-convert ball.obj --res 256 -o disk/a.h5 -q",
    "vox-convert scene.h5 -o disk/a.nvdb -q",
    "vox-convert scene.h5 -o disk/a.vox -q",
    "vox-convert scene.h5 -o disk/a.glb -q",
    "vox-edit scene.h5 --script edit.txt -o disk/a.h5 -q",
    "vox-render scene.h5 --size 320x240 -o disk/a.png -q",
    "vox-render scene.h5 --html disk/a.html -q",
    "vox-stats scene.h5 --only levels -o disk/a.h5 -q",
]


def files_of(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def mounted(folder, *options):
    subprocess.run(["mount", *options, str(folder)], check=True)


def faults_of(command, disk, programs, size, before):
    """Mounts a disk of a size in bytes (None: one that cannot be written) with the files before, and yields what is wrong."""
    mounted(disk, "-t", "tmpfs", "-o", f"size={size or 1 << 30}", "tmpfs")
    try:
        for name, content in before.items():
            (disk / name).write_bytes(content)
        if size is None:
            mounted(disk, "-o", "remount,ro")
        words = command.split()
        ended = subprocess.run([programs / words[0], *words[1:]], cwd=disk.parent, capture_output=True, stdin=subprocess.DEVNULL)
        said, after = ended.stderr.decode(errors="replace"), files_of(disk)
        if ended.returncode == 0 and (size is None or len(after) != 1):
            yield "exits with 0"
        if ended.returncode != 0 and (ended.returncode != 1 or f"error: {words[words.index('-q') - 1]}" not in said):
            yield f"exits with {ended.returncode}: {said.strip()}"
        if ended.returncode != 0 and after != before:
            yield f"leaves {sorted(after)}"
    finally:
        subprocess.run(["umount", str(disk)], check=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("steps", type=int, nargs="?", default=8)
    parser.add_argument("--bin", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parents[1] / "build/release")
    options = parser.parse_args()
    programs, bad, runs = options.bin.resolve(), 0, 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        disk = folder / "disk"
        disk.mkdir()
        for made in ("vox-scene bumpy-sphere --triangles 20000 --texture-size 16 -o ball.obj -q",
                     "vox-convert ball.obj --res 256 -o scene.h5 -q"):
            subprocess.run([programs / made.split()[0], *made.split()[1:]], cwd=folder, check=True)
        (folder / "edit.txt").write_text("sphere add center 40,40,40 radius 20 material 1\n")
        for command in COMMANDS:
            words = command.split()
            subprocess.run([programs / words[0], *words[1:]], cwd=folder, check=True, capture_output=True)
            before = files_of(disk)  # the earlier result; the new one needs as much again while it is written
            for path in disk.iterdir():
                path.unlink()
            old = sum(len(content) for content in before.values())
            sizes = [old + 8192 + (old + 65536) * step // options.steps for step in range(options.steps + 1)]
            for size in [*sizes, None]:
                runs += 1
                for fault in faults_of(command, disk, programs, size, before):
                    bad += 1
                    print(f"{command} on a disk of {size} bytes: {fault}", flush=True)
    print(f"{runs} runs: {bad} faults")
    sys.exit(bad > 0)


if __name__ == "__main__":
    if os.geteuid() != 0:
        sys.exit("only root can mount: unshare -rm tests/full_disk.py")
    main()
