#!/usr/bin/env python3
"""Kills tools with SIGKILL at random moments, and checks that they leave nothing half-written.

    tests/kill.py N [SEED] [--bin build/release] [--only NAME]

Each of N runs replaces an earlier result and is killed at a moment between its start and its usual end. What lies at the target
then is the earlier result or the new one, whole. The same command, run again, exits with 0, its result is the same byte for byte
as without a kill (except for times in reports), and no temporary file is left but that of a living process, which another
process locks meanwhile. Equal seeds give equal commands and shares of their time.
"""

import argparse
import fcntl
import os
import pathlib
import random
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

F_OFD_SETLK = 37


def grass(blades):
    """Returns an OBJ file of small triangles, each of which has a shape of its own."""
    lines = []
    for blade in range(blades):
        x, z = blade % 32, blade // 32
        y, high = (x * 7 + z * 5) % 11, 0.05 + 0.0001 * blade
        lines.append(f"v {x} {y} {z}\nv {x + 0.05} {y + high} {z}\nv {x} {y + high} {z + 0.04}\nf -3 -2 -1\n")
    return "".join(lines)


class Command:
    """A command of which OLD stands for what its earlier result was made with, and NEW for what it is made with now."""

    def __init__(self, name, words, old, new, times=False, locks=None, launcher=()):
        self.name, self.words, self.old, self.new, self.times = name, words.split(), old, new, times
        self.locks = locks  # the file of which a living process has a temporary one
        self.launcher = launcher
        self.before = self.after = None  # the files of both results
        self.seconds = 0

    def arguments(self, programs, value):
        words = [word.replace("@", value) for word in self.words]
        return [*self.launcher, programs / words[0], *words[1:]]


