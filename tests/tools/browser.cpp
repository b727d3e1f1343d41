#include "tests/tools/browser.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <sstream>

#include "formats/pages/html_text.h"
#include "tests/common/thoroughness.h"
#include "tests/tools/chromium_driver.h"
#include "tests/tools/program.h"

namespace vox {
namespace {

namespace fs = std::filesystem;

// This page shows the report in a frame, so that the report itself is not changed. Scripts can read a frame
// of the same origin, and it can be narrower than Chromium's window.
constexpr const char* kChecker = R"(
const found = [];
let charts = 0, pictures = 0, pieces = 0;
const say = (frame, text) => found.push('fault ' + frame.width + ' px: ' + text);
const quote = text => '"' + text.trim().slice(0, 30) + '"';

function texts(doc) {  // every line of every piece of text: where it is on the page
  const list = [], walker = doc.createTreeWalker(doc.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode;
    if (!node.data.trim() || node.parentElement.closest('title, desc')) continue;
    if (doc.defaultView.getComputedStyle(node.parentElement.closest('thead') || doc.body).clipPath != 'none') continue;
    const range = doc.createRange();
    range.selectNodeContents(node);
    for (const box of range.getClientRects())
      if (box.width > 0) list.push({text: node.data, box, element: node.parentElement});
  }
  return list;
}

const overlap = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 &&
                          Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1;
const leaves = (a, b) => a.left < b.left - 1 || a.right > b.right + 1 || a.top < b.top - 1 || a.bottom > b.bottom + 1;

function check(frame) {
  const doc = frame.contentDocument, root = doc.documentElement;
  if (root.scrollWidth > frame.clientWidth) say(frame, 'the page is ' + root.scrollWidth + ' wide');
  const all = texts(doc);
  all.forEach((a, i) => {
    for (const b of all.slice(i + 1))
      if (overlap(a.box, b.box)) say(frame, quote(a.text) + ' overlaps ' + quote(b.text));
    const svg = a.element.closest('svg'), cell = a.element.closest('td, th');
    if (svg && leaves(a.box, svg.getBoundingClientRect())) say(frame, quote(a.text) + ' leaves its chart');
    if (cell && leaves(a.box, cell.getBoundingClientRect())) say(frame, quote(a.text) + ' leaves its cell');
    if (a.box.left < 0 || a.box.right > frame.clientWidth)
      say(frame, quote(a.text) + ' is cut');
    let size = parseFloat(doc.defaultView.getComputedStyle(a.element).fontSize);
    if (svg) size *= svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
    if (size < 9.5) say(frame, quote(a.text) + ' is ' + size + ' px high');
  });
  for (const svg of doc.querySelectorAll('svg')) {
    const marks = [...svg.querySelectorAll('.mark')].filter(mark => {
      const box = mark.getBoundingClientRect();
      return box.width > 0 || box.height > 0;
    });
    if (marks.length == 0) say(frame, 'a chart has no marks');
    if (!svg.querySelector('title') || !svg.querySelector('desc')) say(frame, 'a chart has no title and description');
    const figure = svg.closest('figure');
    if (!figure || !figure.querySelector('table')) say(frame, 'a chart has no table');
  }
  for (const image of doc.querySelectorAll('img')) if (image.naturalWidth == 0) say(frame, 'a picture is not shown');
  if (doc.querySelector('script')) say(frame, 'there is a script');
  charts = doc.querySelectorAll('svg').length;
  pictures = doc.querySelectorAll('img').length;
  pieces = all.length;
}
addEventListener('load', () => {
  for (const frame of document.querySelectorAll('iframe')) check(frame);
  found.push('charts ' + charts, 'pictures ' + pictures, 'texts ' + pieces, 'done');
  document.body.textContent = found.join('\n') + '\n';
});
)";

constexpr const char* kBrowsers[] = {"chromium", "chromium-browser", "google-chrome"};

std::string installed_browser() {
  for (std::string name : kBrowsers)
    if (std::system(("command -v " + name + " > /dev/null").c_str()) == 0) return name;
  return "";
}

std::string wrapped(const std::string& page) {
  std::string html = "<!DOCTYPE html><meta charset=\"utf-8\"><script>";
  html += kChecker;
  html += "</script><body>";
  for (const char* width : {"1280", "390"})
    html += std::string("<iframe width=\"") + width + "\" height=\"900\" style=\"border:0\" srcdoc=\"" +
            escape_html(page) + "\"></iframe>";
  return html;
}

}  // namespace

std::string browser_name() {
  return kThoroughness < 10 ? "" : installed_browser();
}

bool have_browser() {
  return !browser_name().empty();
}

PageLook look_at(const fs::path& page) {
  const fs::path folder = page.parent_path();
  write_bytes(folder / "wrapped.html", wrapped(read_bytes(page)));
  const std::string command = "cd '" + folder.string() + "' && timeout 100 " + installed_browser() +
                              " --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --no-first-run"
                              " --disable-background-networking --disable-component-update --disable-sync"
                              " --user-data-dir='" +
                              (folder / "browser").string() +
                              "'"
                              " --enable-logging=stderr --dump-dom 'file://" +
                              (folder / "wrapped.html").string() + "' > look.out 2> look.err";
  EXPECT_EQ(std::system(command.c_str()), 0) << read_bytes(folder / "look.err");
  PageLook look;
  bool done = false;
  std::istringstream out(read_bytes(folder / "look.out")), err(read_bytes(folder / "look.err"));
  for (std::string line; std::getline(out, line);) {
    const size_t body = line.find("<body>");
    if (body != std::string::npos) line.erase(0, body + 6);
    std::istringstream words(line);
    std::string kind;
    words >> kind;
    if (kind == "fault") look.faults.push_back(line.substr(6));
    if (kind == "charts") words >> look.charts;
    if (kind == "pictures") words >> look.pictures;
    if (kind == "texts") words >> look.texts;
    if (kind == "done") done = true;
  }
  EXPECT_TRUE(done) << "the page was not looked at:\n" << read_bytes(folder / "look.err");
  for (std::string line; std::getline(err, line);)
    if (line.find("CONSOLE") != std::string::npos) look.faults.push_back("console: " + line);
  return look;
}

}  // namespace vox
