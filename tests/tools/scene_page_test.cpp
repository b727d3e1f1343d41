// Tests the page that flies through a scene, in Chromium with software graphics.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "formats/images/image.h"
#include "formats/scene/scene_file.h"
#include "tests/tools/chromium_driver.h"
#include "tests/tools/program.h"

namespace vox {
namespace {

// The driver reports that software graphics copy pictures, which does not concern the page.
constexpr const char* kOpen = R"(
import os, sys
from chromium import Chromium
def messages(page):
    return [m for m in page.messages if 'GPU stall due to ReadPixels' not in m]
)";

struct View {
  std::string eye, target, fov;
};
using Choices = std::vector<std::pair<std::string, std::string>>;  // in the words of vox-render and the page

class ScenePageTest : public CubesTest {
 protected:
  ScenePageTest() : CubesTest("vox-render") {}

  void make_village() const {
    ASSERT_EQ(scene({"village", "--seed", "3", "-o", "village.obj", "-q"}).code, 0);
    converted({"village.obj", "--res", "200", "-q"});
    printed({"village.h5", "-q", "--html", "village.html"});
  }

  // Runs Python lines in which `page` is a browser of 240 x 160 pixels, and returns their output.
  std::string browsed(const std::string& lines) const {
    write("chromium.py", chromium_driver());
    std::string indented = "    ";
    for (const char c : lines) indented += c == '\n' ? "\n    " : std::string(1, c);
    return python(fmt::format("{}with Chromium('{}', os.getcwd(), 240, 160) as page:\n{}\n", kOpen,
                              browser_name(), indented));
  }

  // Returns the share of pixels that differ by more than the rounding of a colour.
  double share_of_different(const std::string& a, const std::string& b) const {
    const scene::Image one = read_image(folder_ / a), other = read_image(folder_ / b);
    if (one.width != other.width || one.height != other.height) return 1;
    size_t different = 0;
    const auto apart = [](uint8_t x, uint8_t y) { return std::abs(int{x} - int{y}) > 2; };
    for (size_t i = 0; i < one.pixels.size(); ++i) {
      const scene::Rgba8 p = one.pixels[i], q = other.pixels[i];
      different += apart(p.r, q.r) || apart(p.g, q.g) || apart(p.b, q.b);
    }
    return static_cast<double>(different) / static_cast<double>(one.pixels.size());
  }

  // Expects that SCENE.html shows the same as pictures of SCENE.h5, with and without level of detail.
  void expect_pictures(const std::string& scene, const std::vector<View>& views,
                       const std::vector<std::string>& shades, const Choices& choices) const {
    std::string lines = fmt::format(R"(
page.open('{}.html#samples=1&panel=off')
page.wait('globalThis.voxPage')
def show(view, file):
    page.value('new Promise(done => {{ addEventListener("hashchange", done); location.hash = "%s&samples=1&ao=off" }})' % view)
    page.wait('voxPage.pace.finished > 0')
    page.screenshot(file)
)",
                                    scene);
    std::vector<std::string> names;
    for (const View& view : views)
      for (const std::string& shade : shades)
        for (const char* lod : {"on", "off"}) {
          const std::string name = fmt::format("{}-{}-{}", names.size(), shade, lod);
          take_picture(scene, name, view, shade, lod, choices);
          std::string address = fmt::format("eye={}&target={}&fov={}&shade={}&lod={}", view.eye, view.target,
                                            view.fov, shade, lod);
          for (const auto& [option, value] : choices) address += "&" + option + "=" + value;
          lines += fmt::format("show('{}', '{}-page.png')\n", address, name);
          names.push_back(name);
        }
    EXPECT_EQ(browsed(lines + "print(messages(page))"), "[]\n");
    for (const std::string& name : names)
      EXPECT_LE(share_of_different(name + ".png", name + "-page.png"), 0.005) << scene << " " << name;
  }

 private:
  // Uses vox-render's defaults, except that a pixel has one sample and voxels have their own colours, because a
  // page has no mean colours.
  void take_picture(const std::string& scene, const std::string& name, const View& view,
                    const std::string& shade, const std::string& lod, const Choices& choices) const {
    const bool lit = shade == "material";
    std::vector<std::string> options = {scene + ".h5",
                                        "-q",
                                        "--size",
                                        "240x160",
                                        "--samples",
                                        "1",
                                        "-o",
                                        name + ".png",
                                        "--eye=" + view.eye,
                                        "--target=" + view.target,
                                        "--fov",
                                        view.fov,
                                        "--shade",
                                        shade,
                                        "--lod",
                                        lod};
    if (lit && lod == "on") options.insert(options.end(), {"--level-colors", "voxel"});
    if (!lit) options.insert(options.end(), {"--legend", "off"});
    for (const auto& [option, value] : choices) {
      if (!lit && (option != "normals" || shade != "normal")) continue;
      options.push_back("--" + option);
      if (option != "ground") options.push_back(value);
    }
    printed(options);
  }
};