COMMANDS = [
    Command("convert", "vox-convert grass.obj --res @ -o out/a.h5 -q", "512", "2K", locks="a.h5"),
    Command("convert, resumed", "vox-convert grass.obj --res @ -o out/a.h5 -q --resume --keep-every 0 --memory-limit 64M", "512", "2K"),
    Command("convert, spilled", "vox-convert grass.obj --res @ -o out/a.h5 -q --spill spill --memory-limit 64M", "512", "2K", locks="a.h5"),
    Command("convert in parts", "vox-convert grass.obj --res @ -o out/a.h5 -q --parts --device cpu,cpu", "512", "2K"),
    Command("convert a volume", "vox-convert volume_@.raw -o out/a.h5 -q --dims 96,96,96 --type u8", "1", "2", locks="a.h5"),
    Command("export", "vox-convert grass@.h5 -o out/a.glb -q", "512", "2K", locks="a.glb"),
    Command("slices", "vox-convert grass@.h5 -o out/layers/%03d.png -q --clip 0,0,0,1,1,1", "512", "2K"),
    Command("edit", "vox-edit grass2K.h5 --script edit@.txt -o out/a.h5 -q --checkpoint 4 --batch 1", "1", "2", locks="a.h5"),
    Command("film", "vox-render grass512.h5 --turntable @ --size 96x64 -o out/a.mp4 -q", "4", "16", locks="a.mp4"),
    Command("pictures", "vox-render grass512.h5 --turntable @ --size 96x64 -o out/a.png -q", "12", "16"),
    Command("streamed page", "vox-render grass@.h5 --html out/page --stream -q", "512", "2K"),
    Command("page", "vox-render grass@.h5 --html out/a.html -q", "512", "2K", locks="a.html"),
    Command("stats", "vox-stats grass@.h5 --only scene,levels,memory -o out/a.h5 -q", "512", "2K", times=True, locks="a.h5"),
    Command("bench", "vox-bench convert grass.obj --res @ --materials none --coverage thin --repetitions 1 -o out/a.h5 -q", "256",
            "512", times=True, locks="a.h5"),
]
RANKS = Command("two ranks", "vox-convert grass.obj --res @ -o out/a.h5 -q --memory-limit 256M", "512", "2K",
                launcher=("mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "2"))


def files_of(folder):
    return {str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None for path in folder.rglob("*")}


def is_temporary(name):
    return name.endswith(".tmp") or ".tmp/" in name


def is_of_rounds(name):
    """What --resume keeps, and nobody takes for a result."""
    return name.endswith((".parts", ".lock", "rounds.txt")) or "/round-" in name


def same(command, found, expected):
    if not command.times:
        return found == expected
    return found.keys() == expected.keys() and all(
        content is None or (content[:8] == expected[name][:8] and abs(len(content) - len(expected[name])) < len(content) / 4 + 400)
        for name, content in found.items())


class Kills:
    def __init__(self, folder, programs):
        self.folder, self.programs, self.faults = folder, programs, 0
        self.environment = os.environ | {"SOURCE_DATE_EPOCH": "1700000000", "TMPDIR": str(folder / "tmp"),
                                         "VOX_NO_COLOR": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1"}
        for name in ("out", "tmp", "spill"):
            (folder / name).mkdir()
        (folder / "grass.obj").write_text(grass(1024))
        for number in (1, 2):
            (folder / f"volume_{number}.raw").write_bytes(bytes((i * i // 97 + number * i) % 251 for i in range(96 ** 3)))
            (folder / f"edit{number}.txt").write_text("".join(
                f"sphere add center {60 * i + 40},{200 + 9 * number},{50 * i + 30} radius 20 material {number}\n" for i in range(24)))
        for res in ("512", "2K"):
            self.sound("vox-convert", "grass.obj", "--res", res, "-o", f"grass{res}.h5", "-q")

    def sound(self, program, *arguments):
        subprocess.run([self.programs / program, *arguments], cwd=self.folder, check=True, stdin=subprocess.DEVNULL, env=self.environment)

    def start(self, arguments):
        return subprocess.Popen(arguments, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                stderr=subprocess.PIPE, env=self.environment, start_new_session=True)

    def finish(self, arguments):
        child = self.start(arguments)
        said = child.communicate(timeout=300)[1].decode(errors="replace")
        return child.returncode, said

    def clear(self):
        for name in ("out", "tmp", "spill"):
            shutil.rmtree(self.folder / name)
            (self.folder / name).mkdir()

    def put(self, files):
        self.clear()
        for name, content in files.items():
            path = self.folder / "out" / name
            if content is None:
                path.mkdir(parents=True, exist_ok=True)
            else:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)

    def learn(self, command):
        """Makes the results before and after, and measures the time."""
        self.clear()
        for value in (command.old, command.new):
            begin = time.monotonic()
            code, said = self.finish(command.arguments(self.programs, value))
            command.seconds = time.monotonic() - begin
            if code != 0:
                sys.exit(f"{command.name} fails: {said}")
            command.before, command.after = command.after, files_of(self.folder / "out")

    def fault(self, number, command, text):
        self.faults += 1
        print(f"run {number}, {command.name}: {text}", flush=True)

    def living(self, command):
        """Returns an open file that looks like a temporary one of a process at work."""
        path = self.folder / "out" / f"{command.locks}.0-0.tmp"
        file = open(path, "wb")
        fcntl.fcntl(file, F_OFD_SETLK, struct.pack("hhqqi4x", fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0))
        return file

    def kill_once(self, number, command, share, is_another_alive):
        if command.after is None:
            self.learn(command)
        self.put(command.before)
        living = self.living(command) if is_another_alive and command.locks else None
        arguments = command.arguments(self.programs, command.new)
        child = self.start(arguments)
        time.sleep(share * command.seconds)
        os.killpg(child.pid, signal.SIGKILL)
        child.communicate()
        found = {name: content for name, content in files_of(self.folder / "out").items()
                 if not is_temporary(name) and not (("--resume" in arguments) and is_of_rounds(name))}
        whole = [found] if command.words[0] != "vox-convert" or "--parts" not in command.words else [
            {name: content for name, content in found.items() if content is not None and "parts/" not in name}]
        if "--checkpoint" in arguments and found.keys() == command.after.keys():
            if self.finish([self.programs / "vox-convert", "--verify", "out/a.h5"])[0] != 0:
                self.fault(number, command, "a kept state is not sound")
        elif "--parts" in arguments:  # parts are named by their content
            if self.finish([self.programs / "vox-convert", "--verify", "out/a.h5"])[0] != 0:
                self.fault(number, command, "the scene or its parts are not sound")
            elif whole[0]["a.h5"] not in (command.before["a.h5"], command.after["a.h5"]):
                self.fault(number, command, "the target is neither the earlier result nor the new one")
        elif not same(command, found, command.before) and not same(command, found, command.after):
            self.fault(number, command, f"the target is neither the earlier result nor the new one: {sorted(found)}")
        self.run_again(number, command, arguments, living)

    def run_again(self, number, command, arguments, living):
        code, said = self.finish(arguments)
        if code != 0:
            return self.fault(number, command, f"run again, it exits with {code}: {said}")
        found = files_of(self.folder / "out")
        if living:
            if found.pop(f"{command.locks}.0-0.tmp", None) is None:
                self.fault(number, command, "the temporary file of a living process is gone")
            living.close()
        left = [name for name in found if is_temporary(name)]
        left += [str(path) for name in ("tmp", "spill") for path in (self.folder / name).iterdir()
                 if not path.name.startswith(("ompi", "pmix", "prte"))]
        if left:
            self.fault(number, command, f"run again, it leaves {left}")
        for name in [name for name in found if is_temporary(name)]:
            del found[name]
        if not same(command, found, command.after):
            differ = sorted(name for name in found.keys() | command.after.keys() if found.get(name) != command.after.get(name))
            self.fault(number, command, f"run again, its result differs: {differ}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", type=int)
    parser.add_argument("seed", type=int, nargs="?", default=1)
    parser.add_argument("--bin", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parents[1] / "build/release")
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    commands = COMMANDS + [RANKS] * (shutil.which("mpirun") is not None)
    commands = [command for command in commands if options.only in command.name
                and (command.name != "film" or shutil.which("ffmpeg"))]
    counts = {command.name: 0 for command in commands}
    with tempfile.TemporaryDirectory() as folder:
        kills = Kills(pathlib.Path(folder), options.bin.resolve())
        order = random.Random(options.seed)
        for number in range(options.runs):
            command = commands[number % len(commands)] if options.runs >= len(commands) else order.choice(commands)
            counts[command.name] += 1
            kills.kill_once(number, command, order.uniform(0, 1.1), order.random() < 0.4)
    print(f"{options.runs} kills with seed {options.seed}: {', '.join(f'{name} {count}' for name, count in counts.items() if count)}; "
          f"{kills.faults} faults")
    sys.exit(kills.faults > 0)


if __name__ == "__main__":
    main()
