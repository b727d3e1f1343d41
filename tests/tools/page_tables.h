// Reads the numbers back from report pages.
#pragma once

namespace vox {

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
