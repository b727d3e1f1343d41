#!/usr/bin/env python3
"""Loads the models and volumes that manifest.json lists, checks them and, on request, converts them with vox.

Every file appears whole or not at all: it is loaded as NAME.part, compared with the manifest's size and checksum, and
renamed. A load that was cut off goes on where it stopped, in the same run or in the next. Python's standard library is enough.
"""

import argparse
import difflib
import gzip
import hashlib
import http.client
import json
import os
import shlex
import shutil
import stat
import subprocess
import sys
import tarfile
import time
import urllib.error
import urllib.request
import zipfile
import zlib

PIECE = 1 << 20  # bytes that are read at a time
TRIES = 4  # requests for a file in one run
RETRY_SECONDS = 1.0  # the wait before the second request; the later ones wait longer
SUMS = ("sha256", "sha512")
PROGRAM = "fetch.py"


class FetchError(Exception):
    """An error that its message explains."""


class UsageError(FetchError):
    """The command line asks for something that does not exist."""


def say(text, end="\n"):
    print(text, end=end, file=sys.stderr, flush=True)


def remove(path):
    """Removes a file or a folder, if there is one."""
    if os.path.isdir(path) and not os.path.islink(path):
        shutil.rmtree(path)
    elif os.path.lexists(path):
        os.remove(path)


def is_inside(name):
    """True if the relative path cannot leave the folder that it is joined to."""
    parts = name.split("/")
    return bool(name) and "\\" not in name and ":" not in parts[0] and not any(part in ("", ".", "..") for part in parts)


def check_item(item, entry):
    """Checks a file or an archive of the manifest, since the rest of this program relies on its names and addresses."""
    where = f"{entry['name']}: {item.get('name')!r}"
    if not is_inside(str(item.get("name"))) or not is_inside(item.get("to", "to")):
        raise FetchError(f"{where} is not a name below the folder of the entry")
    if "url" in item and not item["url"].startswith(("http://", "https://")):
        raise FetchError(f"{where} has an address that is neither http nor https: {item['url']}")
    if item.get("unpack") not in (None, *UNPACKERS):
        raise FetchError(f"{where} is to be unpacked as {item['unpack']!r}; known are {', '.join(UNPACKERS)}")


def read_manifest(path):
    """Returns the entries by name, in the order of the manifest."""
    try:
        with open(path, encoding="utf-8") as file:
            groups = json.load(file)
        entries = {entry["name"]: entry for group in groups.values() for entry in group}
        for entry in entries.values():
            if not is_inside(entry["name"]) or "/" in entry["name"]:
                raise FetchError(f"{path}: {entry['name']!r} is not the name of a folder")
            if not entry.get("convert", "vox-").startswith("vox-"):
                raise FetchError(f"{path}: {entry['name']} is to be converted by something that is no program of vox")
            for item in entry.get("archives", []) + entry.get("files", []):
                check_item(item, entry)
    except (OSError, ValueError, AttributeError, KeyError, TypeError) as error:
        raise FetchError(f"{path} cannot be read as a manifest: {type(error).__name__}: {error}") from error
    return entries


def reason_not_loaded(entry):
    """Returns why an entry cannot be loaded, or None."""
    unpacked = {archive["to"] for archive in entry.get("archives", [])}
    if "command" in entry:
        return f"it is made, not loaded: {entry['command']}"
    for file in entry.get("files", []):
        if "url" not in file and file["name"] not in unpacked and file["name"].split("/")[0] not in unpacked:
            return f"{file['name']} has no address: {entry.get('notes', '')} ({entry.get('via', entry.get('source'))})"
    return None


def wrong_sum(path, item):
    """Returns how the file's size or checksum differs from the manifest's, or None. Says so if there is nothing to compare."""
    size = os.path.getsize(path)
    if item.get("bytes") not in (None, size):
        return f"it has {size:,} bytes, and the manifest says {item['bytes']:,}"
    kind = next((kind for kind in SUMS if item.get(kind)), None)
    found = hashlib.new(kind or "sha256")
    with open(path, "rb") as file:
        for piece in iter(lambda: file.read(PIECE), b""):
            found.update(piece)
    if kind and found.hexdigest() != item[kind].lower():
        return f"its {kind} is {found.hexdigest()}, and the manifest says {item[kind]}"
    if not kind:
        say(f"{item['name']}: {size:,} bytes, sha256 {found.hexdigest()}; the manifest has no checksum, so nothing was compared")
    return None


