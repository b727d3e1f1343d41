#!/usr/bin/env python3
"""Checks that programs and libraries were built so that an overflow ends them instead of doing harm.

    tests/install/check_hardening.py FILE_OR_BUNDLE...

A bundle (.tar.xz) is unpacked; of its libraries those of vox are checked. Each fault is a line on stderr; the exit code is then 1.
"""

import pathlib
import subprocess
import sys
import tarfile
import tempfile


def said_by_readelf(option, file):
    return subprocess.run(["readelf", "--wide", option, file], check=True, capture_output=True, text=True).stdout


def faults_of(file):
    kind, segments = said_by_readelf("--file-header", file), said_by_readelf("--segments", file)
    dynamic, symbols = said_by_readelf("--dynamic", file), said_by_readelf("--dyn-syms", file)
    if "DYN (" not in kind:
        yield "is loaded at a fixed address: it is no position-independent program"
    if "GNU_RELRO" not in segments or "NOW" not in dynamic:
        yield "has tables of addresses that stay writable: -z relro -z now is missing"
    if any(" RWE " in line for line in segments.splitlines()):
        yield "has memory that is both writable and executable"
    if "__stack_chk_fail" not in symbols:
        yield "does not check its stack: -fstack-protector-strong is missing"
    # The small libraries call nothing that could be checked.
    if file.name.startswith(("libvox.so", "libvox_formats.so")) and "_chk@" not in symbols.replace("__stack_chk_fail@", ""):
        yield "does not check the ends of buffers: -D_FORTIFY_SOURCE is missing"


def is_elf(file):
    with open(file, "rb") as stream:
        return stream.read(4) == b"\x7fELF"


def files_of(path, folder):
    """Yields the file, or the programs and the libraries of vox in a bundle."""
    if not path.name.endswith(".tar.xz"):
        yield path
        return
    with tarfile.open(path) as bundle:
        bundle.extractall(folder)
    for file in sorted(pathlib.Path(folder).rglob("*")):
        ours = file.parent.name == "bin" or file.name.startswith("libvox")
        if ours and file.is_file() and not file.is_symlink() and is_elf(file):
            yield file


def main():
    checked = 0
    bad = False
    with tempfile.TemporaryDirectory() as folder:
        for number, path in enumerate(sys.argv[1:]):
            for file in files_of(pathlib.Path(path), f"{folder}/{number}"):
                checked += 1
                for fault in faults_of(file):
                    bad = True
                    print(f"{file.name} {fault}", file=sys.stderr)
    if checked == 0:
        sys.exit("there is nothing to check")
    print(f"{checked} programs and libraries are hardened" if not bad else "some are not hardened")
    sys.exit(bad)


if __name__ == "__main__":
    main()
