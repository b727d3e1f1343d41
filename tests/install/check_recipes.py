#!/usr/bin/env python3
"""Checks the recipes by which others build and pack this repository.

    tests/install/check_recipes.py PREFIX PYTHON_DIR    those in packaging/: their version and libraries are those of the build,
                                                        and the files that they test are installed below the prefix
    tests/install/check_recipes.py                      the Containerfile, after tools/make-packages.sh: its steps are possible

The steps of the Containerfile are not run, because that may need a network. A step is an apt-get command whose packages exist,
the removal of files, or a script of ours that .ci/run runs too.
"""

import glob
import json
import os
import re
import shlex
import subprocess
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")


def text_of(name):
    with open(os.path.join(ROOT, name), encoding="utf-8") as file:
        return file.read()


def check_packaging(prefix, python_dir):
    version = re.search(r"project\(vox VERSION ([\d.]+)", text_of("CMakeLists.txt"))[1]
    conda, spack = text_of("packaging/conda/meta.yaml"), text_of("packaging/spack/package.py")
    vcpkg, port = json.loads(text_of("packaging/vcpkg/vcpkg.json")), text_of("packaging/vcpkg/portfile.cmake")
    vcpkg_names = {each if isinstance(each, str) else each["name"] for each in vcpkg["dependencies"]}
    named_programs = re.search(r"TOOL_NAMES ([\w -]+?) AUTO_CLEAN", port)[1].split()

    # The version, the libraries, and the files below the prefix, as each recipe states them.
    recipes = {
        "conda": (re.search(r"version: (\S+)", conda)[1], set(re.findall(r"^    - ([\w-]+)", conda.split("requirements:")[1], re.M)),
                  {name.replace("$PREFIX/", "").replace("$SP_DIR", python_dir) for name in re.findall(r"- test -e (\S+)", conda)}),
        "spack": (re.search(r'version\("(\S+)"\)', spack)[1], set(re.findall(r'depends_on\("([\w-]+)', spack)),
                  set(re.findall(r'"((?:bin|include|lib)/\S+)"', spack))),
        "vcpkg": (vcpkg["version"], vcpkg_names,
                  set(re.findall(r"(?:include|lib)/\S+?\.(?:h|so)\b", port)) | {f"bin/{name}" for name in named_programs}),
    }
    other_names = {"tbb": {"conda": "tbb-devel", "spack": "intel-oneapi-tbb"}}  # where a recipe's name is not the library's

    needed = set(re.findall(r"^(?:find_package|pkg_check_modules)\((\w+) REQUIRED", text_of("cmake/dependencies.cmake"), re.M))
    needed |= set(re.findall(r"^find_path\((\w+)_directory .* REQUIRED\)", text_of("CMakeLists.txt"), re.M))
    needed = {name.lower() for name in needed} - {"pkgconfig"}
    programs = {f"bin/{name}" for name in os.listdir(os.path.join(prefix, "bin"))}
    libraries = {f"lib/{name}" for name in os.listdir(os.path.join(prefix, "lib"))
                 if re.fullmatch(r"libvox\w*\.so", name) and name != "libvox_mpi.so"}

    problems = []
    for recipe, (stated, dependencies, files) in recipes.items():
        if stated != version:
            problems.append(f"the version of {recipe}'s recipe is {stated}, not {version}")
        problems += [f"{recipe}'s recipe does not name {name}" for name in sorted(needed)
                     if other_names.get(name, {}).get(recipe, name) not in dependencies]
        problems += [f"{recipe}'s recipe tests {name}, which is not installed" for name in sorted(files)
                     if not os.path.exists(os.path.join(prefix, name))]
        problems += [f"{recipe}'s recipe does not test {name}" for name in sorted((programs | libraries) - files)]
    print("\n".join(problems) or f"{len(recipes)} recipes of version {version}, with {len(needed)} libraries each")
    return 1 if problems or len(needed) < 6 else 0


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


def check_containerfile():
    steps, ci = list(instructions(text_of("Containerfile"))), text_of(".ci/run")
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
    sys.exit(check_packaging(*sys.argv[1:]) if len(sys.argv) > 1 else check_containerfile())