def tell_progress(name, done, piece, total):
    """Changes a line on a terminal; elsewhere writes a line for each 10 %."""
    if sys.stderr.isatty():
        say(f"\r{name}: {done / 1e6:,.1f} MB" + (f" of {total / 1e6:,.1f}" if total else ""), end="\n" if done == total else "")
    elif total and 10 * done // total > 10 * (done - piece) // total:
        say(f"{name}: {100 * done // total} %")


class Part:
    """The bytes of a file that have arrived. Beside them lies the server's mark of the version that they belong to."""

    def __init__(self, path, item):
        self.path, self.mark_path, self.item = path + ".part", path + ".part.mark", item

    def size(self):
        return os.path.getsize(self.path) if os.path.exists(self.path) else 0

    def mark(self):
        """Returns the server's mark of what arrived, or an empty text."""
        try:
            with open(self.mark_path, encoding="latin-1") as file:
                return file.read()
        except FileNotFoundError:
            return ""

    def begin(self, headers):
        """Empties the part and keeps the mark of the version that is about to arrive."""
        open(self.path, "wb").close()
        mark = headers.get("ETag") or headers.get("Last-Modified") or ""
        with open(self.mark_path, "w", encoding="latin-1") as file:
            file.write("" if mark.startswith("W/") else mark)  # a weak mark may stand for other bytes

    def remove(self):
        remove(self.path)
        remove(self.mark_path)

    def can_go_on(self):
        """True if what arrives can be added. Without a mark or a checksum, two versions could be mixed unnoticed."""
        return self.size() > 0 and bool(self.mark() or any(self.item.get(kind) for kind in SUMS))


def receive(part, item):
    """Asks once for what is missing of a file. Returns True if it is there, False if the connection ended too early."""
    begin = part.size() if part.can_go_on() else 0
    headers = {"User-Agent": "vox-fetch", "Accept-Encoding": "identity"}
    if begin:
        headers["Range"] = f"bytes={begin}-"
        if part.mark():
            headers["If-Range"] = part.mark()
    with urllib.request.urlopen(urllib.request.Request(item["url"], headers=headers), timeout=60) as response:
        if response.status != 206 or not response.headers.get("Content-Range", "").startswith(f"bytes {begin}-"):
            if response.status == 206:
                raise FetchError(f"{item['url']} sends another part than the one that was asked for")
            begin = 0
            part.begin(response.headers)
        length = response.headers.get("Content-Length", "")
        total = begin + int(length) if length.isdigit() else None
        expected = item.get("bytes")
        if expected is not None and total not in (None, expected):
            raise FetchError(f"{item['url']} has {total:,} bytes, and the manifest says {expected:,}")
        done = begin
        with open(part.path, "ab") as file:
            while piece := response.read(PIECE):
                done += len(piece)
                if expected is not None and done > expected:
                    part.remove()
                    raise FetchError(f"{item['url']} sends more than the {expected:,} bytes that the manifest says")
                file.write(piece)
                tell_progress(item["name"], done, len(piece), total or expected)
            file.flush()
            os.fsync(file.fileno())
    return done == total if total is not None else expected in (None, done)


def load(item, path):
    """Loads a file of the manifest, unless it is there already."""
    if os.path.exists(path):
        wrong = wrong_sum(path, item)
        if wrong:
            raise FetchError(f"{path} is another file: {wrong}. Move it away to load it")
        say(f"{path} is there")
        return
    part = Part(path, item)
    whole = item.get("bytes") is not None and part.size() == item["bytes"]
    failure = "the connection ended"
    for attempt in range(TRIES):
        if whole:
            break
        if attempt:
            say(f"{item['name']}: {failure} after {part.size():,} bytes; asking again")
            time.sleep(RETRY_SECONDS * attempt)
        try:
            whole = receive(part, item)
        except urllib.error.HTTPError as error:
            if error.code != 416:  # 416: the part does not fit to the file, or is all of it
                raise FetchError(f"{item['url']}: the server answers {error.code} {error.reason}") from error
            part.remove()
            failure = "the server has no such part"
        except (http.client.HTTPException, urllib.error.URLError, TimeoutError, ConnectionError) as error:
            failure = f"the connection failed ({getattr(error, 'reason', None) or error or type(error).__name__})"
    if not whole:
        raise FetchError(f"{item['url']}: {failure} after {part.size():,} bytes. Run the same command again to go on")
    wrong = wrong_sum(part.path, item)
    if wrong:
        part.remove()
        raise FetchError(f"{item['url']} is not the file that the manifest lists: {wrong}. What arrived was removed")
    os.replace(part.path, path)
    part.remove()
    say(f"{path} is complete")


