#include "tests/tools/chromium_driver.h"

namespace vox {
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
        self.call('Page.navigate', url='about:blank')  # a fragment alone would not load the page again
        self.call('Page.navigate', url='file://' + os.path.abspath(path) + ('#' + fragment if fragment else ''))

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
            time.sleep(0.02)

    def mouse(self, kind, x, y, **more):
        self.call('Input.dispatchMouseEvent', type=kind, x=x, y=y, **more)

    def key(self, key, code='', text=''):
        for kind in ('keyDown', 'keyUp'):
            self.call('Input.dispatchKeyEvent', type=kind, key=key, code=code, text=text if kind == 'keyDown' else '')

    def screenshot(self, file):
        with open(file, 'wb') as out:
            out.write(base64.b64decode(self.call('Page.captureScreenshot', format='png')['data']))
)python";

}  // namespace

std::string chromium_driver() {
  return kDriver;
}

}  // namespace vox
