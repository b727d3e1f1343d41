// Tests the page that flies through a scene, in Chromium with software graphics.
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

// 24-bit colors are packed with a table or without one, and equal parts of a scene have different ones.
TEST_F(ScenePageTest, ShowsTheColorOfEachVoxel) {
  if (browser_name().empty()) GTEST_SKIP() << "no chromium";
  ASSERT_EQ(scene({"bumpy-sphere", "--triangles", "2000", "--texture-size", "64", "-o", "ball.glb"}).code, 0);
  ASSERT_EQ(scene({"village", "--seed", "3", "-o", "village.glb", "-q"}).code, 0);
  converted({"ball.glb", "--res", "200", "--materials", "colors", "--solid", "-q"});
  converted({"village.glb", "--res", "200", "--materials", "colors", "--palette-size", "300", "-q"});
  for (const char* name : {"ball", "village"})
    printed({std::string(name) + ".h5", "-q", "--html", std::string(name) + ".html"});
  expect_pictures("ball", {{"1.3,0.9,1.7", "0,0,0", "40"}, {"-5,3,4", "0,0,0", "30"}}, {"material"}, {});
  expect_pictures("village", {kVillageViews[0], kVillageViews[1]}, {"material"}, {});
  EXPECT_EQ(browsed(R"(
page.open('ball.html#panel=off')
page.wait('globalThis.voxPage')
page.value('document.getElementById("picture").dispatchEvent(new PointerEvent("pointermove", '
           '{clientX: 120, clientY: 80}))')
page.wait('/#[0-9a-f]{6}$/.test(document.getElementById("readout").textContent)')
print(messages(page)))"),
            "[]\n");
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
page.wait('voxPage.renderer.gl.isContextLost() && document.body.innerText.includes("context was lost")')
page.value('lose.restoreContext()')
page.wait('!voxPage.renderer.gl.isContextLost() && !document.body.innerText.includes("context was lost")')
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

}  // namespace
}  // namespace vox