def write_member(source, target):
    """Copies a member to a new file. An archive with two members of one name is refused by this."""
    os.makedirs(os.path.dirname(target), exist_ok=True)
    with open(target, "xb") as file:
        shutil.copyfileobj(source, file, PIECE)


def check_member(archive, name, is_plain):
    if not is_inside(name.rstrip("/")) or not is_plain:
        raise FetchError(f"{archive} contains {name!r}, which is no plain file or folder below it. Nothing was unpacked")


def check_room(archive, needed):
    free = shutil.disk_usage(os.path.dirname(os.path.abspath(archive))).free
    if needed > free:
        raise FetchError(f"{archive} needs {needed:,} bytes when unpacked, and {free:,} are free")


def unpack_zip(archive, folder):
    with zipfile.ZipFile(archive) as file:
        members = file.infolist()
        for member in members:
            kind = stat.S_IFMT(member.external_attr >> 16)
            check_member(archive, member.filename, kind in (0, stat.S_IFREG, stat.S_IFDIR))
        check_room(archive, sum(member.file_size for member in members))
        for member in members:
            if not member.is_dir():
                with file.open(member) as source:
                    write_member(source, os.path.join(folder, member.filename))


def unpack_tar(archive, folder):
    with tarfile.open(archive, "r:gz") as file:
        members = [member for member in file.getmembers() if member.name not in ("", ".")]
        for member in members:
            check_member(archive, member.name.removeprefix("./"), member.isreg() or member.isdir())
        check_room(archive, sum(member.size for member in members))
        for member in members:
            if member.isreg():
                write_member(file.extractfile(member), os.path.join(folder, member.name.removeprefix("./")))


def unpack_gzip(archive, target):
    with gzip.open(archive) as source:
        write_member(source, target)


