#!/usr/bin/env python3
"""Measures whether the tools keep to --memory-limit.

    tests/memory.py [--bin build/release] [--limits 64M,128M,256M] [--large] [--only NAME] [--all]

Runs each tool on each kind of input with each limit, on the CPU. The largest resident memory of the process and its children
must be at most the limit, a tenth of it and 64 MB. A run may refuse its work with exit code 1 and a message about memory
instead, but not take more. What takes more is listed, --all lists every run; --large makes inputs four times as large, so that
more of the runs do not fit. Runs that are known to take more than they should (docs/security.md) are counted apart.
"""

import argparse
import os
import pathlib
import resource
import struct
import subprocess
import sys
import tempfile
import threading

MARGIN = 64 << 20
# The part of the name of runs whose memory grows with their input, for the reason that docs/security.md gives.
KNOWN = ()


def cases(large):
    triangles, res, side, points = ("1600K", "4K", 320, 3_000_000) if large else ("400K", "2K", 200, 800_000)
    small = "1K"
    inputs = {
        "mesh": ("ball.glb",), "obj": ("ball.obj",), "points": ("cloud.xyz",), "splats": ("cloud.splat",),
        "volume": ("ct.raw", "--dims", f"{side},{side},{side}", "--type", "u8"), "scene": ("scene.h5",)}
    grid = {"mesh": res, "obj": res, "points": small, "splats": "256", "scene": small}
    for kind, words in inputs.items():
        size = ["--res", grid[kind]] if kind in grid else []
        yield f"convert {kind}", ["vox-convert", *words, *size, "-o", "out.h5"]
    yield "convert mesh, colors", ["vox-convert", "ball.glb", "--res", res, "--materials", "colors", "-o", "out.h5"]
    yield "convert mesh, solid", ["vox-convert", "ball.glb", "--res", res, "--solid", "-o", "out.h5"]
    yield "convert mesh, closed", ["vox-convert", "ball.glb", "--res", small, "--solid", "--close", "2", "-o", "out.h5"]
    yield "dithered colors", ["vox-convert", "colors.h5", "--materials", "palette", "--dither", "-o", "out.h5"]
    yield "convert mesh, bricks", ["vox-convert", "ball.glb", "--res", small, "--structure", "svdag,bricks", "-o", "out.h5"]
    yield "convert mesh, hash", ["vox-convert", "ball.glb", "--res", small, "--structure", "hash", "-o", "out.h5"]
    yield "convert mesh, spilled", ["vox-convert", "ball.glb", "--res", res, "--spill", ".", "-o", "out.h5"]
    yield "convert volume to svdag", ["vox-convert", *inputs["volume"], "--structure", "svdag", "-o", "out.h5"]
    yield "clip a scene", ["vox-convert", "scene.h5", "--clip", "-1,-1,-1,0.2,2,2", "-o", "out.h5"]
    for end in ("nrrd", "npz", "vox", "binvox", "glb", "ply", "obj", "nvdb", "vl32", "vtkhdf", "svdag", "basic_dag.dag.bin"):
        yield f"export {end}", ["vox-convert", "small.h5" if end in ("nrrd", "binvox", "vox", "glb", "ply", "obj") else "scene.h5",
                                "-o", f"out.{end}"]
    yield "edit a scene", ["vox-edit", "scene.h5", "--script", "edit.txt", "-o", "out.h5"]
    yield "edit a volume", ["vox-edit", "ct.h5", "--script", "ct.txt", "-o", "out.h5"]
    yield "picture of a scene", ["vox-render", "scene.h5", "--size", "640x480", "-o", "out.png"]
    yield "picture of a volume", ["vox-render", "ct.h5", "--size", "640x480", "-o", "out.png"]
    yield "page", ["vox-render", "scene.h5", "--html", "out.html"]
    yield "streamed page", ["vox-render", "scene.h5", "--html", "out", "--stream"]
    yield "stats", ["vox-stats", "scene.h5", "-o", "out.h5"]
    yield "stats page", ["vox-stats", "scene.h5", "--only", "scene,levels,materials", "--html", "out.html"]
    yield "two scenes compared", ["vox-stats", "scene.h5", "--against", "other.h5", "-o", "out.h5"]
    yield "verify", ["vox-convert", "--verify", "scene.h5"]


