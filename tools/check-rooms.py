#!/usr/bin/env python3
"""Checks that the code follows docs/architecture.md: the order of rooms, a namespace for each, no type name twice, files of a
chapter's length, and comments that are sentences.

    tools/check-rooms.py [TREE]

Each breach is a line on stderr with its place, the rule and the remedy; the exit code is then 1.
"""

import collections
import os
import re
import sys

# A file may include files of its own room and of rooms before it. Some rooms of libvox use the namespace
# `vox` itself: they hold the words that all others use and the interface that the library offers to programs.
LIBRARY = "base device ranks scene volume attributes hash dag spatial painting voxelize bricks edit render match build engine measure".split()
ORDER = [f"libvox/{room}" for room in LIBRARY] + ["formats", "tools", "capi"]
APART = {("capi", "tools")}  # pairs of a room and one before it that it may not include either
IN_VOX = {"base", "engine"}

TOKEN = re.compile(
    r"""(?P<comment> //(?:\\\n|[^\n])* | /\*.*?\*/)
      | (?P<raw> R"(?P<mark>[^(\s]*)\(.*?\)(?P=mark)")
      | (?P<string> "(?:\\.|[^"\\\n])*")
      | (?P<character> (?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+')""",
    re.VERBOSE | re.DOTALL,
)
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"]+)"', re.MULTILINE)
# Forward declarations of types of other rooms: a namespace that contains nothing else.
DECLARATIONS = re.compile(r"namespace vox(?:::\w+)? \{\s*(?:(?:class|struct|enum class) \w+;\s*)+\}")
FRAGMENT = re.compile(r"^[ \t]*//+ *(Of|What|Which|Whether) ", re.MULTILINE)
MOST_LINES = 450
LONGER = {"capi/vox.h": 550, "tools/c/vox_chunks.h": 500}  # programs in C take each as one file
WITH_DEVICE = re.compile(r"\bwith_device\(")
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*")
SCOPE = re.compile(
    r"""\b(?:inline\s+)?namespace\b(?P<namespace>[\w:\s]*)\{
      | \b(?:struct|class|union|enum(?:\s+(?:class|struct))?)\b(?:\s*(?:\[\[[^\]]*\]\]|alignas\s*\([^)]*\)|VOX_\w+))*
        \s+(?P<type>\w+)(?:\s+final)?\s*(?:(?<!:):(?!:)[^;{}()]*)?\{
      | (?P<open>\{)
      | (?P<close>\})""",
    re.VERBOSE,
)


def blanked(text, keep_strings=False):
    """Returns the text with spaces in place of comments and, unless they are kept, of strings. No line changes its length."""

    def blank(match):
        if keep_strings and not match["comment"]:
            return match[0]
        return re.sub(r"[^\n]", " ", match[0])

    return TOKEN.sub(blank, text)


def strings(text):
    """Yields pairs of a string in the code and the place where it begins."""
    for match in TOKEN.finditer(text):
        if match["string"] or match["raw"]:
            yield match.start(), match[0]


def level(path):
    """Returns the index in ORDER of the room that holds a path; None for files that are not part of the program."""
    for i, room in enumerate(ORDER):
        if path.startswith(room + "/"):
            return i
    return None


def own_namespace(path):
    parts = path.split("/")
    return f"vox::{parts[1]}" if parts[0] == "libvox" and parts[1] not in IN_VOX else "vox"


def scopes(text):
    """Yields what the code opens at namespace scope: (place, "namespace" or "type", name with its namespaces). It skips
    everything inside types, functions and nameless namespaces, which other files cannot see."""
    code = re.sub(r"^[ \t]*#(?:\\\n|[^\n])*", lambda m: re.sub(r"[^\n]", " ", m[0]), blanked(text), flags=re.MULTILINE)
    stack = []  # names; None inside a scope that other files cannot see
    for match in SCOPE.finditer(code):
        hidden = None in stack
        if match["close"]:
            if stack:
                stack.pop()
        elif match["namespace"] is not None:
            name = re.sub(r"\s", "", match["namespace"])
            if name and not hidden:
                yield match.start(), "namespace", "::".join(stack + [name])
            stack.append(name or None)
        else:
            if match["type"] and not hidden:
                yield match.start(), "type", "::".join(stack + [match["type"]])
            stack.append(None)