const std::vector<View> kVillageViews = {
    {"60,50,70", "0,5,0", "40"}, {"4,3,16", "0,2,0", "60"}, {"-20,90,-30", "1,0,2", "35"}};

// The object is a cup on a thin foot, with walls as wide as a voxel.
std::string cup_obj() {
  constexpr int kSides = 48;
  constexpr double kProfile[][2] = {{0.3, 0},    {0.28, 0.01}, {0.012, 0.02}, {0.012, 0.4},
                                    {0.2, 0.45}, {0.35, 0.6},  {0.42, 0.8},   {0.44, 1}};
  std::string points, faces;
  int first = 1;
  for (const auto& [radius, height] : kProfile) {
    for (int i = 0; i < kSides; ++i) {
      const double angle = 2 * std::numbers::pi * i / kSides;
      points +=
          fmt::format("v {} {} {}\n", 0.5 + radius * std::cos(angle), height, 0.5 + radius * std::sin(angle));
    }
    for (int i = 0; first > 1 && i < kSides; ++i) {
      const int next = (i + 1) % kSides, below = first - kSides;
      faces += fmt::format("f {} {} {} {}\n", below + i, below + next, first + next, first + i);
    }
    first += kSides;
  }
  return points + faces;
}

TEST_F(ScenePageTest, ShowsWhatPicturesShow) {
  if (browser_name().empty()) GTEST_SKIP() << "no chromium";
  make_village();
  expect_pictures("village", kVillageViews, {"depth", "material", "normal"}, {});
}

TEST_F(ScenePageTest, ShowsFacesUnderAFlatSkyWhereAskedFor) {
  if (browser_name().empty()) GTEST_SKIP() << "no chromium";
  make_village();
  expect_pictures("village", kVillageViews, {"material", "normal"}, {{"normals", "faces"}, {"sky", "flat"}});
}

TEST_F(ScenePageTest, ShowsSmoothThingsAsPicturesDo) {
  if (browser_name().empty()) GTEST_SKIP() << "no chromium";
  ASSERT_EQ(scene({"bumpy-sphere", "--triangles", "20000", "-o", "ball.obj", "-q"}).code, 0);
  converted({"ball.obj", "--res", "600", "-q"});
  printed({"ball.h5", "-q", "--html", "ball.html"});
  expect_pictures(
      "ball", {{"1.3,0.9,1.7", "0,0,0", "40"}, {"0.4,0.5,1.2", "0,0.2,0", "50"}, {"-5,3,4", "0,0,0", "30"}},
      {"material", "normal"}, {});
}

TEST_F(ScenePageTest, ShowsThinWallsOnTheGroundAsPicturesDo) {
  if (browser_name().empty()) GTEST_SKIP() << "no chromium";
  write("cup.obj", cup_obj());
  converted({"cup.obj", "--res", "400", "-q"});
  printed({"cup.h5", "-q", "--html", "cup.html"});
  expect_pictures("cup",
                  {{"2,2.5,3", "0.5,0.4,0.5", "40"},
                   {"0.6,1.5,1.4", "0.5,0.2,0.5", "60"},
                   {"-5,6,4", "0.5,0.5,0.5", "20"}},
                  {"material"}, {{"ground", "on"}, {"normals", "smooth"}, {"exposure", "1.5"}});
}

