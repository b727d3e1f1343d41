#!/usr/bin/env python3
"""Makes a site of plain HTML pages of README.md and all pages and files that it leads to, without a network.

    tools/make-site.py FOLDER     writes the site, which begins with index.html
    tools/make-site.py            only checks that every link leads to a page, a part of a page or a file

It knows the Markdown that these pages use: headings, paragraphs, lists, tables, code, links, pictures, bold and italic text.
"""

import html
import os
import re
import shutil
import sys

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
START = "README.md"
STYLE = """body{max-width:52em;margin:2em auto;padding:0 1em;font:16px/1.5 sans-serif;color:#222;background:#fff}
pre,code{font:14px/1.4 monospace;background:#f3f3f3}pre{padding:.8em;overflow-x:auto}img{max-width:100%}
table{border-collapse:collapse;display:block;overflow-x:auto}td,th{border:1px solid #ccc;padding:.25em .6em;text-align:left}
@media(prefers-color-scheme:dark){body{color:#ddd;background:#181818}pre,code{background:#262626}a{color:#8bf}}"""
PARTS = ["README.md", "docs/converting.md", "docs/volumes.md", "docs/editing.md", "docs/rendering.md", "docs/formats.md",
         "docs/python.md", "docs/c-api.md", "docs/architecture.md", "docs/contributing.md"]

TOKEN = re.compile(r"(?P<code>`+)(?P<text>.+?)(?P=code)|(?P<image>!)?\[(?P<label>(?:`[^`]*`|[^\]`])*)\]\((?P<to>[^)\s]+)\)|"
                   r"<(?P<url>https?://[^>\s]+)>|\*\*(?P<bold>.+?)\*\*|(?<![\w*])\*(?P<italic>[^*\s](?:[^*]*[^*\s])?)\*(?!\w)", re.S)
ITEM = re.compile(r"([*-]|\d+\.) +")


