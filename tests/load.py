#!/usr/bin/env python3
"""Uses the tools for a while as many users at once do, and checks that nothing grows.

    tests/load.py [SECONDS] [--bin build/release] [--workers 4] [--devices cpu,cuda]

Conversions, edits with collections of garbage and undo, pages and films run side by side for this time (60 s): each exits with 0
and writes the same bytes as the first of its kind, and the memory that it takes stays the same. With several devices, the
workers take turns on them. Then, on the first device,
  - one process makes many edits: its memory and its open files are the same in the last third as in the first;
  - one process makes conversions by the Python module, if numpy is there: the same;
  - 48 stamps each replace the whole scene within a limit of memory, and the last one is what is left;
  - readers always see one of two scenes while two writers keep replacing their file.
At the end no temporary file is left. Prints the figures, and exits with 1 if one of them is not as it should be.
"""

import argparse
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
GROWTH = 1.25  # the most that memory may vary between runs of one kind
SLACK = 24 << 20

# Made in a process of its own, with the number of conversions, the seconds and the device as arguments.
CONVERSIONS = """
import os, sys, time
import numpy as np
import vox
random = np.random.default_rng(1)
vertices, faces = random.random((3000, 3)) * 10, np.arange(3000).reshape(-1, 3)
end, digests, rows = time.monotonic() + float(sys.argv[2]), set(), []
for number in range(int(sys.argv[1])):
    digests.add(vox.voxelize(vertices, faces, res=128, device=sys.argv[3]).digest)
    memory = int(open("/proc/self/statm").read().split()[1]) * os.sysconf("SC_PAGESIZE")
    rows.append((memory, len(os.listdir("/proc/self/fd"))))
    if time.monotonic() > end: break
assert len(digests) == 1
for row in rows: print(*row)
"""


