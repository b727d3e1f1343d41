"""Checks the pages for people, *.md in this repository. Every link leads to a file and a heading, and every path exists. In
docs/papers.md no cell is empty, every file exists, and every program knows the options of its commands.

The programs are those in the folder that VOX_BIN names; without it, their options are not checked. Arguments name classes of
tests.
"""

import functools
import glob
import os
import re
import subprocess
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


COLUMNS = ["where", "what", "in vox", "command", "the same or different"]
CODE = re.compile(r"`([^`]+)`")
WORD = re.compile(r"^[a-z][a-z0-9_-]*$")  # a value that help should name; names of files have dots or capitals


def read_rows():
    """Returns the cells of each row of each table, by the paper that its heading names."""
    papers, rows = {}, None
    with open(os.path.join(ROOT, "docs/papers.md"), encoding="utf-8") as file:
        for line in file:
            if line.startswith("## "):
                rows = papers.setdefault(line[3:].strip(), [])
            elif line.startswith("|") and rows is not None:
                rows.append([cell.strip() for cell in line.strip()[1:-1].split(" | ")])
    return papers


PAPERS = read_rows()
ROWS = [(paper, row) for paper, rows in PAPERS.items() for row in rows[2:]]
COMMANDS = [command for _, row in ROWS for cell in row[3:] for command in CODE.findall(cell) if command.startswith("vox-")]


def program_of(command):
    """Returns the program of a command line, and its command if it has some."""
    words = command.split()
    return tuple(words[:2]) if words[0] == "vox-bench" else tuple(words[:1])


@functools.lru_cache(maxsize=None)
def help_of(program):
    path = os.path.join(os.path.abspath(os.environ["VOX_BIN"]), program[0])
    done = subprocess.run([path, *program[1:], "--help", "all"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


class Papers(unittest.TestCase):
    def test_there_are_four_tables_of_the_same_columns(self):
        self.assertEqual(len(PAPERS), 4)
        for paper, rows in PAPERS.items():
            with self.subTest(paper):
                self.assertEqual(rows[0], COLUMNS)
                self.assertGreater(len(rows), 20)

    def test_no_cell_is_empty(self):
        for paper, row in ROWS:
            with self.subTest(paper=paper, row=row):
                self.assertEqual(len(row), len(COLUMNS))
                self.assertTrue(all(re.search(r"\w", cell) for cell in row))
                self.assertTrue(row[2] == "not in vox" or CODE.search(row[2]))
                self.assertTrue(row[3] in ("not in vox", "explains, no command") or CODE.match(row[3]))
                self.assertFalse(row[2] == "not in vox" and row[3] not in ("not in vox", "explains, no command"))

    def test_every_file_is_there(self):
        for paper, row in ROWS:
            for path in CODE.findall(row[2]):
                with self.subTest(paper=paper, path=path):
                    self.assertTrue(os.path.isfile(os.path.join(ROOT, path)))

    def test_every_figure_and_table_has_a_row(self):
        """The numbers of all figures, tables, algorithms and listings of each paper."""
        chapters = {"Figure": {1: 1, 2: 10, 3: 8, 4: 5, 5: 16, 6: 7, 8: 3}, "Table": {3: 2, 5: 1, 6: 3},
                    "Listing": {2: 4, 4: 10, 5: 10, 8: 1, "A": 1}}
        thesis = [f"{kind} {chapter}.{i}" for kind, counts in chapters.items() for chapter, n in counts.items()
                  for i in range(1, n + 1)]
        numbers = {
            "Molenaar": [f"Figure {i}" for i in range(1, 10)] + ["Table 1", "Table 2", "Algorithm 1", "Algorithm 2"],
            "García": [f"Figure {i}" for i in range(1, 13)],
            "Alcantara": [f"Figure {i}" for i in range(1, 9)] + ["Table 1", "Algorithm 1"],
            "Labschütz": thesis,
        }
        for author, expected in numbers.items():
            rows = next(rows for paper, rows in PAPERS.items() if paper.startswith(author))
            named = set()
            for row in rows[2:]:
                named |= numbers_in(row[0]) | numbers_in(row[1])
            for number in expected:
                with self.subTest(author=author, number=number):
                    self.assertIn(number, named)


def numbers_in(text):
    """Returns what a text such as "Figures 3.3 to 3.5 and 6.6, Table 1" names, each by itself."""
    found = set()
    for kind, numbers in re.findall(r"(Figure|Table|Algorithm|Listing)s? ((?:[A\d.]+(?: to |, | and )?)+)", text):
        for first, last in re.findall(r"([A\d.]*\d)(?: to ([A\d.]*\d))?", numbers):
            chapter, _, begin = first.rpartition(".")
            end = int(last.rpartition(".")[2]) if last else int(begin)
            found |= {f"{kind} {chapter + '.' if chapter else ''}{i}" for i in range(int(begin), end + 1)}
    return found


@unittest.skipUnless("VOX_BIN" in os.environ, "VOX_BIN names no folder")
class Commands(unittest.TestCase):
    def test_programs_have_the_options_of_their_commands(self):
        self.assertGreater(len(COMMANDS), 80)
        for command in COMMANDS:
            text = help_of(program_of(command))
            for option in re.findall(r"(?<!\S)--?[a-z][a-z0-9-]*", command):
                with self.subTest(command=command, option=option):
                    self.assertTrue(re.search(rf"(?<![\w-]){option}(?![\w-])", text), "its help has no such option")

    def test_help_names_the_values_of_options(self):
        for command in COMMANDS:
            text = help_of(program_of(command))
            for value in re.findall(r"--[a-z][a-z0-9-]* ([a-z][\w,-]*)(?!\S)", command):
                for word in filter(WORD.match, value.split(",")):
                    with self.subTest(command=command, word=word):
                        self.assertTrue(re.search(rf"(?<![\w-]){word}(?![\w-])", text), "its help has no such word")

    def test_help_names_the_figures(self):
        figures = [figure for command in COMMANDS for figure in re.findall(r"--figure (\w+)", command)]
        self.assertGreater(len(figures), 8)
        text = re.sub(r"\s+", " ", help_of(("vox-bench", "keys")))
        for figure in figures:
            with self.subTest(figure):
                self.assertTrue(re.search(rf"(?<!\w){figure}: \w", text), "its help has no such figure")


if __name__ == "__main__":
    unittest.main()