def anchor(heading):
    """Returns the name of a heading's place, as GitHub makes it."""
    return re.sub(r"[^\w\- ]", "", re.sub(r"`|\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()).replace(" ", "-")


class Page:
    """A page in Markdown as HTML, with the places that it has and the links that it makes."""

    def __init__(self, path):
        self.path, self.links, self.places, self.title = path, [], set(), path
        with open(os.path.join(ROOT, path), encoding="utf-8") as file:
            self.lines = file.read().split("\n")
        self.html, self.at = [], 0
        while self.at < len(self.lines):
            self.block()

    def block(self):
        line = self.lines[self.at]
        heading = re.match(r"(#+) +(.*)", line)
        if heading:
            self.at += 1
            self.heading(len(heading[1]), heading[2])
        elif line.startswith("```"):
            end = next(i for i in range(self.at + 1, len(self.lines)) if self.lines[i].startswith("```"))
            self.code(self.lines[self.at + 1:end])
            self.at = end + 1
        elif line.startswith("    "):
            self.code([text[4:] for text in self.taken(lambda text: text.startswith("    ") or not text)])
        elif line.startswith("|"):
            self.table(self.taken(lambda text: text.startswith("|")))
        elif ITEM.match(line):
            self.list(self.taken(lambda text: text and (ITEM.match(text) or text.startswith("  "))))
        elif line:
            self.html.append(f"<p>{self.inline(' '.join(self.taken(self.goes_on)))}</p>")
        else:
            self.at += 1

    def goes_on(self, text):
        return text and not re.match(r"#+ |```|\|", text) and not ITEM.match(text)

    def taken(self, belongs):
        """Takes the lines from here on to which the block goes on."""
        begin = self.at
        self.at += 1
        while self.at < len(self.lines) and belongs(self.lines[self.at]):
            self.at += 1
        return self.lines[begin:self.at]

    def heading(self, level, text):
        place, number = anchor(text), 0
        while place + (f"-{number}" if number else "") in self.places:
            number += 1
        place += f"-{number}" if number else ""
        self.places.add(place)
        if level == 1:
            self.title = text.replace("`", "")
        self.html.append(f'<h{level} id="{place}">{self.inline(text)}</h{level}>')

    def code(self, lines):
        self.html.append(f"<pre>{html.escape(chr(10).join(lines).rstrip())}</pre>")

    def table(self, lines):
        rows = [[cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line.strip()[1:-1])] for line in lines]
        cell = lambda kind, row: "<tr>" + "".join(f"<{kind}>{self.inline(text)}</{kind}>" for text in row) + "</tr>"
        self.html.append("<table>" + cell("th", rows[0]) + "".join(cell("td", row) for row in rows[2:]) + "</table>")

    def list(self, lines):
        items = []
        for line in lines:
            match = ITEM.match(line)
            if match:
                items.append(line[match.end():])
            elif line.strip().startswith(("- ", "* ")) and not line.startswith("    "):
                items[-1] += "\n" + line.strip()[2:]  # a list in the list: an item is a line of its own
            else:
                items[-1] += " " + line.strip()
        kind = "ol" if lines[0][0].isdigit() else "ul"
        text = "".join("<li>" + "<br>".join(self.inline(part) for part in item.split("\n")) + "</li>" for item in items)
        self.html.append(f"<{kind}>{text}</{kind}>")

    def inline(self, text):
        out, end = [], 0
        for match in TOKEN.finditer(text):
            out += [html.escape(text[end:match.start()], quote=False), self.token(match)]
            end = match.end()
        return "".join(out) + html.escape(text[end:], quote=False)

    def token(self, match):
        if match["code"]:
            return f"<code>{html.escape(match['text'].strip() or match['text'])}</code>"
        if match["url"]:
            return f'<a href="{html.escape(match["url"])}">{html.escape(match["url"])}</a>'
        if match["bold"]:
            return f"<b>{self.inline(match['bold'])}</b>"
        if match["italic"]:
            return f"<i>{self.inline(match['italic'])}</i>"
        target = self.link(match["to"])
        if match["image"]:
            return f'<img src="{html.escape(target)}" alt="{html.escape(match["label"])}">'
        return f'<a href="{html.escape(target)}">{self.inline(match["label"])}</a>'

    def link(self, to):
        """Keeps a link to a file of the repository as (file, place), and returns it as the site has it."""
        if re.match(r"[a-z]+:", to):
            return to
        path, _, place = to.partition("#")
        target = os.path.normpath(os.path.join(os.path.dirname(self.path), path)) if path else self.path
        readme = os.path.join(target, "README.md")
        if os.path.isfile(os.path.join(ROOT, readme)):
            target = readme
        self.links.append((target, place, to))
        return os.path.relpath(site_name(target), os.path.dirname(self.path) or ".") + (f"#{place}" if place else "")

    def whole(self):
        here = os.path.dirname(self.path) or "."
        parts = " · ".join(f'<a href="{os.path.relpath(site_name(part), here)}">{os.path.basename(part)[:-3]}</a>' for part in PARTS)
        return (f'<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
                f"<title>{html.escape(self.title)}</title><style>{STYLE}</style><nav>{parts}</nav>\n" + "\n".join(self.html) + "</html>\n")


def site_name(path):
    return "index.html" if path == START else path[:-3] + ".html" if path.endswith(".md") else path


def main():
    pages, files, problems, left = {}, set(), [], [START]
    while left:
        path = left.pop()
        if path in pages or path in files:
            continue
        if not path.endswith(".md"):
            files.add(path)
            continue
        pages[path] = Page(path)
        left += [target for target, _, _ in pages[path].links if os.path.exists(os.path.join(ROOT, target))]
    for path, page in sorted(pages.items()):
        for target, place, to in page.links:
            outside = target.startswith("..") or not os.path.exists(os.path.join(ROOT, target))
            if outside or (place and target in pages and place not in pages[target].places):
                problems.append(f"{path}: the link {to} leads nowhere")
    problems += [f"{part} is in no link" for part in PARTS if part not in pages]
    if not problems and len(sys.argv) > 1:
        for path, page in pages.items():
            name = os.path.join(sys.argv[1], site_name(path))
            os.makedirs(os.path.dirname(name), exist_ok=True)
            with open(name, "w", encoding="utf-8") as file:
                file.write(page.whole())
        for path in sorted(files):
            name, source = os.path.join(sys.argv[1], path), os.path.join(ROOT, path)
            os.makedirs(os.path.dirname(name), exist_ok=True)
            if os.path.isdir(source):
                shutil.copytree(source, name, dirs_exist_ok=True)
            else:
                shutil.copyfile(source, name)
    print("\n".join(problems) or f"{len(pages)} pages and {len(files)} files, {sum(len(p.links) for p in pages.values())} links")
    sys.exit(1 if problems else 0)


main()