TEST_F(ScenePageTest, BeginsWithTheLightThatItIsToldOf) {
  const std::vector<std::string> look = {"--eye",     "2,2,3", "--target",   "0.5,0.3,0.5", "--sky",   "flat",
                                         "--normals", "faces", "--exposure", "0.8",         "--ground"};
  std::vector<std::string> page = {"cube.h5", "-q", "--html", "cube.html"},
                           picture = {"cube.h5", "-q", "--size",      "240x160",        "--samples",
                                      "1",       "-o", "picture.png", "--level-colors", "voxel"};
  page.insert(page.end(), look.begin(), look.end());
  picture.insert(picture.end(), look.begin(), look.end());
  printed(page);
  if (browser_name().empty()) GTEST_SKIP() << "no chromium";
  printed(picture);
  EXPECT_EQ(browsed(R"(
page.open('cube.html')
page.wait('globalThis.voxPage')
page.value('voxPage.settings.samples = 1, voxPage.settings.occlusion = false')
page.value('document.body.classList.add("bare"), voxPage.changed()')
page.wait('location.hash.endsWith("&normals=faces&sky=flat&ground=on&exposure=0.8")')
page.wait('voxPage.pace.finished > 0')
page.screenshot('page.png')
print(messages(page)))"),
            "[]\n");
  EXPECT_LE(share_of_different("picture.png", "page.png"), 0.005);
}

TEST_F(ScenePageTest, ShadesTheFacesOfACutAsTheyAre) {
  if (browser_name().empty()) GTEST_SKIP() << "no chromium";
  printed({"cube.h5", "-q", "--html", "cube.html"});
  // The hollow box is cut at half its height. The middle row shows the cut through two of its walls and the
  // remaining inner faces: up, right and left.
  EXPECT_EQ(browsed(R"(
page.open('cube.html#samples=1&panel=off&normals=smooth&shade=normal&y=0..32&eye=0.5,3,0.5001&target=0.5,0.5,0.5')
page.wait('globalThis.voxPage')
page.wait('voxPage.pace.finished > 0')
print(page.value('(() => { const { renderer, settings, size } = voxPage, found = new Set();'
    'const gl = renderer.gl, pixel = new Uint8Array(4 * 240 * 160); voxPage.pace.presentAgain();'
    'gl.readPixels(0, 0, 240, 160, gl.RGBA, gl.UNSIGNED_BYTE, pixel);'
    'for (let x = 0; x < 240; ++x) {'
    '  const pick = renderer.pick(settings, size, x + 0.5, 80.5);'
    '  if (pick && pick.voxel[1] === 31) found.add([...pixel.subarray(4 * (240 * 79 + x), 4 * (240 * 79 + x) + 3)].join());'
    '} return [...found].join(" "); })()'))
print(messages(page)))"),
            "188,255,188 255,188,188 0,188,188\n[]\n");
}

TEST_F(ScenePageTest, ShowsHowOftenLeavesAreUsed) {
  if (browser_name().empty()) GTEST_SKIP() << "no chromium";
  make_village();
  printed({"village.h5", "-q", "--size", "240x160", "-o", "picture.png", "--eye", "60,50,70", "--target",
           "0,5,0", "--shade", "sharing", "--legend", "off", "--samples", "1"});
  printed({"village.h5", "-q", "--html", "village.html", "--shade", "sharing", "--eye", "60,50,70",
           "--target", "0,5,0"});
  EXPECT_EQ(browsed(R"(
page.open('village.html')
page.wait('globalThis.voxPage')
page.value('document.getElementById("open-panel").click()')
print(page.value('document.getElementById("legend").innerText.includes("Uses of a leaf")'))
page.value('voxPage.settings.samples = 1, document.body.classList.add("bare"), voxPage.changed()')
page.wait('voxPage.pace.finished > 0')
page.screenshot('page.png')
page.value('globalThis.lose = voxPage.renderer.gl.getExtension("WEBGL_lose_context"), lose.loseContext()')
page.wait('voxPage.renderer.gl.isContextLost() && document.body.innerText.includes("taken away")')
page.value('lose.restoreContext()')
page.wait('!voxPage.renderer.gl.isContextLost() && !document.body.innerText.includes("taken away")')
page.wait('voxPage.pace.finished > 0')
page.screenshot('after.png')
print(messages(page)))"),
            "True\n[]\n");
  EXPECT_LE(share_of_different("picture.png", "page.png"), 0.005);
  EXPECT_EQ(share_of_different("page.png", "after.png"), 0);
}

