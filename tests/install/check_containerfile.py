#!/usr/bin/env python3
"""Checks that the steps of the Containerfile are possible. It does not run them, because that may need a network.

    tests/install/check_containerfile.py    in the repository, after tools/make-packages.sh

A step is an apt-get command whose packages exist, the removal of files, or a script of ours that .ci/run runs too.
"""

import glob
import json
import os
import re
import shlex
import subprocess
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")


def instructions(text):
    """Yields pairs of an instruction and its arguments, with continued lines joined and comments left out."""
    lines = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    for line in re.sub(r"\\\n", " ", "\n".join(lines)).splitlines():
        word, rest = line.split(None, 1)
        yield word, rest


def would_install(packages, copied):
    """Returns True if apt-get finds the packages by name or, in folders that COPY has filled, by path."""
    found = []
    for package in packages:
        paths = [package]
        if "/" in package:
            patterns = copied.get(os.path.dirname(package), [])
            paths = [path for pattern in patterns for path in glob.glob(os.path.join(ROOT, pattern))]
        if not paths:
            return f"there is no {package}"
        found += [os.path.abspath(path) if "/" in path else path for path in paths]
    run = subprocess.run(["apt-get", "install", "--dry-run", "--no-install-recommends", *found],
                         capture_output=True, text=True)
    return run.stderr.strip() if run.returncode else None


def wrong_with(command, copied, ci):
    """Returns the problem of one command of a RUN, or None."""
    words = shlex.split(command)
    if words == ["apt-get", "update"] or words[:2] == ["rm", "-rf"]:
        return None
    if words[:4] == ["apt-get", "install", "-y", "--no-install-recommends"]:
        return would_install(words[4:], copied)
    script = os.path.join(ROOT, words[0])
    if not os.access(script, os.X_OK):
        return "no command that this check knows, and no script of ours"
    return None if len(words) == 1 and words[0] in ci else "CI does not run this script as it is here"


def main():
    with open(os.path.join(ROOT, "Containerfile"), encoding="utf-8") as file:
        steps = list(instructions(file.read()))
    with open(os.path.join(ROOT, ".ci", "run"), encoding="utf-8") as file:
        ci = file.read()
    stages, copied, wrong = set(), {}, []
    for word, rest in steps:
        if word == "FROM":
            image, *name = rest.split(" AS ")
            if not re.fullmatch(r"debian:[a-z]+-slim", image):
                wrong.append(f"FROM {image}: not a release of Debian")
            stages.update(name)
        elif word == "COPY":
            *sources, target = rest.split()
            if sources[0].startswith("--from="):
                if sources[0][7:] not in stages:
                    wrong.append(f"COPY {rest}: no stage {sources[0][7:]}")
                copied[target.rstrip("/")] = [os.path.relpath(source, "/vox") for source in sources[1:]]
            elif not all(os.path.exists(os.path.join(ROOT, source)) for source in sources):
                wrong.append(f"COPY {rest}: not in the repository")
        elif word == "RUN":
            for command in rest.split("&&"):
                reason = wrong_with(command.strip(), copied, ci)
                if reason:
                    wrong.append(f"RUN {command.strip()}: {reason}")
        elif word == "CMD":
            program = json.loads(rest)[0]
            if not os.path.isdir(os.path.join(ROOT, "tools", program)):
                wrong.append(f"CMD {rest}: no tool of ours")
        elif word != "WORKDIR":
            wrong.append(f"{word}: an instruction that this check does not know")
    for line in wrong:
        print(f"Containerfile: {line}", file=sys.stderr)
    print(f"{len(steps)} steps of the Containerfile, {len(wrong)} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
