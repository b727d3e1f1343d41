"""Checks datasets/manifest.json: its entries are complete, and the pages and the manifest name each other."""

import glob
import importlib.util
import os
import re
import sys
import unittest

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
sys.dont_write_bytecode = True
spec = importlib.util.spec_from_file_location("fetch", os.path.join(ROOT, "datasets/fetch.py"))
fetch = importlib.util.module_from_spec(spec)
spec.loader.exec_module(fetch)

ENTRIES = fetch.read_manifest(os.path.join(ROOT, "datasets/manifest.json"))


def named_in(page):
    """Returns the names in the page's lines that begin with `Data:`."""
    with open(os.path.join(ROOT, page), encoding="utf-8") as file:
        lines = [line for line in file if line.startswith("Data:")]
    return {name for line in lines for name in re.findall(r"`([^`]+)`", line) if not name.startswith("--")}


class Manifest(unittest.TestCase):
    def test_every_entry_says_what_it_is(self):
        for name, entry in ENTRIES.items():
            with self.subTest(name):
                needed = ["title", "used_in", "command"] if "command" in entry else ["title", "used_in", "source", "licence", "files"]
                for key in needed:
                    self.assertIn(key, entry)
                for item in entry.get("files", []) + entry.get("archives", []):
                    self.assertIn("bytes", item)
                    for kind, digits in (("sha256", 64), ("sha512", 128)):
                        if item.get(kind):
                            self.assertRegex(item[kind], f"^[0-9a-f]{{{digits}}}$")

    def test_what_cannot_be_loaded_has_a_note(self):
        for name, entry in ENTRIES.items():
            if fetch.reason_not_loaded(entry) and "command" not in entry:
                with self.subTest(name):
                    self.assertTrue(entry.get("notes"))

    def test_names_in_the_pages_are_entries_that_name_the_page(self):
        found = 0
        for path in glob.glob(os.path.join(ROOT, "docs/*.md")):
            page = os.path.relpath(path, ROOT)
            for name in named_in(page):
                with self.subTest(page=page, name=name):
                    self.assertIn(name, ENTRIES)
                    self.assertIn(page, ENTRIES[name]["used_in"])
                    found += 1
        self.assertGreater(found, 15)

    def test_entries_that_measurements_used_are_named_there(self):
        page = "docs/measurements.md"
        used = {name for name, entry in ENTRIES.items() if page in entry["used_in"]}
        self.assertEqual(used, named_in(page))

    def test_the_pages_that_entries_name_exist(self):
        for name, entry in ENTRIES.items():
            for page in re.findall(r"[\w/.-]+\.md", entry["used_in"]):
                with self.subTest(name):
                    self.assertTrue(os.path.exists(os.path.join(ROOT, page)))


if __name__ == "__main__":
    unittest.main()
