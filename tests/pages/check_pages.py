"""Checks the pages for people, *.md in this repository: every link leads to a file and a heading, and every path exists."""

import glob
import os
import re
import unittest

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
PAGES = [page for pattern in ("*.md", "docs/*.md", "libvox/*/README.md", "datasets/*.md")
         for page in glob.glob(os.path.join(ROOT, pattern))]
PATH = re.compile(r"`((?:libvox|formats|tools|tests|cmake|docs|datasets)/[\w./-]+)`")


def text_of(page):
    with open(page, encoding="utf-8") as file:
        return file.read()


def anchors(page):
    """Returns the anchors that GitHub makes from headings: lower case, hyphens for blanks, no punctuation."""
    heads = re.findall(r"^#+ (.*)$", text_of(page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", head.lower()).strip().replace(" ", "-") for head in heads}


class Pages(unittest.TestCase):
    def test_every_link_leads_to_a_file_and_a_heading(self):
        for page in PAGES:
            for link in re.findall(r"\]\(([^)\s]+)\)", text_of(page)):
                if link.startswith("http"):
                    continue
                path, _, anchor = link.partition("#")
                target = os.path.join(os.path.dirname(page), path) if path else page
                with self.subTest(page=page, link=link):
                    self.assertTrue(os.path.exists(target))
                    self.assertTrue(not anchor or anchor in anchors(target))

    def test_every_path_is_there(self):
        """Paths of the user's own files are exempt; they contain `mine`."""
        for page in PAGES:
            for path in PATH.findall(text_of(page)):
                with self.subTest(page=page, path=path):
                    self.assertTrue("mine" in path or glob.glob(os.path.join(ROOT, path) + "*"))

    def test_the_readme_is_what_one_reads_first(self):
        self.assertLessEqual(text_of(os.path.join(ROOT, "README.md")).count("\n"), 150)
        self.assertGreater(len(PAGES), 15)


if __name__ == "__main__":
    unittest.main()
