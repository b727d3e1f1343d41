"""Loads files with datasets/fetch.py from a server in this test, which cuts off, ignores ranges, and lies."""

import contextlib
import gzip
import hashlib
import http.server
import importlib.util
import io
import json
import os
import stat
import subprocess
import sys
import tarfile
import tempfile
import threading
import unittest
import zipfile
import zlib

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
SCRIPT = os.path.join(ROOT, "datasets/fetch.py")
sys.dont_write_bytecode = True
spec = importlib.util.spec_from_file_location("fetch", SCRIPT)
fetch = importlib.util.module_from_spec(spec)
spec.loader.exec_module(fetch)
fetch.RETRY_SECONDS = 0
fetch.PIECE = 1000  # so that small files arrive in many pieces

DATA = bytes(i * 7919 % 251 for i in range(20_000))


class Handler(http.server.BaseHTTPRequestHandler):
    """Sends the server's files, as badly as the server's settings say, and notes the ranges that are asked for."""

    protocol_version = "HTTP/1.1"

    def do_GET(self):
        server = self.server
        data = server.files.get(self.path)
        asked = self.headers.get("Range")
        server.asked.append(asked)
        if data is None:
            return self.send_error(404)
        begin = int(asked.removeprefix("bytes=").removesuffix("-")) if asked and server.ranges else 0
        if begin and self.headers.get("If-Range", server.mark) != server.mark:
            begin = 0
        if begin >= len(data) > 0 and begin:
            return self.send_error(416)
        self.send_response(206 if begin else 200)
        self.send_header("Content-Length", str(len(data) - begin))
        if begin:
            self.send_header("Content-Range", f"bytes {begin}-{len(data) - 1}/{len(data)}")
        if server.mark:
            self.send_header("ETag", server.mark)
        self.end_headers()
        end = len(data)
        if server.cuts:
            end = min(end, begin + server.cuts.pop(0))
        self.wfile.write(data[begin:end])
        self.close_connection = end < len(data)
        return None

    def log_message(self, *_):
        pass


