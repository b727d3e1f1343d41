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

TEST_F(ScenePageTest, SaysThatGraphicsAreTooSlowInsteadOfHanging) {
  if (browser_name().empty()) GTEST_SKIP() << "no chromium";
  printed({"cube.h5", "-q", "--html", "cube.html"});
  EXPECT_EQ(browsed(R"(
page.open('cube.html')
page.wait('globalThis.voxPage && voxPage.pace.finished > 0')
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
print(messages(page)))"),
            "True\n[]\n");
}

TEST_F(ScenePageTest, FliesWithAGamepad) {
  if (browser_name().empty()) GTEST_SKIP() << "no chromium";
  printed({"cube.h5", "-q", "--html", "cube.html"});
  EXPECT_EQ(browsed(R"(
page.open('cube.html#samples=1')
page.wait('globalThis.voxPage')
far = 'Math.hypot(...voxPage.settings.pose.eye.map(at => at - 32))'
first = page.value(far)
page.value('''navigator.getGamepads = () => [null, { connected: true, axes: [0, -1, 0.05, 0], buttons: [] }];
dispatchEvent(new Event("gamepadconnected"))''')
page.wait('%s < %f' % (far, first * 0.9))
page.value('navigator.getGamepads = () => [null, null]')
print(messages(page)))"),
            "[]\n");
}

TEST_F(ScenePageTest, PicksTheVoxelsThatRaysHit) {
  if (browser_name().empty()) GTEST_SKIP() << "no chromium";
  printed({"cube.h5", "-q", "--html", "cube.html", "--eye", "0.5,0.5,3", "--target", "0.5,0.5,0.5"});
  // The cube's face at z = 1 is at a distance of 2, so a pixel there is 2 · 2 tan(20°) / 160 wide.
  EXPECT_EQ(browsed(R"(
page.open('cube.html')
page.wait('globalThis.voxPage')
import json, math
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
print(messages(page)))"),
            "True True\nTrue True\nTrue True\nTrue True\nNone\n[32, 31, 0]\n[]\n");
}

TEST_F(ScenePageTest, ComesBackWhenItsGraphicsWereTaken) {
  if (browser_name().empty()) GTEST_SKIP() << "no chromium";
  printed({"cube.h5", "-q", "--html", "cube.html"});
  EXPECT_EQ(browsed(R"(
page.open('cube.html#samples=1&panel=off')
page.wait('globalThis.voxPage && voxPage.pace.finished > 0')
page.screenshot('before.png')
page.value('globalThis.lose = voxPage.renderer.gl.getExtension("WEBGL_lose_context"), lose.loseContext()')
page.wait('voxPage.renderer.gl.isContextLost() && document.body.innerText.includes("context was lost")')
page.value('lose.restoreContext()')
page.wait('!voxPage.renderer.gl.isContextLost() && !document.body.innerText.includes("context was lost")')
page.wait('voxPage.pace.finished > 0')
page.screenshot('after.png'))"),
            "");
  EXPECT_EQ(share_of_different("before.png", "after.png"), 0);
}

TEST_F(ScenePageTest, MovesAsItIsTold) {
  if (browser_name().empty()) GTEST_SKIP() << "no chromium";
  printed({"cube.h5", "-q", "--html", "cube.html"});
  EXPECT_EQ(browsed(R"(
page.open('cube.html#samples=2')
page.wait('globalThis.voxPage')
import json
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
print(messages(page)))"),
            "True True True\nTrue\n[]\n");
}

// The page writes its address a moment after the view has come to rest. An address that was entered then is shown. The
// cube has 64 voxels a side.
TEST_F(ScenePageTest, ShowsAnAddressThatIsEnteredWhileItWritesItsOwn) {
  if (browser_name().empty()) GTEST_SKIP() << "no chromium";
  printed({"cube.h5", "-q", "--html", "cube.html"});
  EXPECT_EQ(browsed(R"(
page.open('cube.html#samples=1&panel=off')
page.wait('globalThis.voxPage && voxPage.pace.finished > 0')
page.value('''new Promise(done => {
  const later = [], { setTimeout } = globalThis;
  globalThis.setTimeout = action => later.push(action);
  voxPage.changed();
  globalThis.setTimeout = setTimeout;
  addEventListener('hashchange', done);
  location.hash = 'eye=3,4,5&target=0,0,0&fov=30';
  later.forEach(action => action());
})''')
print(page.value('voxPage.settings.pose.eye.join()'))
page.wait('location.hash.includes("eye=3,4,5&")')
page.value('voxPage.settings.pose.fov = 50, voxPage.changed()')
page.wait('location.hash.includes("fov=50")')
print(messages(page)))"),
            "192,256,320\n[]\n");
}

TEST_F(ScenePageTest, KeepsAViewFarFromTheOriginInItsAddress) {
  if (browser_name().empty()) GTEST_SKIP() << "no chromium";
  dag::VoxelScene far = read_scene(folder_ / "cube.h5");
  far.origin = {5e6, 12, -4e6};
  write_scene(far, folder_ / "far.h5");
  printed({"far.h5", "-q", "--html", "far.html", "--eye", "5000002.0123,13.5,-3999997.9876"});
  EXPECT_EQ(browsed(R"(
page.open('far.html')
page.wait('globalThis.voxPage')
page.value('voxPage.changed()')
page.wait('location.hash.includes("eye=")')
print(page.value('new URLSearchParams(location.hash.slice(1)).get("eye")'))
print(messages(page)))"),
            "5000002.0123,13.5,-3999997.9876\n[]\n");
}

