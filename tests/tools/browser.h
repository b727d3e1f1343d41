// Looks at report pages in the browser that a reader would use: Chromium without a window.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace vox {

bool have_browser();

struct PageLook {
  int charts = 0, pictures = 0, texts = 0;  // texts: the pieces of text that were compared with each other
  std::vector<std::string> faults;          // "1280 px: …", "390 px: …", "console: …"
};

// Opens the page 1280 and 390 pixels wide. It reports console messages, charts without marks, charts and
// pictures that are not shown, texts that overlap, are cut off, leave their chart or are too small to read,
// and anything wider than the page. It needs a browser, and it writes files beside the page.
PageLook look_at(const std::filesystem::path& page);

// Drives Chromium from a test's Python program: it opens pages, queries them and clicks, as a reader would.

// Returns the browser's name on this machine. It is "" if there is no browser, or if programs are
// instrumented, because these write the same pages.
std::string browser_name();

// Returns the text of a Python module that drives Chromium through its pipe.
std::string chromium_driver();

// Reads the numbers back from report pages.

// Python code that reads the tables of page.html: tables[title][row][column] = (text, value).
inline constexpr const char* kReadTables = R"(
import html.parser, json
class Reader(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.tables, self.cell, self.skip = {}, None, False
    def handle_starttag(self, tag, attributes):
        a = dict(attributes)
        if a.get('role') == 'region': self.tables[a['aria-label']] = self.rows = []
        if tag == 'tr': self.rows.append([])
        if tag in ('td', 'th'): self.cell = ['', None]
        if tag == 'data': self.cell[1] = float(a['value'])
        if tag == 'small': self.skip = True
    def handle_endtag(self, tag):
        if tag == 'small': self.skip = False
        if tag in ('td', 'th'):
            self.rows[-1].append(tuple([self.cell[0].strip(), self.cell[1]]))
            self.cell = None
    def handle_data(self, data):
        if self.cell and not self.skip: self.cell[0] += data
reader = Reader()
reader.feed(open('page.html', encoding='utf-8').read())
def table(title):
    head, *rows = reader.tables[title]
    return {row[0][0]: {name[0]: cell for name, cell in zip(head[1:], row[1:])} for row in rows}
count = lambda n: ('{:,}'.format(n), n)
def mib(cell, n):
    assert cell[1] == n and abs(float(cell[0].replace(',', '')) - n / 2**20) < 0.0051, (cell, n)
)";

}  // namespace vox