class FetchTest(unittest.TestCase):
    def setUp(self):
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.files, self.server.asked, self.server.cuts = {"/a.raw": DATA}, [], []
        self.server.ranges, self.server.mark = True, '"one"'
        self.server.handle_error = lambda *_: None  # clients that leave in the middle are expected
        threading.Thread(target=self.server.serve_forever, args=[0.01], daemon=True).start()
        self.addCleanup(self.server.server_close)
        self.addCleanup(self.server.shutdown)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def url(self, path):
        return f"http://127.0.0.1:{self.server.server_address[1]}{path}"

    def file(self, data=DATA, path="/a.raw", **changes):
        item = {"name": "a.raw", "url": self.url(path), "bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
        return {**item, **changes}

    def archive(self, name, unpack, to, data):
        self.server.files["/" + name] = data
        return {"name": name, "url": self.url("/" + name), "bytes": None, "sha256": None, "unpack": unpack, "to": to}

    def run_fetch(self, entry, *options, names=("thing",)):
        """Returns the exit code and what was told, for a manifest with this entry."""
        manifest = os.path.join(self.folder, "manifest.json")
        with open(manifest, "w", encoding="utf-8") as file:
            json.dump({"models": [{"name": "thing", "title": "a thing", "source": "us", "licence": "free", **entry}]}, file)
        told = io.StringIO()
        with contextlib.redirect_stderr(told), contextlib.redirect_stdout(told):
            try:
                code = fetch.main([*names, "--manifest", manifest, *options])
            except SystemExit as error:
                code = error.code
        return code, told.getvalue()

    def fetch(self, entry, *options):
        return self.run_fetch(entry, "--to", self.folder, *options)

    def thing(self, name="a.raw"):
        return os.path.join(self.folder, "thing", name)

    def read(self, name="a.raw"):
        with open(self.thing(name), "rb") as file:
            return file.read()

    def expect_only(self, *names):
        """No temporary file may remain."""
        found = [os.path.relpath(os.path.join(at, file), self.thing("")) for at, _, files in os.walk(self.thing("")) for file in files]
        self.assertEqual(sorted(found), sorted(names))


class Loads(FetchTest):
    def test_a_file_is_loaded_and_checked_and_not_loaded_twice(self):
        for expected in ("is complete", "is there"):
            code, told = self.fetch({"files": [self.file()]})
            self.assertEqual(code, 0, told)
            self.assertIn(expected, told)
        self.assertEqual(self.read(), DATA)
        self.assertEqual(self.server.asked, [None])
        self.expect_only("a.raw")

    def test_a_published_sha512_is_compared_too(self):
        self.assertEqual(self.fetch({"files": [self.file(sha256=None, sha512=hashlib.sha512(DATA).hexdigest())]})[0], 0)
        os.remove(self.thing())
        code, told = self.fetch({"files": [self.file(sha256=None, sha512="0" * 128)]})
        self.assertEqual(code, 1)
        self.assertIn("its sha512 is", told)

    def test_what_was_cut_off_goes_on_in_the_same_run(self):
        self.server.cuts = [7_000, 5_000]
        code, told = self.fetch({"files": [self.file()]})
        self.assertEqual(code, 0, told)
        self.assertEqual(self.server.asked, [None, "bytes=7000-", "bytes=12000-"])
        self.assertEqual(self.read(), DATA)
        self.expect_only("a.raw")

    def test_what_was_cut_off_goes_on_in_the_next_run(self):
        self.server.cuts = [3_000, 1_000, 0, 0]
        code, told = self.fetch({"files": [self.file()]})
        self.assertEqual(code, 1)
        self.assertIn("after 4,000 bytes. Run the same command again", told)
        self.assertFalse(os.path.exists(self.thing()))
        self.assertEqual(self.fetch({"files": [self.file()]})[0], 0)
        self.assertEqual(self.server.asked[-1], "bytes=4000-")
        self.assertEqual(self.read(), DATA)

    def test_a_server_without_ranges_sends_the_whole(self):
        self.server.ranges, self.server.cuts = False, [9_000]
        code, told = self.fetch({"files": [self.file()]})
        self.assertEqual(code, 0, told)
        self.assertEqual(self.server.asked, [None, "bytes=9000-"])
        self.assertEqual(self.read(), DATA)

    def test_another_version_on_the_server_is_not_mixed_in(self):
        self.server.cuts = [9_000, 0, 0, 0]
        item = self.file(sha256=None, bytes=None)
        self.assertEqual(self.fetch({"files": [item]})[0], 1)
        self.server.files["/a.raw"], self.server.mark = DATA[::-1], '"two"'
        self.assertEqual(self.fetch({"files": [item]})[0], 0)
        self.assertEqual(self.read(), DATA[::-1])

    def test_without_a_mark_and_a_checksum_a_load_begins_anew(self):
        self.server.mark, self.server.cuts = None, [9_000]
        self.assertEqual(self.fetch({"files": [self.file(sha256=None)]})[0], 0)
        self.assertEqual(self.server.asked, [None, None])
        self.assertEqual(self.read(), DATA)

    def test_a_part_that_is_longer_than_the_file_begins_anew(self):
        os.makedirs(self.thing(""))
        with open(self.thing("a.raw.part"), "wb") as file:
            file.write(DATA + b"more")
        self.assertEqual(self.fetch({"files": [self.file()]})[0], 0)
        self.assertEqual(self.read(), DATA)

    def test_without_a_checksum_the_sum_is_told(self):
        code, told = self.fetch({"files": [self.file(sha256=None, bytes=None)]})
        self.assertEqual(code, 0, told)
        self.assertIn(f"sha256 {hashlib.sha256(DATA).hexdigest()}; the manifest has no checksum, so nothing was compared", told)

    def test_progress_is_told_in_tenths(self):
        told = self.fetch({"files": [self.file()]})[1]
        self.assertEqual([line for line in told.splitlines() if line.endswith(" %")], [f"a.raw: {n}0 %" for n in range(1, 11)])


class Refuses(FetchTest):
    def expect_error(self, entry, expected, code=1, *options):
        found, told = self.fetch(entry, *options)
        self.assertEqual(found, code, told)
        self.assertIn(expected, told)

    def test_a_wrong_checksum(self):
        self.expect_error({"files": [self.file(sha256="0" * 64)]}, "and the manifest says " + "0" * 64)
        self.expect_only()

    def test_a_wrong_size(self):
        self.expect_error({"files": [self.file(bytes=19_999)]}, "has 20,000 bytes, and the manifest says 19,999")
        self.assertFalse(os.path.exists(self.thing()))

    def test_a_file_of_the_user_is_not_replaced(self):
        os.makedirs(self.thing(""))
        with open(self.thing(), "wb") as file:
            file.write(b"mine")
        self.expect_error({"files": [self.file()]}, "is another file: it has 4 bytes")
        self.assertEqual(self.read(), b"mine")

    def test_what_the_server_does_not_have(self):
        self.expect_error({"files": [self.file(path="/b.raw")]}, "the server answers 404")

    def test_a_server_that_is_not_there(self):
        self.expect_error({"files": [self.file(url="http://127.0.0.1:9/a.raw")]}, "the connection failed")

    def test_names_and_addresses_that_lead_elsewhere(self):
        for name in ("../a.raw", "/a.raw", "x/../../a.raw", "c:/a.raw", "x\\a.raw", ""):
            self.expect_error({"files": [self.file(name=name)]}, "is not a name below the folder")
        self.expect_error({"files": [self.file(url="file:///etc/passwd")]}, "neither http nor https")
        self.expect_error({"name": "../thing"}, "is not the name of a folder")

    def test_entries_that_cannot_be_loaded(self):
        self.expect_error({"command": "vox-scene village -o village.obj"}, "it is made, not loaded: vox-scene village")
        self.expect_error({"files": [{"name": "a.raw"}], "notes": "decoded by hand"}, "a.raw has no address: decoded by hand")

    def test_a_manifest_that_is_none(self):
        for text in ("{", "[]", "3", '{"models": [{}]}', '{"models": [{"name": "thing", "files": [3]}]}'):
            path = os.path.join(self.folder, "m.json")
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            told = io.StringIO()
            with contextlib.redirect_stderr(told):
                self.assertEqual(fetch.main(["thing", "--manifest", path]), 1)
            self.assertIn("cannot be read as a manifest", told.getvalue())

    def test_command_lines(self):
        entry = {"files": [self.file()]}
        self.assertIn("no entry is called thin; thing is one", self.run_fetch(entry, names=["thin"])[1])
        for names, options in ((["thin"], []), ([], []), (["thing"], ["--convert"]), (["thing"], ["--list", "--to", "."]),
                               (["thing"], ["--lis"])):
            self.assertEqual(self.run_fetch(entry, *options, names=names)[0], 2)
        self.assertEqual(self.server.asked, [])


class Unpacks(FetchTest):
    def zip(self, *members):
        data = io.BytesIO()
        with zipfile.ZipFile(data, "w") as file:
            for name, content in members:
                file.writestr(name, content)
        return data.getvalue()

    def tar(self, *members):
        data = io.BytesIO()
        with tarfile.open(fileobj=data, mode="w:gz") as file:
            for info, content in members:
                info = info if isinstance(info, tarfile.TarInfo) else tarfile.TarInfo(info)
                info.size = len(content)
                file.addfile(info, io.BytesIO(content))
        return data.getvalue()

    def test_each_kind(self):
        raw = {"name": "b.raw", "bytes": len(DATA), "sha256": hashlib.sha256(DATA).hexdigest()}
        inside = {**raw, "name": "b/c/b.raw"}
        for archive, file in ((self.archive("b.zip", "zip", "b", self.zip(("c/", ""), ("c/b.raw", DATA))), inside),
                              (self.archive("b.tgz", "tar.gz", "b", self.tar(("./c/b.raw", DATA))), inside),
                              (self.archive("b.gz", "gz", "b.raw", gzip.compress(DATA)), raw),
                              (self.archive("b.zraw", "zlib", "b.raw", zlib.compress(DATA)), raw)):
            with self.subTest(archive["unpack"]):
                for _ in range(2):  # the second time, all is there
                    code, told = self.fetch({"archives": [archive], "files": [file]})
                    self.assertEqual(code, 0, told)
                self.assertEqual(self.read(file["name"]), DATA)
                self.expect_only(archive["name"], file["name"])
                fetch.remove(self.thing(""))

    def test_files_in_an_archive_are_checked(self):
        archive = self.archive("b.gz", "gz", "b.raw", gzip.compress(DATA))
        code, told = self.fetch({"archives": [archive], "files": [{"name": "b.raw", "bytes": 5, "sha256": None}]})
        self.assertEqual(code, 1)
        self.assertIn("it has 20,000 bytes, and the manifest says 5", told)
        code, told = self.fetch({"archives": [self.archive("c.zip", "zip", "c", self.zip(("x", b"x")))], "files": [{"name": "c/y"}]})
        self.assertEqual(code, 1)
        self.assertIn("is not in the archive", told)

    def expect_hostile(self, name, unpack, data, expected):
        code, told = self.fetch({"archives": [self.archive(name, unpack, "b", data)]})
        self.assertEqual(code, 1, told)
        self.assertIn(expected, told)
        self.assertFalse(os.path.exists(os.path.join(self.folder, "evil")))
        self.expect_only(name)
        fetch.remove(self.thing(""))

    def test_archives_that_lead_outside_unpack_nothing(self):
        for name in ("../evil", "/tmp/evil", "a/../../evil", "..\\evil", "c:/evil"):
            with self.subTest(name):
                self.expect_hostile("b.zip", "zip", self.zip(("good", b"g"), (name, b"e")), "which is no plain file")
                self.expect_hostile("b.tgz", "tar.gz", self.tar(("good", b"g"), (name, b"e")), "which is no plain file")

    def test_links_and_devices_are_refused(self):
        for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE):
            info = tarfile.TarInfo("link")
            info.type, info.linkname = kind, "../evil"
            self.expect_hostile("b.tgz", "tar.gz", self.tar(("good", b"g"), (info, b"")), "which is no plain file")
        link = zipfile.ZipInfo("link")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        self.expect_hostile("b.zip", "zip", self.zip((link, "../evil")), "which is no plain file")

    def test_damaged_and_contradictory_archives_are_refused(self):
        for name, unpack, data in (("b.zip", "zip", self.zip(("a", DATA))[:-30]), ("b.tgz", "tar.gz", self.tar(("a", DATA))[:50]),
                                   ("b.gz", "gz", gzip.compress(DATA)[:-4]), ("b.zraw", "zlib", zlib.compress(DATA)[:-4]),
                                   ("b.gz", "gz", DATA), ("b.tgz", "tar.gz", self.tar(("a", b"1"), ("a", b"2"))),
                                   ("b.tgz", "tar.gz", self.tar(("a", b"1"), ("a/b", b"2")))):
            with self.subTest(name):
                self.expect_hostile(name, unpack, data, "cannot be unpacked")

    def test_what_does_not_fit_is_not_unpacked(self):
        free, fetch.shutil.disk_usage = fetch.shutil.disk_usage, lambda path: type("Usage", (), {"free": 100})
        try:
            self.expect_hostile("b.zip", "zip", self.zip(("a", DATA)), "needs 20,000 bytes when unpacked, and 100 are free")
        finally:
            fetch.shutil.disk_usage = free