def make_inputs(folder, programs, large):
    run = lambda *words: subprocess.run([programs / words[0], *words[1:], "-q"], cwd=folder, check=True, stdin=subprocess.DEVNULL)
    triangles, res, side, points = ("1600K", "4K", 320, 3_000_000) if large else ("400K", "2K", 200, 800_000)
    run("vox-scene", "bumpy-sphere", "--triangles", triangles, "-o", "ball.glb")
    run("vox-scene", "bumpy-sphere", "--triangles", triangles, "-o", "ball.obj")
    run("vox-convert", "ball.glb", "--res", res, "-o", "scene.h5")
    run("vox-convert", "ball.glb", "--res", "1K", "--materials", "colors", "-o", "colors.h5")
    run("vox-convert", "ball.glb", "--res", res, "--coverage", "thin", "-o", "other.h5")
    run("vox-convert", "ball.glb", "--res", "512", "-o", "small.h5")
    with open(folder / "cloud.xyz", "w") as file:
        for i in range(points):
            file.write(f"{i * 7919 % 10007} {i * 104729 % 9973} {i * 31 % 9949} {i % 256} 10 20\n")
    with open(folder / "cloud.splat", "wb") as file:
        for i in range(points // 20):
            file.write(struct.pack("<6f8B", i * 7919 % 10007, i * 104729 % 9973, i * 31 % 9949, 30, 20, 40, 200, i % 256, 30, 250,
                                   255, 128, 140, 128))
    row = bytes((i * i // 97) % 251 for i in range(side * side))
    with open(folder / "ct.raw", "wb") as file:
        for i in range(side):
            file.write(row[i:] + row[:i])
    run("vox-convert", "ct.raw", "--dims", f"{side},{side},{side}", "--type", "u8", "-o", "ct.h5")
    (folder / "edit.txt").write_text("".join(f"sphere add center {90 * i},{70 * i},{80 * i} radius 60 material 1\n" for i in range(20)))
    (folder / "ct.txt").write_text("set 7 in box min 10,10,10 max 90,90,90\n")


def peak_of(command, folder):
    """Runs a command and returns its exit code, its stderr, and the largest memory of it or of one of its children."""
    with open(folder / "said", "wb") as said:
        child = subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=said)
        timer = threading.Timer(300, child.kill)
        timer.start()
        _, status, usage = os.wait4(child.pid, 0)
        timer.cancel()
        child.returncode = os.waitstatus_to_exitcode(status)
    return child.returncode, (folder / "said").read_text(errors="replace"), usage.ru_maxrss * 1024, usage.ru_utime + usage.ru_stime


def bytes_of(text):
    return int(text[:-1]) << {"K": 10, "M": 20, "G": 30}[text[-1]]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parents[1] / "build/release")
    parser.add_argument("--limits", default="64M,128M,256M")
    parser.add_argument("--large", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--all", action="store_true")
    options = parser.parse_args()
    programs = options.bin.resolve()
    runs = over = known = refused = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        make_inputs(folder, programs, options.large)
        for title, command in cases(options.large):
            if options.only not in title:
                continue
            for limit in options.limits.split(","):
                words = [programs / command[0], *command[1:], "--memory-limit", limit, "--device", "cpu", "--force", "-q"]
                if "--verify" in command:
                    words.remove("--force")
                code, said, peak, seconds = peak_of(words, folder)
                runs += 1
                refused += code == 1 and "memory" in said
                most = bytes_of(limit) * 1.1 + MARGIN
                text = f"{title}, --memory-limit {limit}: exit {code}, {peak / 2**20:.0f} MiB of {most / 2**20:.0f}, {seconds:.1f} s"
                if code == 1 and "memory" not in said or code not in (0, 1):
                    print(f"{text}: {said.strip()[-300:]}", flush=True)
                    over += 1
                elif peak > most and any(part in title for part in KNOWN):
                    known += 1
                    print(f"known: {text}", flush=True)
                elif peak > most:
                    over += 1
                    print(text, flush=True)
                elif options.all:
                    print(f"{text}{': ' + said.strip()[-200:] if code else ''}", flush=True)
    print(f"{runs} runs, of which {refused} were refused for lack of memory: {known} take more than they should and are known, {over} others")
    sys.exit(over > 0)


if __name__ == "__main__":
    main()
