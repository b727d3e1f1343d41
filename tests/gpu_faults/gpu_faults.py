#!/usr/bin/env python3
"""Fails the calls of CUDA's driver one after the other, while tools run on a GPU.

    tests/gpu_faults/gpu_faults.py [RUNS] [--bin build/release] [--driver /usr/lib/x86_64-linux-gnu/libcuda.so.1]

A library between the tools and the driver (cuda_driver.c) makes up: no memory at the n-th request, a device that is lost at the
n-th call, one failed call of any kind, a device that other programs have, a driver that is too old, and no device. For each kind and
tool, RUNS numbers n (12 unless given) are spread over all calls. With --device cuda a tool must exit with 1 and an error, and leave an
earlier result as it was; where the failure came too late to matter, or could be mended, it exits with 0 and the result is that of a
run without failures. With --device auto it must use the processor if the GPU cannot be used from the start.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile

COMMANDS = [
    "vox-convert ball.obj --res 512 -o OUT.h5 --force -q",
    "vox-convert ball.obj --res 512 --materials colors -o OUT.h5 --force -q",
    "vox-convert scene.h5 --verify -q",
    "vox-edit scene.h5 --script edit.txt -o OUT.h5 --force -q",
    "vox-render scene.h5 --size 320x240 -o OUT.png --force -q",
    "vox-stats scene.h5 --only scene,levels,compression -q",
]

OUT_OF_MEMORY, NOT_INITIALIZED, NO_DEVICE, UNAVAILABLE, LAUNCH_FAILED = 2, 3, 100, 46, 719
KINDS = {  # name: calls, error, whether it stays
    "no memory": ("cuMemAlloc,cuMemHostAlloc,cuMemCreate,cuMemMap", OUT_OF_MEMORY, False),
    "lost": ("", LAUNCH_FAILED, True),
    "one call": ("cuLaunch,cuMemcpy,cuMemset,cuStreamSync,cuEvent,cuLibrary,cuModule,cuKernel,cuFunc", LAUNCH_FAILED, False),
}
FROM_THE_START = {  # name: settings
    "no device": {"VOX_FAIL_CALLS": "cuInit", "VOX_FAIL_WITH": NO_DEVICE, "VOX_FAIL_AT": 1, "VOX_FAIL_STAYS": 1},
    "busy": {"VOX_FAIL_CALLS": "cuDevicePrimaryCtxRetain,cuCtxCreate", "VOX_FAIL_WITH": UNAVAILABLE, "VOX_FAIL_AT": 1,
             "VOX_FAIL_STAYS": 1},
    "old driver": {"VOX_FAIL_VERSION": 11040},
}
LIMIT = 120  # seconds


def environment(options, settings):
    return {**os.environ, "LD_LIBRARY_PATH": str(options.library), "VOX_DRIVER": options.driver,
            **{name: str(value) for name, value in settings.items()}}


def pixels_of(png):
    """The packed pixels of a PNG; other parts of it name the run that made it."""
    at, pixels = 8, b""
    while at < len(png):
        (size,) = struct.unpack(">I", png[at:at + 4])
        if png[at + 4:at + 8] == b"IDAT":
            pixels += png[at + 8:at + 8 + size]
        at += 12 + size
    return pixels


def content_of(options, path):
    """What a result holds: the digest of a scene, the pixels of a picture."""
    if path.suffix != ".h5":
        return pixels_of(path.read_bytes())
    verified = subprocess.run([options.bin / "vox-convert", path, "--verify", "--device", "cpu", "--json"], capture_output=True)
    return json.loads(verified.stdout)["digest"] if verified.returncode == 0 else "damaged"


def run(options, folder, command, device, settings, name):
    """Runs a command that replaces the result NAME.…; returns its exit status, stderr, and what the result then holds: None for the
    earlier one, and for commands without a result what they print."""
    words = command.replace("OUT", name).split() + ["--device", device]
    out = folder / words[words.index("-o") + 1] if "-o" in words else None
    if out:
        out.write_text("earlier")
    try:
        ended = subprocess.run([options.bin / words[0], *words[1:]], cwd=folder, capture_output=True, timeout=LIMIT,
                               env=environment(options, settings), stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        return "no end", "", None
    said = ended.stderr.decode(errors="replace").strip()
    if not out:
        return ended.returncode, said, ended.stdout if ended.returncode == 0 else None
    earlier = out.read_bytes() == b"earlier"
    return ended.returncode, said, None if earlier else content_of(options, out)


def fault_of(options, folder, command, kind, settings, number, device, expected):
    """Returns what is wrong, or None, and how the run ended."""
    name = f"r{number}"
    status, said, result = run(options, folder, command, device, settings, name)
    left = [path.name for path in folder.iterdir() if path.name.startswith(name) and "." not in path.name]
    for path in folder.glob(name + ".*"):
        path.unlink()
    where = f"{command} ({kind}, {device}, {settings.get('VOX_FAIL_AT', '')})"
    if status == 1 and device == "cuda" and "error:" in said and result is None and not left:
        return None, "failed"
    if status == 0 and (device == "auto" or kind in KINDS) and result == expected:
        return None, "succeeded"
    return f"{where}: status {status}, {'old' if result is None else 'new'} result: {said}", "wrong"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", type=int, nargs="?", default=12)
    parser.add_argument("--bin", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parents[2] / "build/release")
    parser.add_argument("--driver", default="/usr/lib/x86_64-linux-gnu/libcuda.so.1")
    parser.add_argument("-j", "--jobs", type=int, default=os.cpu_count() // 2 or 1)
    options = parser.parse_args()
    options.bin = options.bin.resolve()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        options.library = folder / "driver"
        options.library.mkdir()
        subprocess.run(["cc", "-O1", "-shared", "-fPIC", "-o", options.library / "libcuda.so.1",
                        pathlib.Path(__file__).with_name("cuda_driver.c"), "-ldl", "-lpthread"], check=True)
        for made in ("vox-scene bumpy-sphere --triangles 20000 --texture-size 256 -o ball.obj -q",
                     "vox-convert ball.obj --res 512 -o scene.h5 -q --device cpu"):
            subprocess.run([options.bin / made.split()[0], *made.split()[1:]], cwd=folder, check=True)
        (folder / "edit.txt").write_text("sphere add center 200,200,200 radius 60 material 1\n")
        work, expected = [], {}
        for command in COMMANDS:
            for kind, (calls, error, stays) in KINDS.items():
                settings = {"VOX_FAIL_CALLS": calls, "VOX_FAIL_COUNT": folder / "count"}
                status, said, expected[command] = run(options, folder, command, "cuda", settings, "count")
                if status != 0:
                    sys.exit(f"{command} fails by itself: {said}")
                total = int((folder / "count").read_text())
                (folder / "count").unlink()
                for at in sorted({1 + (total - 1) * i // max(1, options.runs - 1) for i in range(options.runs)}):
                    work.append((command, kind, {"VOX_FAIL_CALLS": calls, "VOX_FAIL_WITH": error, "VOX_FAIL_AT": at,
                                                 "VOX_FAIL_STAYS": int(stays)}, "cuda"))
            for kind, settings in FROM_THE_START.items():
                work += [(command, kind, settings, device) for device in ("cuda", "auto")]
        ends = {}
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            jobs = [pool.submit(fault_of, options, folder, command, kind, settings, i, device, expected[command])
                    for i, (command, kind, settings, device) in enumerate(work)]
            for (command, kind, settings, device), job in zip(work, jobs):
                fault, end = job.result()
                key = (kind, device, end)
                ends[key] = ends.get(key, 0) + 1
                if fault:
                    print(fault, flush=True)
        left = sorted(path.name for path in folder.iterdir() if path.name[0] in "r." )
        for (kind, device, end), count in sorted(ends.items()):
            print(f"{kind}, {device}: {count} {end}")
        wrong = sum(count for (_, _, end), count in ends.items() if end == "wrong")
        print(f"{len(work)} runs: {wrong} faults" + (f"; left: {', '.join(left)}" if left else ""))
        sys.exit(wrong > 0 or bool(left))


if __name__ == "__main__":
    main()