class Load:
    def __init__(self, folder, programs, seconds, devices):
        self.folder, self.programs, self.seconds, self.devices = folder, programs, seconds, devices
        self.faults, self.lock = 0, threading.Lock()
        self.first, self.memory = {}, {}
        (folder / "tmp").mkdir()
        self.environment = os.environ | {"SOURCE_DATE_EPOCH": "1700000000", "TMPDIR": str(folder / "tmp")}
        self.make_inputs()

    def make_inputs(self):
        self.sound("vox-scene", "bumpy-sphere", "--triangles", "20K", "--texture-size", "64", "-o", "ball.glb")
        self.sound("vox-convert", "ball.glb", "--res", "256", "-o", "ball.h5")
        self.sound("vox-convert", "ball.glb", "--res", "256", "--coverage", "thin", "-o", "thin.h5")
        (self.folder / "edits.txt").write_text(
            "gc every 20\nrepeat 100 step 1,1,1 jitter 60 seed 5\nsphere add center 60,90,70 radius 7 material 1\nend\nundo 3\ngc\n")
        lines = ["gc every 50\n"]
        for number in range(100):  # undone again, so that all rounds do the same
            lines.append(f"repeat 100 jitter 90 seed {number % 4}\nsphere add center 128,128,128 radius 5 material 1\nend\nundo 100\n")
        (self.folder / "many.txt").write_text("".join(lines))
        (self.folder / "stamps.txt").write_text("".join(f"stamp {('ball.h5', 'thin.h5')[number % 2]} at 0,0,0\n" for number in range(48)))

    def sound(self, *words):
        done = subprocess.run([self.programs / words[0], *words[1:], "-q"], cwd=self.folder, stdin=subprocess.DEVNULL,
                              capture_output=True, env=self.environment)
        if done.returncode != 0:
            sys.exit(f"{' '.join(words)} fails: {done.stderr.decode()}")
        return done.stdout

    def fault(self, text):
        with self.lock:
            self.faults += 1
            print("FAULT:", text, flush=True)

    def start(self, words, device=None):
        return subprocess.Popen([self.programs / words[0], *words[1:], "--device", device or self.devices[0], "-q"],
                                cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                stderr=subprocess.PIPE, env=self.environment)

    def ended(self, child, what):
        """Waits for a process and returns its largest memory, or None if it failed."""
        said = child.stderr.read().decode(errors="replace")
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        child.stderr.close()
        if child.returncode != 0:
            return self.fault(f"{what} exits with {child.returncode}: {said}")
        return usage.ru_maxrss << 10

    def run_once(self, kind, words, output, device):
        kind += f" ({device})"
        memory = self.ended(self.start([output if word == "OUT" else word for word in words], device), kind)
        if memory is None:
            return
        digest = hashlib.sha256((self.folder / output).read_bytes()).hexdigest()
        with self.lock:
            self.memory.setdefault(kind, []).append(memory)
            same = self.first.setdefault((kind, output), digest) == digest
        if not same:
            self.fault(f"{kind} writes other bytes than before")

    def side_by_side(self, workers):
        kinds = {"a conversion": ("vox-convert ball.glb --res 256 -o OUT", "h5"),
                 "a solid conversion": ("vox-convert ball.glb --res 128 --solid -o OUT", "h5"),
                 "edits": ("vox-edit ball.h5 --script edits.txt -o OUT", "h5"),
                 "a page": ("vox-render ball.h5 --html OUT", "html"),
                 "an export": ("vox-convert ball.h5 -o OUT", "nvdb")}
        if shutil.which("ffmpeg"):
            kinds["a film"] = ("vox-render ball.h5 --size 64x48 --turntable 4 -o OUT", "mp4")
        end = time.monotonic() + self.seconds

        def work(worker):
            (self.folder / f"worker{worker}").mkdir()
            for number in range(worker, 1 << 30):
                if time.monotonic() > end:
                    return
                kind = list(kinds)[number % len(kinds)]
                words, extension = kinds[kind]
                self.run_once(kind, words.split(), f"worker{worker}/{kind.replace(' ', '-')}.{extension}",
                              self.devices[worker % len(self.devices)])

        threads = [threading.Thread(target=work, args=(worker,)) for worker in range(workers)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for kind, memory in sorted(self.memory.items()):
            print(f"{len(memory)} times {kind}: {min(memory) >> 20} to {max(memory) >> 20} MiB", flush=True)
            if max(memory) > min(memory) * GROWTH + SLACK:
                self.fault(f"the memory of {kind} varies")

    def expect_flat(self, what, rows):
        """Compares memory and open files, rows of one process over time, of the last third with those of the first."""
        third = max(len(rows) // 3, 1)
        parts = [rows[third // 2:third // 2 + third], rows[-third:]]  # the start of the process is left out
        memory, files = [[sorted(row[i] for row in part)[len(part) // 2] for part in parts] for i in range(2)]
        print(f"{what}: {memory[0] >> 20} MiB and {files[0]} open files, later {memory[1] >> 20} MiB and {files[1]}", flush=True)
        if memory[1] > memory[0] * GROWTH + SLACK or files[1] > files[0]:
            self.fault(f"{what}: memory or open files grow")

    def many_edits(self):
        child = self.start(["vox-edit", "ball.h5", "--script", "many.txt", "-o", "many.h5"])
        rows, page = [], os.sysconf("SC_PAGESIZE")
        while True:
            try:
                resident = int(pathlib.Path(f"/proc/{child.pid}/statm").read_text().split()[1]) * page
                files = len(os.listdir(f"/proc/{child.pid}/fd"))
            except (OSError, IndexError):
                break
            if resident == 0:  # it has ended
                break
            rows.append((resident, files))
            time.sleep(0.02)
        self.ended(child, "10,000 edits")
        self.expect_flat("10,000 edits with undo and collections of garbage", rows)
        if self.digest("many.h5") != self.digest("ball.h5"):
            self.fault("edits that are undone leave another scene")

    def conversions_in_one_process(self, count):
        library = next(self.programs.glob("libvox_c.so"), None)
        environment = self.environment | {"PYTHONPATH": str(ROOT / "tools/python"), "VOX_LIBRARY": str(library)}
        done = subprocess.run(["/usr/bin/python3", "-c", CONVERSIONS, str(count), str(2 * self.seconds), self.devices[0]],
                              capture_output=True, env=environment)
        if b"numpy" in done.stderr and b"ModuleNotFoundError" in done.stderr:
            return print("no numpy: no conversions in one process")
        if done.returncode != 0:
            return self.fault(f"conversions in one process: {done.stderr.decode()[-500:]}")
        rows = [tuple(int(word) for word in line.split()) for line in done.stdout.decode().splitlines()]
        return self.expect_flat(f"{len(rows)} conversions in one process", rows)

    def stamps(self):
        peak = self.ended(self.start(["vox-edit", "ball.h5", "--script", "stamps.txt", "-o", "s.h5", "--memory-limit", "128M"]),
                          "48 stamps, each of the whole scene")
        if peak:
            print(f"48 stamps that each replace the whole scene: {peak >> 20} MiB with --memory-limit 128M", flush=True)
            if self.digest("s.h5") != self.digest("thin.h5"):
                self.fault("the last stamp is not what is left")

    def digest(self, name):
        return json.loads(self.sound("vox-convert", "--info", name, "--json"))["digest"]

    def readers_and_writers(self):
        digests = {self.digest("ball.h5"), self.digest("thin.h5")}
        shutil.copy(self.folder / "ball.h5", self.folder / "shared.h5")
        end, reads, seen = time.monotonic() + self.seconds / 4, [0], set()

        def write(words):
            while time.monotonic() < end:
                self.ended(self.start(["vox-convert", "ball.glb", "--res", "256", *words, "-o", "shared.h5"]), "a writer")

        def read():
            while time.monotonic() < end:
                seen.add(self.digest("shared.h5"))
                self.sound("vox-convert", "--verify", "shared.h5")
                self.sound("vox-stats", "shared.h5", "--only", "levels")
                reads[0] += 1

        threads = [threading.Thread(target=write, args=(words,)) for words in ([], ["--coverage", "thin"])]
        threads += [threading.Thread(target=read) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        print(f"{reads[0]} readings of a file that two writers replace: {len(seen)} scenes seen", flush=True)
        if not seen <= digests:
            self.fault("a reader saw a scene that nobody wrote")

    def expect_no_leftovers(self):
        left = [str(path.relative_to(self.folder)) for path in self.folder.rglob("*") if path.name.endswith(".tmp")]
        left += [path.name for path in (self.folder / "tmp").iterdir()]
        print(f"{len(left)} temporary files are left", flush=True)
        if left:
            self.fault(f"left: {left}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("seconds", type=float, nargs="?", default=60)
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/release")
    parser.add_argument("--workers", type=int, default=4)
    parser.add_argument("--devices", type=lambda text: text.split(","), default=["cpu"])
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        load = Load(pathlib.Path(folder), options.bin.resolve(), options.seconds, options.devices)
        load.side_by_side(options.workers)
        load.many_edits()
        load.conversions_in_one_process(200)
        load.stamps()
        load.readers_and_writers()
        load.expect_no_leftovers()
    print(f"{load.faults} faults")
    sys.exit(load.faults > 0)


if __name__ == "__main__":
    main()
