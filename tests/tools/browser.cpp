
#include <gtest/gtest.h>

#include <cstdlib>
#include <sstream>

#include "formats/pages/html_page.h"
#include "tests/common/random.h"
#include "tests/tools/program.h"

namespace vox {
namespace {

namespace fs = std::filesystem;

// This page shows the report in a frame, so that the report itself is not changed. Scripts can read a frame
// of the same origin, and it can be narrower than Chromium's window. Two frames of different width show a report.
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
  document.querySelectorAll('iframe').forEach((frame, i) => {
    check(frame);
    if (i % 2) found.push('charts ' + charts, 'pictures ' + pictures, 'texts ' + pieces, 'end');
  });
  found.push('done');
  document.body.textContent = found.join('\n') + '\n';
});
)";

constexpr const char* kBrowsers[] = {"chromium", "chromium-browser", "google-chrome"};

std::string installed_browser() {
  for (std::string name : kBrowsers)
    if (std::system(("command -v " + name + " > /dev/null").c_str()) == 0) return name;
  return "";
}

std::string wrapped(const std::vector<std::string>& pages) {
  std::string html = "<!DOCTYPE html><meta charset=\"utf-8\"><script>";
  html += kChecker;
  html += "</script><body>";
  for (const std::string& page : pages)
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

std::vector<PageLook> look_at(const fs::path& folder, const std::vector<std::string>& pages) {
  std::vector<std::string> texts;
  for (const std::string& page : pages) texts.push_back(read_bytes(folder / page));
  write_bytes(folder / "wrapped.html", wrapped(texts));
  const std::string command = "cd '" + folder.string() + "' && timeout 100 " + installed_browser() +
                              " --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --no-first-run"
                              " --disable-background-networking --disable-component-update --disable-sync"
                              " --user-data-dir='" +
                              (folder / "browser").string() +
                              "'"
                              " --enable-logging=stderr --dump-dom 'file://" +
                              (folder / "wrapped.html").string() + "' > look.out 2> look.err";
  EXPECT_EQ(std::system(command.c_str()), 0) << read_bytes(folder / "look.err");
  std::vector<PageLook> looks(1);
  bool done = false;
  std::istringstream out(read_bytes(folder / "look.out")), err(read_bytes(folder / "look.err"));
  for (std::string line; std::getline(out, line);) {
    const size_t body = line.find("<body>");
    if (body != std::string::npos) line.erase(0, body + 6);
    std::istringstream words(line);
    std::string kind;
    words >> kind;
    PageLook& look = looks.back();
    if (kind == "fault") look.faults.push_back(line.substr(6));
    if (kind == "charts") words >> look.charts;
    if (kind == "pictures") words >> look.pictures;
    if (kind == "texts") words >> look.texts;
    if (kind == "end") looks.emplace_back();
    if (kind == "done") done = true;
  }
  EXPECT_TRUE(done) << "the pages were not looked at:\n" << read_bytes(folder / "look.err");
  looks.resize(pages.size());
  for (std::string line; std::getline(err, line);)
    if (line.find("CONSOLE") != std::string::npos)
      for (PageLook& look : looks) look.faults.push_back("console: " + line);
  return looks;
}

PageLook look_at(const fs::path& page) {
  return look_at(page.parent_path(), {page.filename()}).front();
}

namespace {

constexpr const char* kDriver =
    R"python("""Drives Chromium without a window through its pipe: opens pages, evaluates expressions, acts as a mouse does.

    with Chromium('chromium', folder, 800, 600) as page:
        page.open('view.html#shade=depth')
        print(page.value('1 + 1'))
"""
import base64
import json
import os
import select
import subprocess
import time

class Chromium:
    def __init__(self, program, folder, width, height):
        to_browser, self.to = os.pipe()
        self.back, from_browser = os.pipe()
        keep = [os.dup2(to_browser, 40), os.dup2(from_browser, 41)]  # away from 3 and 4, which become these
        self.errors = open(os.path.join(folder, 'chromium.err'), 'wb')
        self.process = subprocess.Popen(
            [program, '--headless', '--no-sandbox', '--disable-dev-shm-usage', '--no-first-run', '--disable-gpu',
             '--disable-background-networking', '--disable-component-update', '--disable-sync', '--hide-scrollbars',
             '--enable-unsafe-swiftshader', '--user-data-dir=' + os.path.join(folder, 'profile'),
             '--remote-debugging-pipe', 'about:blank'],
            stderr=self.errors, stdout=subprocess.DEVNULL, pass_fds=(3, 4),
            preexec_fn=lambda: (os.dup2(40, 3), os.dup2(41, 4)))
        for file in keep + [to_browser, from_browser]:
            os.close(file)
        self.count, self.buffer, self.messages, self.session = 0, b'', [], None
        target = next(t for t in self.call('Target.getTargets')['targetInfos'] if t['type'] == 'page')
        self.session = self.call('Target.attachToTarget', targetId=target['targetId'], flatten=True)['sessionId']
        for domain in ('Page', 'Runtime', 'Log'):
            self.call(domain + '.enable')
        self.resize(width, height)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.session = None
            self.call('Browser.close')
            self.process.wait(10)
        except Exception:
            self.process.kill()
        self.errors.close()

    def read(self, deadline):
        while b'\0' not in self.buffer:
            if not select.select([self.back], [], [], max(deadline - time.monotonic(), 0))[0]:
                raise TimeoutError('the browser does not answer')
            part = os.read(self.back, 1 << 16)
            if not part:
                raise EOFError('the browser has ended')
            self.buffer += part
        message, self.buffer = self.buffer.split(b'\0', 1)
        message = json.loads(message)
        method, of = message.get('method', ''), message.get('params', {})
        if method == 'Runtime.consoleAPICalled':
            self.messages.append(' '.join(str(a.get('value', a.get('description'))) for a in of['args']))
        elif method == 'Runtime.exceptionThrown':
            details = of['exceptionDetails']
            self.messages.append(details.get('exception', {}).get('description') or details['text'])
        elif method == 'Log.entryAdded':
            self.messages.append(of['entry']['text'])
        return message

    def call(self, method, **params):
        self.count += 1
        message = {'id': self.count, 'method': method, 'params': params}
        if self.session:
            message['sessionId'] = self.session
        os.write(self.to, json.dumps(message).encode() + b'\0')
        deadline = time.monotonic() + 90
        while True:
            answer = self.read(deadline)
            if answer.get('id') == self.count:
                if 'error' in answer:
                    raise RuntimeError(method + ': ' + answer['error']['message'])
                return answer['result']

    def resize(self, width, height, touch=False):
        self.call('Emulation.setDeviceMetricsOverride', width=width, height=height, deviceScaleFactor=1, mobile=touch)
        self.call('Emulation.setTouchEmulationEnabled', enabled=touch)

    def scheme(self, name):
        self.call('Emulation.setEmulatedMedia', features=[{'name': 'prefers-color-scheme', 'value': name}])

    def open(self, page):
        path, _, fragment = page.partition('#')
        self.visit('file://' + os.path.abspath(path) + ('#' + fragment if fragment else ''))

    def visit(self, url):
        self.call('Page.navigate', url='about:blank')  # a fragment alone would not load the page again
        self.call('Page.navigate', url=url)

    def value(self, expression):
        answer = self.call('Runtime.evaluate', expression=expression, awaitPromise=True, returnByValue=True)
        if 'exceptionDetails' in answer:
            raise RuntimeError(answer['exceptionDetails'].get('exception', {}).get('description', 'an exception'))
        return answer['result'].get('value')

    def wait(self, expression, seconds=60):
        deadline = time.monotonic() + seconds
        while not self.value(expression):
            if time.monotonic() > deadline:
                raise TimeoutError('never became true: ' + expression + '\n' + '\n'.join(self.messages))
            time.sleep(0.05)

    def mouse(self, kind, x, y, **more):
        self.call('Input.dispatchMouseEvent', type=kind, x=x, y=y, **more)

    def key(self, key, code='', text=''):
        for kind in ('keyDown', 'keyUp'):
            self.call('Input.dispatchKeyEvent', type=kind, key=key, code=code, text=text if kind == 'keyDown' else '')

    # What the page has drawn is on the screen two frames later at the latest.
    def screenshot(self, file):
        self.value('new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))')
        with open(file, 'wb') as out:
            out.write(base64.b64decode(self.call('Page.captureScreenshot', format='png')['data']))

    # Saves what a scene page has drawn, whether or not it is on the screen yet.
    def drawn(self, file):
        with open(file, 'wb') as out:
            image = self.value('voxPage.pace.presentAgain(), voxPage.canvas.toDataURL()')
            out.write(base64.b64decode(image.partition(',')[2]))
)python";

}  // namespace

std::string chromium_driver() {
  return kDriver;
}

}  // namespace vox