def unpack_zlib(archive, target):
    inflate = zlib.decompressobj()
    with open(archive, "rb") as source, open(target, "xb") as file:
        for piece in iter(lambda: source.read(PIECE // 16), b""):
            file.write(inflate.decompress(piece))
        file.write(inflate.flush())
    if not inflate.eof:
        raise EOFError("it ends too early")


UNPACKERS = {"zip": unpack_zip, "tar.gz": unpack_tar, "gz": unpack_gzip, "zlib": unpack_zlib}


def unpack(archive, item, target):
    """Unpacks under a temporary name and renames, so that `target` is whole or absent."""
    partial = target + ".part"
    remove(partial)
    if item["unpack"] in ("zip", "tar.gz"):
        os.makedirs(partial)
    try:
        UNPACKERS[item["unpack"]](archive, partial)
    except (tarfile.TarError, zipfile.BadZipFile, zlib.error, EOFError, FileExistsError, NotADirectoryError, RuntimeError,
            NotImplementedError, gzip.BadGzipFile) as error:
        raise FetchError(f"{archive} cannot be unpacked: {error}") from error
    else:
        os.replace(partial, target)
    finally:
        remove(partial)
    say(f"{target} is unpacked")


def fetch(entry, to):
    """Loads, unpacks and checks all files of an entry into a folder of its own, which is returned."""
    reason = reason_not_loaded(entry)
    if reason:
        raise FetchError(f"{entry['name']} cannot be loaded: {reason}")
    say(f"{entry['name']}, from: {entry.get('source', 'not stated')}. Licence: {entry.get('licence', 'not stated')}")
    folder = os.path.join(to, entry["name"])

    def place(name):
        path = os.path.join(folder, *name.split("/"))
        os.makedirs(os.path.dirname(path), exist_ok=True)
        return path

    for archive in entry.get("archives", []):
        if not os.path.exists(place(archive["to"])):
            load(archive, place(archive["name"]))
            unpack(place(archive["name"]), archive, place(archive["to"]))
    for file in entry.get("files", []):
        if "url" in file:
            load(file, place(file["name"]))
        elif not os.path.isfile(place(file["name"])):
            raise FetchError(f"{place(file['name'])} is not in the archive")
        else:
            wrong = wrong_sum(place(file["name"]), file)
            if wrong:
                raise FetchError(f"{place(file['name'])} is not the file that the manifest lists: {wrong}")
    return folder


def convert(entry, folder):
    """Runs the entry's command in its folder."""
    command = shlex.split(entry["convert"])
    program = shutil.which(command[0])
    if not program:
        raise FetchError(f"{command[0]} is not in PATH; add the folder of vox's programs, or run in {folder}: {entry['convert']}")
    say(f"{folder}: {entry['convert']}")
    code = subprocess.run([program, *command[1:]], cwd=folder, check=False).returncode
    if code != 0:
        raise FetchError(f"{entry['convert']}: exit code {code}")


def chosen(entries, names):
    for name in names:
        if name not in entries:
            near = difflib.get_close_matches(name, entries, 1, 0.5)
            raise UsageError(f"no entry is called {name}" + (f"; {near[0]} is one" if near else "; --list shows all"))
    return [entries[name] for name in dict.fromkeys(names)] or list(entries.values())


def size_of(entry):
    sizes = [item.get("bytes") for item in entry.get("archives", []) or entry.get("files", [])]
    return f"{sum(sizes) / 1e6:,.1f} MB" if sizes and None not in sizes else "?"


def show_list(entries, names):
    """Lists all entries in a line each, or tells all that the manifest says of some."""
    for entry in chosen(entries, names):
        if names:
            print(json.dumps(entry, indent=2, ensure_ascii=False))
        else:
            state = "no address" if reason_not_loaded(entry) else size_of(entry)
            state = "made" if "command" in entry else state
            print(f"{entry['name']:18}{state:>12}  {entry['title']}")


def parse(arguments):
    parser = argparse.ArgumentParser(prog=PROGRAM, description="Loads models and volumes by name, each into a folder of that name.",
                                     epilog="example: fetch.py neghip carp --to ~/data --convert", allow_abbrev=False)
    parser.add_argument("names", nargs="*", metavar="NAME", help="an entry of the manifest")
    parser.add_argument("--list", action="store_true", help="list the entries; with names, print all that is known of these")
    parser.add_argument("--to", metavar="DIR", help="put the folders here. Default: the current folder")
    parser.add_argument("--convert", action="store_true", help="then run the command that the manifest names, for example "
                        "vox-convert, which must be in PATH")
    parser.add_argument("--manifest", metavar="FILE", help="read this list. Default: manifest.json beside this program",
                        default=os.path.join(os.path.dirname(os.path.abspath(__file__)), "manifest.json"))
    options = parser.parse_args(arguments)
    if not options.names and not options.list:
        parser.error("name what to load, or give --list")
    if options.list and (options.to or options.convert):
        parser.error("--list loads nothing, so --to and --convert have no effect on it")
    return options


def run(arguments):
    options = parse(arguments)
    entries = read_manifest(options.manifest)
    if options.list:
        return show_list(entries, options.names)
    picked = chosen(entries, options.names)
    for entry in picked:
        if options.convert and "convert" not in entry:
            raise UsageError(f"the manifest names no command that converts {entry['name']}, so --convert has no effect on it")
    for entry in picked:
        folder = fetch(entry, options.to or ".")
        if options.convert:
            convert(entry, folder)
    return None


def main(arguments):
    """Returns the exit code: 0, 1 for an error, 2 for a command line that cannot be understood, 130 after Ctrl-C."""
    try:
        run(arguments)
        sys.stdout.flush()
        return 0
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # else Python complains once more at its end
        return 1
    except (FetchError, OSError) as error:
        say(f"{PROGRAM}: error: {error}")
        return 2 if isinstance(error, UsageError) else 1
    except KeyboardInterrupt:
        say(f"{PROGRAM}: stopped. Run the same command again to go on")
        return 130


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