class Program(FetchTest):
    def run_program(self, *arguments, path=None):
        return subprocess.run([sys.executable, SCRIPT, *arguments], capture_output=True, text=True, check=False,
                              env={**os.environ, "COLUMNS": "80", "PATH": path or os.environ["PATH"]})

    def test_help_fits_a_screen(self):
        done = self.run_program("--help")
        self.assertEqual(done.returncode, 0)
        self.assertLessEqual(done.stdout.count("\n"), 24)

    def test_the_list_has_every_entry(self):
        done = self.run_program("--list")
        with open(os.path.join(ROOT, "datasets/manifest.json"), encoding="utf-8") as file:
            names = [entry["name"] for group in json.load(file).values() for entry in group]
        self.assertEqual([line.split()[0] for line in done.stdout.splitlines()], names)
        self.assertIn('"licence": "public domain"', self.run_program("--list", "spot").stdout)

    def write_program(self, code):
        path = os.path.join(self.folder, "vox-convert")
        with open(path, "w", encoding="utf-8") as file:
            file.write(f'#!/bin/sh\necho "$@" > converted\nexit {code}\n')
        os.chmod(path, 0o755)

    def test_the_command_of_the_manifest_runs_in_the_folder(self):
        entry = {"files": [self.file()], "convert": "vox-convert a.raw --title 'two words' -o a.h5"}
        self.assertEqual(self.fetch(entry)[0], 0)
        manifest = os.path.join(self.folder, "manifest.json")
        arguments = ("thing", "--manifest", manifest, "--to", self.folder, "--convert")
        done = self.run_program(*arguments, path="/nowhere")
        self.assertEqual(done.returncode, 1)
        self.assertIn("vox-convert is not in PATH", done.stderr)
        for code, expected in ((0, 0), (3, 1)):
            self.write_program(code)
            done = self.run_program(*arguments, path=self.folder + ":" + os.environ["PATH"])
            self.assertEqual(done.returncode, expected, done.stderr)
        self.assertIn("exit code 3", done.stderr)
        self.assertEqual(self.read("converted"), b"a.raw --title two words -o a.h5\n")
        self.assertEqual(self.fetch({**entry, "convert": "rm -rf ."})[0], 1)


if __name__ == "__main__":
    unittest.main()
