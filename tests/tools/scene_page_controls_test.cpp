// A scene page under its reader's hands, and pages that are damaged, empty or hostile.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "formats/images/image.h"
#include "formats/scene/scene_file.h"
#include "tests/tools/program.h"
#include "tests/tools/scene_page_program.h"

namespace vox {
namespace {

// The cube has 64 voxels a side.
TEST_F(ScenePageTest, DoesWhatItsReaderAsksFor) {
  if (browser_name().empty()) GTEST_SKIP() << "no chromium";
  printed({"cube.h5", "-q", "--html", "cube.html"});
  EXPECT_EQ(browsed(R"(
import json, math
load('cube')
page.wait('voxPage.pace.finished > 0')

# The page writes its address a moment after the view has come to rest. An address that was entered then is shown.
case('address', 'samples=1')
page.wait('voxPage.pace.finished > 0')
page.value('''new Promise(done => {
  const later = [], { setTimeout } = globalThis;
  globalThis.setTimeout = action => later.push(action);
  voxPage.changed();
  globalThis.setTimeout = setTimeout;
  addEventListener('hashchange', done);
  location.hash = 'eye=3,4,5&target=0,0,0&fov=30&samples=1';
  later.forEach(action => action());
})''')
print(page.value('voxPage.settings.pose.eye.join()'))
page.wait('location.hash.includes("eye=3,4,5&")')
page.value('voxPage.settings.pose.fov = 50, voxPage.changed()')
page.wait('location.hash.includes("fov=50")')

case('gamepad', 'samples=1')
far = 'Math.hypot(...voxPage.settings.pose.eye.map(at => at - 32))'
first = page.value(far)
page.value('''navigator.getGamepads = () => [null, { connected: true, axes: [0, -1, 0.05, 0], buttons: [] }];
dispatchEvent(new Event("gamepadconnected"))''')
page.wait('%s < %f' % (far, first * 0.9))
page.value('navigator.getGamepads = () => [null, null]')

# The cube's face at z = 1 is at a distance of 2, so a pixel there is 2 · 2 tan(20°) / 160 wide.
case('pick', 'samples=1&eye=0.5,0.5,3&target=0.5,0.5,0.5')
wide = 4 * math.tan(math.radians(20)) / 160 * 64
for x, y in (120, 80), (100, 50), (85, 113), (140, 121):
    pick = json.loads(page.value('JSON.stringify(voxPage.pick({x: %d + 0.5, y: %d + 0.5}))' % (x, y)))
    expected = [math.floor(32 + (x + 0.5 - 120) * wide), math.floor(32 - (y + 0.5 - 80) * wide), 63]
    print(pick['voxel'] == expected, abs(pick['point'][2] - 64) < 1e-3)
print(page.value('voxPage.pick({x: 2, y: 2})'))
page.mouse('mouseMoved', 120, 80)
page.wait('document.getElementById("readout").textContent.startsWith("voxel 32, 31, 63")')
page.value('voxPage.settings.clip.high[2] = 20, voxPage.changed()')
print(json.loads(page.value('JSON.stringify(voxPage.pick({x: 120.5, y: 80.5}))'))['voxel'])

# The box is hollow, and is cut at half its height. The middle row shows the cut through two of its walls and the
# remaining inner faces: up, right and left.
case('cut', 'samples=1&normals=smooth&shade=normal&y=0..32&eye=0.5,3,0.5001&target=0.5,0.5,0.5')
page.wait('voxPage.pace.finished > 0')
print(page.value('(() => { const { renderer, settings, size } = voxPage, found = new Set();'
    'const gl = renderer.gl, pixel = new Uint8Array(4 * 240 * 160); voxPage.pace.presentAgain();'
    'gl.readPixels(0, 0, 240, 160, gl.RGBA, gl.UNSIGNED_BYTE, pixel);'
    'for (let x = 0; x < 240; ++x) {'
    '  const pick = renderer.pick(settings, size, x + 0.5, 80.5);'
    '  if (pick && pick.voxel[1] === 31) found.add([...pixel.subarray(4 * (240 * 79 + x), 4 * (240 * 79 + x) + 3)].join());'
    '} return [...found].join(" "); })()'))

case('moves', 'samples=2')
pose = lambda: json.loads(page.value('JSON.stringify(voxPage.settings.pose)'))
far = lambda p: sum((a - b) ** 2 for a, b in zip(p['eye'], p['target'])) ** 0.5
first = pose()
page.mouse('mousePressed', 120, 80, button='left', buttons=1)
page.mouse('mouseMoved', 150, 90, button='left', buttons=1)
page.mouse('mouseReleased', 150, 90, button='left')
turned = pose()
print(turned['target'] == first['target'], turned['eye'] != first['eye'], abs(far(turned) - far(first)) < 1e-6)
page.mouse('mouseWheel', 120, 80, deltaX=0, deltaY=-300)
page.wait('JSON.stringify(voxPage.settings.pose) !== ' + json.dumps(json.dumps(turned, separators=(',', ':'))))
print(far(pose()) < far(turned))
page.key('2', 'Digit2', '2')
page.wait('location.hash.includes("shade=normal")')
page.key('w', 'KeyW', 'w')
page.key('h', 'KeyH', 'h')
page.wait('Math.hypot(...voxPage.settings.pose.eye.map((e, i) => e - %s[i])) < 1e-6' % json.dumps(first['eye']))
page.key('?', 'Slash', '?')
page.wait('document.getElementById("help").open')
page.value('document.getElementById("help").close()')

case('slow', '')
page.wait('voxPage.pace.finished > 0')
print(page.value('document.getElementById("slow").hidden'))
page.value('''
const gl = voxPage.renderer.gl, real = gl.getSyncParameter.bind(gl), began = performance.now();
gl.getSyncParameter = (fence, what) => performance.now() - began < 1500 ? gl.UNSIGNALED : real(fence, what);
voxPage.changed()''')
page.wait('!document.getElementById("slow").hidden')
for i in range(40):
    page.value('voxPage.changed()')
    page.value('new Promise(done => setTimeout(done, 30))')
page.wait('document.getElementById("slow").hidden')
page.wait('voxPage.pace.finished > 0')

case('lost', 'samples=1')
page.value('document.body.classList.add("bare")')
page.wait('voxPage.pace.finished > 0')
page.screenshot('before.png')
lose_graphics()
page.wait('voxPage.pace.finished > 0')
page.screenshot('after.png')
page.value('document.body.classList.remove("bare")')

# The window shows only the sky.
case('widths', 'samples=1&eye=0,0,9&target=0,0,20')
page.value('document.getElementById("open-panel").click()')
for width, height in (1280, 720), (390, 800):
    page.resize(width, height)
    page.wait('innerWidth === %d' % width)
    print(page.value('''[...document.querySelectorAll("#head, #bar button, #panel label, #foot > div")].filter(part => {
      const box = part.getBoundingClientRect();
      return box.width > 0 && (box.left < 0 || box.right > innerWidth);
    }).length'''))
    print(page.value('''(({ width, height }) => width * height < innerWidth * innerHeight / 3)(
      document.getElementById("panel").getBoundingClientRect())'''))
print(messages(page)))"),
            "cube\naddress\n192,256,320\ngamepad\n"
            "pick\nTrue True\nTrue True\nTrue True\nTrue True\nNone\n[32, 31, 0]\n"
            "cut\n188,255,188 255,188,188 0,188,188\nmoves\nTrue True True\nTrue\n"
            "slow\nTrue\nlost\nwidths\n0\nTrue\n0\nTrue\n[]\n");
  EXPECT_EQ(share_of_different("before.png", "after.png"), 0);
}

TEST_F(ScenePageTest, ShowsTheFinestLevelThatFits) {
  make_village();
  const uint64_t whole = read_bytes(folder_ / "village.html").size();
  const Finished run =
      ran({"village.h5", "--html", "small.html", "--page-limit", std::to_string(whole - 1), "--json"});
  EXPECT_EQ(run.code, 0);
  EXPECT_TRUE(has(run.err, "the page shows 100³ voxels")) << run.err;
  EXPECT_EQ(json_value(run.out, "resolution"), "100");
  const std::string page = read_bytes(folder_ / "small.html");
  EXPECT_LT(page.size(), whole);
  EXPECT_EQ(json_value(run.out, "bytes"), std::to_string(page.size()));
  EXPECT_TRUE(has(page, "the scene has 200³"));
  printed({"village.h5", "-q", "--html", "low.html", "--cut", "y=30"});
  EXPECT_TRUE(has(read_bytes(folder_ / "low.html"), "&y=0..31\""));
  printed(
      {"village.h5", "-q", "--html", "low.html", "--cut", "y=30", "--page-limit", std::to_string(whole - 1)});
  EXPECT_TRUE(has(read_bytes(folder_ / "low.html"), "&y=0..16\""));
  expect_failure(kFailed, "raise --page-limit", {"village.h5", "--html", "none.html", "--page-limit", "10K"});
}

TEST_F(ScenePageTest, IsTheSameForTheSameScene) {
  printed({"cube.h5", "-q", "--html", "page.html"});
  const std::string first = read_bytes(folder_ / "page.html");
  printed({"cube.h5", "-q", "--html", "page.html"});
  EXPECT_TRUE(read_bytes(folder_ / "page.html") == first);
}

TEST_F(ScenePageTest, RefusesWhatHasNoEffectOnIt) {
  for (const std::vector<std::string>& options :
       std::vector<std::vector<std::string>>{{"--size", "10x10"},
                                             {"-o", "a.png"},
                                             {"--turntable", "3"},
                                             {"--ao", "4"},
                                             {"--samples", "2"},
                                             {"--level-colors", "voxel"},
                                             {"--slice", "z=1"},
                                             {"--legend", "off"},
                                             {"--opacity", "0.5"}}) {
    std::vector<std::string> all = {"cube.h5", "--html", "page.html"};
    all.insert(all.end(), options.begin(), options.end());
    expect_failure(kBadUsage, options[0], all);
  }
  expect_failure(kBadUsage, "--page-limit", {"cube.h5", "--page-limit", "1M"});
  expect_failure(kBadUsage, ".html", {"cube.h5", "--html", "page.txt"});
}

}  // namespace
}  // namespace vox