TEST_F(ScenePageTest, OfABoxHoldsTheVoxelsInIt) {
  const Finished run = ran({"cube.h5", "--html", "cube.html", "--eye", "0.5,0.5,3", "--target", "0.5,0.5,0.5",
                            "--clip", "0,0,0,1,1,0.5", "--json"});
  ASSERT_EQ(run.code, 0) << run.err;
  const std::string page = read_bytes(folder_ / "cube.html");
  EXPECT_TRUE(has(page, "the box from 0,0,0 to 1,1,0.5 of a scene of 23,816 voxels"));
  expect_failure(kFailed, "no voxel of the scene lies in the box",
                 {"cube.h5", "--html", "a.html", "--clip", "0.2,0.2,0.2,0.8,0.8,0.8"});
  expect_failure(kFailed, "no voxel of the scene lies in the box",
                 {"cube.h5", "--html", "a.html", "--clip", "5,5,5,6,6,6"});
  expect_failure(kBadUsage, "--clip is", {"cube.h5", "--html", "a.html", "--clip", "1,0,0,0,1,1"});
  if (browser_name().empty()) GTEST_SKIP() << "no chromium";
  EXPECT_EQ(browsed(R"(
page.open('cube.html')
page.wait('globalThis.voxPage')
import json
print(json.loads(page.value('JSON.stringify(voxPage.pick({x: 120.5, y: 80.5}))'))['voxel'])
print(json.loads(page.value('JSON.stringify(voxPage.facts.high)')))
print('the box from' in page.value('document.getElementById("shown").textContent'))
print(messages(page)))"),
            "[32, 31, 0]\n{'x': 64, 'y': 64, 'z': 32}\nTrue\n[]\n");
}

TEST_F(ScenePageTest, OpensCutFromTheSideOfItsFirstView) {
  printed({"cube.h5", "-q", "--html", "below.html", "--cut", "y=40", "--eye", "0.5,-3,0.5001"});
  EXPECT_TRUE(has(read_bytes(folder_ / "below.html"), "&y=40..64\""));
  printed({"cube.h5", "-q", "--html", "cube.html", "--cut", "y=20", "--eye", "0.5,3,0.5001"});
  expect_failure(kFailed, "there is no plane y=64", {"cube.h5", "--html", "a.html", "--cut", "y=64"});
  if (browser_name().empty()) GTEST_SKIP() << "no chromium";
  // Below the cut the box is hollow, so that the middle shows its floor, and the walls show at their cut.
  EXPECT_EQ(browsed(R"(
page.open('cube.html')
page.wait('globalThis.voxPage')
print(page.value('voxPage.pick({x: 120.5, y: 80.5}).voxel[1]'))
print(page.value('Math.max(...[...Array(240).keys()].map(x => voxPage.pick({x: x + 0.5, y: 80.5})?.voxel[1] ?? 0))'))
page.value('voxPage.changed()')
page.wait('location.hash.includes("&y=0..21")')
print(messages(page)))"),
            "0\n20\n[]\n");
}

TEST_F(ScenePageTest, IsMadeOfWhicheverFormIsAskedFor) {
  converted({"cube.h5", "--structure", "svdag,hash,bricks", "-q", "-o", "all.h5"});
  converted({"cube.h5", "--structure", "bricks", "-q", "-o", "bricks.h5"});
  printed({"all.h5", "-q", "--size", "60x40", "-o", "svdag.png"});
  const std::string quoted = digest("cube.h5");
  for (const char* form : {"svdag", "hash", "bricks"}) {
    printed({"all.h5", "-q", "--size", "60x40", "-o", "a.png", "--structure", form});
    EXPECT_EQ(share_of_different("svdag.png", "a.png"), 0) << form;
    printed({"all.h5", "-q", "--html", "page.html", "--structure", form});
    EXPECT_TRUE(has(read_bytes(folder_ / "page.html"), quoted.substr(1, quoted.size() - 2))) << form;
  }
  printed({"bricks.h5", "-q", "--html", "page.html", "--structure", "bricks"});
  expect_failure(kFailed, "holds no spatial hash", {"cube.h5", "--html", "a.html", "--structure", "hash"});
  expect_failure(kFailed, "holds no bricks", {"cube.h5", "--html", "a.html", "--structure", "bricks"});
  write("v_4x4x4_uint8.raw", std::string(64, 'x'));
  converted({"v_4x4x4_uint8.raw", "-q", "-o", "volume.h5"});
  expect_failure(kFailed, "bricks of a volume", {"volume.h5", "--html", "a.html", "--structure", "bricks"});
  expect_failure(kFailed, "bricks of a volume", {"volume.h5", "--html", "a.html"});
}

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
page.wait('voxPage.renderer.gl.isContextLost() && document.body.innerText.includes("taken away")')
page.value('lose.restoreContext()')
page.wait('!voxPage.renderer.gl.isContextLost() && !document.body.innerText.includes("taken away")')
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