// Returns the mean code of all pixels of a picture.
double brightness(const scene::Image& image) {
  double sum = 0;
  for (const scene::Rgba8& p : image.pixels) sum += p.r + p.g + p.b;
  return sum / 3 / static_cast<double>(image.pixels.size());
}

TEST_F(ScenePageTest, ShowsAmbientOcclusionInItsFirstPictureAtRest) {
  if (browser_name().empty()) GTEST_SKIP() << "no chromium";
  make_village();
  printed({"village.h5", "-q", "--size", "240x160", "--eye", "4,3,16", "--target", "0,2,0", "--fov", "60",
           "--ao", "64", "-o", "picture.png"});
  EXPECT_EQ(browsed(R"(
for ao in 'on', 'off':
    page.open('village.html#samples=1&panel=off&eye=4,3,16&target=0,2,0&fov=60&ao=' + ao)
    page.wait('globalThis.voxPage && voxPage.settings.occlusion === %s' % ('true' if ao == 'on' else 'false'))
    page.wait('voxPage.pace.finished > 0')
    page.screenshot(ao + '.png')
print(messages(page)))"),
            "[]\n");
  const double expected = brightness(read_image(folder_ / "picture.png"));
  EXPECT_NEAR(brightness(read_image(folder_ / "on.png")), expected, 1.5);
  EXPECT_GT(brightness(read_image(folder_ / "off.png")), expected + 4);
}

TEST_F(ScenePageTest, FitsIntoWindowsOfAnyWidth) {
  if (browser_name().empty()) GTEST_SKIP() << "no chromium";
  printed({"cube.h5", "-q", "--html", "cube.html"});
  EXPECT_EQ(browsed(R"(
page.open('cube.html#samples=1')
page.wait('globalThis.voxPage')
page.value('document.getElementById("open-panel").click()')
for width, height in (1280, 720), (390, 800):
    page.resize(width, height)
    page.wait('innerWidth === %d' % width)
    print(page.value('''[...document.querySelectorAll("#head, #bar button, #panel label, #foot > div")].filter(part => {
      const box = part.getBoundingClientRect();
      return box.width > 0 && (box.left < 0 || box.right > innerWidth);
    }).length'''))
    print(page.value('''(({ width, height }) => width * height < innerWidth * innerHeight / 3)(
      document.getElementById("panel").getBoundingClientRect())''')))"),
            "0\nTrue\n0\nTrue\n");
}

TEST_F(ScenePageTest, ThatIsDamagedSaysSo) {
  if (browser_name().empty()) GTEST_SKIP() << "no chromium";
  printed({"cube.h5", "-q", "--html", "cube.html"});
  const std::string good = read_bytes(folder_ / "cube.html");
  const size_t words = good.find("id=\"words-0\">") + 13;
  std::string flipped = good, cut = good, facts = good;
  flipped[words + 40] = flipped[words + 40] == 'A' ? 'B' : 'A';
  cut.erase(words + 100, 400);
  facts.erase(facts.find("\"resolution\""), 4);
  write("flipped.html", flipped);
  write("cut.html", cut);
  write("facts.html", facts);
  EXPECT_EQ(browsed(R"(
for name in 'flipped', 'cut', 'facts':
    page.open(name + '.html')
    page.wait('document.getElementById("message")?.innerText.includes("This page is damaged")')
print(messages(page)))"),
            "[]\n");
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

TEST_F(ScenePageTest, OfAnEmptySceneShowsTheSky) {
  dag::VoxelScene scene = read_scene(folder_ / "cube.h5");
  scene.dag = dag::empty_dag(64, true);
  scene.dag.digest = dag::compute_digest(scene.dag);
  write_scene(scene, folder_ / "empty.h5");
  printed({"empty.h5", "-q", "--html", "empty.html"});
  if (browser_name().empty()) GTEST_SKIP() << "no chromium";
  EXPECT_EQ(browsed(R"(
page.open('empty.html#samples=1')
page.wait('globalThis.voxPage && voxPage.pace.finished > 0')
print(page.value('voxPage.pick({x: 120, y: 80})'))
print(messages(page)))"),
            "None\n[]\n");
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

TEST_F(ScenePageTest, HostileNamesAreText) {
  dag::VoxelScene scene = read_scene(folder_ / "cube.h5");
  scene.palette.names[0] = "</script><script>alert(1)</script>";
  const std::string name = "<script>alert('2') & \"so\" on.h5";
  write_scene(scene, folder_ / name);
  printed({name, "-q", "--html", "page.html"});
  EXPECT_FALSE(has(read_bytes(folder_ / "page.html"), "<script>alert"));
  if (browser_name().empty()) GTEST_SKIP() << "no chromium";
  EXPECT_EQ(browsed(R"(
page.open('page.html')
page.wait('globalThis.voxPage')
print(page.value('document.getElementById("title").textContent'))
print(page.value('document.querySelector("#palette span").textContent'))
print(messages(page)))"),
            name + "\n</script><script>alert(1)</script>\n[]\n");
}

}  // namespace
}  // namespace vox