class House:
    def __init__(self, root):
        self.root = root
        self.breaches = []
        self.types = collections.defaultdict(list)  # full name → places

    def breach(self, path, text, at, what):
        self.breaches.append(f"{path}:{text.count(chr(10), 0, at) + 1}: {what}")

    def look_at(self, path):
        with open(os.path.join(self.root, path), encoding="utf-8") as file:
            text = file.read()
        self.look_at_scopes(path, text)
        self.look_at_words(path, text)
        if path.startswith("tests/"):
            return
        self.look_at_includes(path, text)
        self.look_at_devices(path, blanked(text))
        # Strings of CSS may begin with --.
        if path.startswith(("libvox/", "formats/")) and not path.startswith("formats/pages/"):
            self.look_at_strings(path, text)

    def look_at_words(self, path, text):
        lines = text.count("\n")
        most = LONGER.get(path, MOST_LINES)
        if lines > most:
            self.breach(path, text, len(text), f"{lines} lines are more than {most}: the file holds two ideas, divide it")
        for match in FRAGMENT.finditer(text):
            before = text[: match.start()].rsplit("\n", 2)[-2:]
            if any(re.match(r"\s*//", line) for line in before if line):
                continue  # the line goes on with a sentence that began above
            self.breach(path, text, match.start(),
                        f'a comment begins with "{match[1]}": begin with the thing that it is about, in a whole sentence')

    def look_at_includes(self, path, text):
        own = level(path)
        if own is None:
            self.breach(path, text, 0, "this room has no place in the order: give it one in tools/check-rooms.py")
            return
        for match in INCLUDE.finditer(blanked(text, keep_strings=True)):
            other = level(match[1])
            if other is None:
                self.breach(path, text, match.start(1),
                            f'"{match[1]}" is in no room: include files by their paths from the root of the repository')
            elif (ORDER[own], ORDER[other]) in APART:
                self.breach(path, text, match.start(1),
                            f"{ORDER[own]} includes {match[1]}: {ORDER[own]} and {ORDER[other]} stand beside each other, move "
                            f"what both need to a room before them")
            elif other > own:
                self.breach(path, text, match.start(1),
                            f"{ORDER[own]} includes {match[1]}, which comes after it: move what both need to {ORDER[own]} or "
                            f"before it, or what needs it to {ORDER[other]}")

    def look_at_scopes(self, path, text):
        own = own_namespace(path)
        for at, kind, name in scopes(text):
            if kind == "type":
                self.types[name].append((path, text, at))
            elif path.startswith("tests/") or DECLARATIONS.match(text, at):
                continue
            elif name.split("::")[0] == "vox" and name != own and not name.startswith(own + "::"):
                self.breach(path, text, at, f"namespace {name} in a file of another room: its code is in {own}")
            elif own == "vox" and name.startswith("vox::") and name.split("::")[1] in LIBRARY:
                self.breach(path, text, at, f"namespace {name} belongs to libvox/{name.split('::')[1]}: this code is in vox")

    def look_at_devices(self, path, text):
        if path.endswith(("on_device.cpp", "device/handle.h")):
            return
        for match in WITH_DEVICE.finditer(text):
            self.breach(path, text, match.start(), "with_device() finds GPUs only in a room's on_device.cpp: call a function there")

    def look_at_strings(self, path, text):
        for at, string in strings(text):
            option = OPTION.search(string)
            if option:
                self.breach(path, text, at,
                            f"{option[0]} is an option of a tool: the library names a setting (Error::about()), the tool its option")

    def look_at_types(self):
        for name, places in self.types.items():
            first = places[0]
            for path, text, at in places[1:]:
                if path != first[0] and in_one_program(path, first[0]):
                    self.breach(path, text, at,
                                f"{name} is a type of {first[0]} too: give one of them another name, or its place in a "
                                f"nameless namespace if no other file needs it")
        self.look_at_bare_names()

    def look_at_bare_names(self):
        """Finds types of the library that have one name in two namespaces, which a reader cannot tell apart."""
        named = {}
        for name, places in self.types.items():
            path, text, at = places[0]
            if not path.startswith(("libvox/", "formats/")):
                continue
            bare = name.split("::")[-1]
            if bare in named:
                self.breach(path, text, at, f"{name} has the name of {named[bare]}: give one of them another name")
            named.setdefault(bare, name)


def in_one_program(path, other):
    """Returns True if both files can be linked into the same program."""

    def part(file):
        folder = "/".join(file.split("/")[:2]) + "/"
        if folder.startswith("tools/vox-"):
            return "tools/vox-"  # tests/results links the results of all programs
        if folder.startswith("tests/"):
            return folder if file.endswith(".cpp") else "tests/"  # so is each folder of tests
        return ""

    return part(path).startswith(part(other)) or part(other).startswith(part(path))


def sources(root):
    for top in ("libvox", "formats", "tools", "capi", "tests"):
        for folder, _, files in sorted(os.walk(os.path.join(root, top))):
            for name in sorted(files):
                if name.endswith((".h", ".cpp", ".cu", ".cuh")):
                    yield os.path.relpath(os.path.join(folder, name), root)


def main():
    root = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
    house = House(root)
    files = list(sources(root))
    for path in files:
        house.look_at(path)
    house.look_at_types()
    for line in house.breaches:
        print(line, file=sys.stderr)
    print(f"{len(files)} files in {len(ORDER)} rooms, {len(house.breaches)} breaches")
    return 1 if house.breaches or not files else 0


sys.exit(main())
