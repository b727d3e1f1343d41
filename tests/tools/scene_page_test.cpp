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

constexpr const char *kHostileName = "<script>alert('2') & \"so\" on.h5",
                     *kHostileText = "</script><script>alert(1)</script>";

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

// Returns the mean code of all pixels of a picture.
double brightness(const scene::Image& image) {
  double sum = 0;
  for (const scene::Rgba8& p : image.pixels) sum += p.r + p.g + p.b;
  return sum / 3 / static_cast<double>(image.pixels.size());
}

// The first picture at rest has ambient occlusion. A page of how often leaves are used comes back when its graphics
// were taken.
TEST_F(ScenePageTest, ShowsWhatPicturesShow) {
  if (browser_name().empty()) GTEST_SKIP() << "no chromium";
  make_village();
  printed({"village.h5", "-q", "--size", "240x160", "--eye", "4,3,16", "--target", "0,2,0", "--fov", "60",
           "--ao", "64", "-o", "occluded.png"});
  printed({"village.h5", "-q", "--size", "240x160", "-o", "uses.png", "--eye", "60,50,70", "--target",
           "0,5,0", "--shade", "sharing", "--legend", "off", "--samples", "1"});
  printed({"village.h5", "-q", "--html", "uses.html", "--shade", "sharing", "--eye", "60,50,70", "--target",
           "0,5,0"});
  expect_pictures(
      {{"village", kVillageViews, {"depth", "material", "normal"}, {}},
       {"village", kVillageViews, {"material", "normal"}, {{"normals", "faces"}, {"sky", "flat"}}}},
      R"(
for ao in 'on', 'off':
    show('samples=1&eye=4,3,16&target=0,2,0&fov=60&ao=' + ao)
    page.wait('voxPage.settings.occlusion === %s' % ('true' if ao == 'on' else 'false'))
    page.wait('voxPage.pace.finished > 0')
    page.screenshot(ao + '.png')
page.open('uses.html')
page.wait('globalThis.voxPage')
page.value('document.getElementById("open-panel").click()')
page.wait('document.getElementById("legend").innerText.includes("Uses of a leaf")')
page.value('voxPage.settings.samples = 1, document.body.classList.add("bare"), voxPage.changed()')
page.wait('voxPage.pace.finished > 0')
page.screenshot('uses-page.png')
lose_graphics()
page.wait('voxPage.pace.finished > 0')
page.screenshot('uses-after.png'))");
  const double expected = brightness(read_image(folder_ / "occluded.png"));
  EXPECT_NEAR(brightness(read_image(folder_ / "on.png")), expected, 1.5);
  EXPECT_GT(brightness(read_image(folder_ / "off.png")), expected + 4);
  EXPECT_LE(share_of_different("uses.png", "uses-page.png"), 0.005);
  EXPECT_EQ(share_of_different("uses-page.png", "uses-after.png"), 0);
}

// 24-bit colors are packed with a table or without one, and equal parts of a scene have different ones.
TEST_F(ScenePageTest, ShowsColorsSmoothThingsAndThinWallsAsPicturesDo) {
  if (browser_name().empty()) GTEST_SKIP() << "no chromium";
  ASSERT_EQ(scene({"bumpy-sphere", "--triangles", "2000", "--texture-size", "64", "-o", "ball.glb"}).code, 0);
  ASSERT_EQ(scene({"village", "--seed", "3", "-o", "village.glb", "-q"}).code, 0);
  ASSERT_EQ(scene({"bumpy-sphere", "--triangles", "20000", "-o", "smooth.obj", "-q"}).code, 0);
  write("cup.obj", cup_obj());
  converted({"ball.glb", "--res", "200", "--materials", "colors", "--solid", "-q"});
  converted({"village.glb", "--res", "200", "--materials", "colors", "--palette-size", "300", "-q"});
  converted({"smooth.obj", "--res", "600", "-q"});
  converted({"cup.obj", "--res", "400", "-q"});
  for (const std::string name : {"ball", "village", "smooth", "cup"})
    printed({name + ".h5", "-q", "--html", name + ".html"});
  expect_pictures(
      {{"cup",
        {{"2,2.5,3", "0.5,0.4,0.5", "40"},
         {"0.6,1.5,1.4", "0.5,0.2,0.5", "60"},
         {"-5,6,4", "0.5,0.5,0.5", "20"}},
        {"material"},
        {{"ground", "on"}, {"normals", "smooth"}, {"exposure", "1.5"}}},
       {"smooth",
        {{"1.3,0.9,1.7", "0,0,0", "40"}, {"0.4,0.5,1.2", "0,0.2,0", "50"}, {"-5,3,4", "0,0,0", "30"}},
        {"material", "normal"},
        {}},
       {"village", {kVillageViews[0], kVillageViews[1]}, {"material"}, {}},
       {"ball", {{"1.3,0.9,1.7", "0,0,0", "40"}, {"-5,3,4", "0,0,0", "30"}}, {"material"}, {}}},
      R"(
show('samples=1')
page.value('document.getElementById("picture").dispatchEvent(new PointerEvent("pointermove", '
           '{clientX: 120, clientY: 80}))')
page.wait('/#[0-9a-f]{6}$/.test(document.getElementById("readout").textContent)'))");
}

// Below a cut the box is hollow, so that the middle shows its floor, and the walls show at their cut.
TEST_F(ScenePageTest, BeginsAsItIsToldAndSaysWhatIsWrong) {
  const std::vector<std::string> look = {"--eye",     "2,2,3", "--target",   "0.5,0.3,0.5", "--sky",   "flat",
                                         "--normals", "faces", "--exposure", "0.8",         "--ground"};
  std::vector<std::string> page = {"cube.h5", "-q", "--html", "light.html"},
                           picture = {"cube.h5", "-q", "--size",      "240x160",        "--samples",
                                      "1",       "-o", "picture.png", "--level-colors", "voxel"};
  page.insert(page.end(), look.begin(), look.end());
  picture.insert(picture.end(), look.begin(), look.end());
  printed(page);
  printed(picture);
  printed({"cube.h5", "-q", "--html", "box.html", "--eye", "0.5,0.5,3", "--target", "0.5,0.5,0.5", "--clip",
           "0,0,0,1,1,0.5"});
  printed({"cube.h5", "-q", "--html", "cut.html", "--cut", "y=20", "--eye", "0.5,3,0.5001"});

  dag::VoxelScene scene = read_scene(folder_ / "cube.h5"), far = scene;
  far.origin = {5e6, 12, -4e6};
  write_scene(far, folder_ / "far.h5");
  printed({"far.h5", "-q", "--html", "far.html", "--eye", "5000002.0123,13.5,-3999997.9876"});
  scene.palette.names[0] = kHostileText;
  write_scene(scene, folder_ / kHostileName);
  printed({kHostileName, "-q", "--html", "hostile.html"});
  scene.dag = dag::empty_dag(64, true);
  scene.dag.digest = dag::compute_digest(scene.dag);
  write_scene(scene, folder_ / "empty.h5");
  printed({"empty.h5", "-q", "--html", "empty.html"});

  printed({"cube.h5", "-q", "--html", "good.html"});
  const std::string good = read_bytes(folder_ / "good.html");
  const size_t words = good.find("id=\"words-0\">") + 13;
  std::string flipped = good, short_of_words = good, facts = good;
  flipped[words + 40] = flipped[words + 40] == 'A' ? 'B' : 'A';
  short_of_words.erase(words + 100, 400);
  facts.erase(facts.find("\"resolution\""), 4);
  write("flipped.html", flipped);
  write("short.html", short_of_words);
  write("facts.html", facts);

  if (browser_name().empty()) GTEST_SKIP() << "no chromium";
  EXPECT_EQ(browsed(R"(
import json
load('light')
page.value('voxPage.settings.occlusion = false')
page.value('document.body.classList.add("bare"), voxPage.changed()')
page.wait('location.hash.endsWith("&normals=faces&sky=flat&ground=on&exposure=0.8")')
page.wait('voxPage.pace.finished > 0')
page.screenshot('page.png')
load('box')
print(json.loads(page.value('JSON.stringify(voxPage.pick({x: 120.5, y: 80.5}))'))['voxel'])
print(json.loads(page.value('JSON.stringify(voxPage.facts.high)')))
print('the box from' in page.value('document.getElementById("shown").textContent'))
load('cut')
print(page.value('voxPage.pick({x: 120.5, y: 80.5}).voxel[1]'))
print(page.value('Math.max(...[...Array(240).keys()].map(x => voxPage.pick({x: x + 0.5, y: 80.5})?.voxel[1] ?? 0))'))
page.value('voxPage.changed()')
page.wait('location.hash.includes("&y=0..21")')
load('far')
page.value('voxPage.changed()')
page.wait('location.hash.includes("eye=")')
print(page.value('new URLSearchParams(location.hash.slice(1)).get("eye")'))
load('hostile')
print(page.value('document.getElementById("title").textContent'))
print(page.value('document.querySelector("#palette span").textContent'))
load('empty')
page.wait('voxPage.pace.finished > 0')
print(page.value('voxPage.pick({x: 120, y: 80})'))
for name in 'flipped', 'short', 'facts':
    page.open(name + '.html')
    page.wait('document.getElementById("message")?.innerText.includes("This page is damaged")')
print(messages(page)))"),
            fmt::format("light\nbox\n[32, 31, 0]\n{{'x': 64, 'y': 64, 'z': 32}}\nTrue\ncut\n0\n20\n"
                        "far\n5000002.0123,13.5,-3999997.9876\nhostile\n{}\n{}\nempty\nNone\n[]\n",
                        kHostileName, kHostileText));
  EXPECT_LE(share_of_different("picture.png", "page.png"), 0.005);
}

TEST_F(ScenePageTest, OfABoxHoldsTheVoxelsInIt) {
  const Finished run = ran({"cube.h5", "--html", "cube.html", "--clip", "0,0,0,1,1,0.5", "--json"});
  ASSERT_EQ(run.code, 0) << run.err;
  const std::string page = read_bytes(folder_ / "cube.html");
  EXPECT_TRUE(has(page, "the box from 0,0,0 to 1,1,0.5 of a scene of 23,816 voxels"));
  expect_failure(kFailed, "no voxel of the scene lies in the box",
                 {"cube.h5", "--html", "a.html", "--clip", "0.2,0.2,0.2,0.8,0.8,0.8"});
  expect_failure(kFailed, "no voxel of the scene lies in the box",
                 {"cube.h5", "--html", "a.html", "--clip", "5,5,5,6,6,6"});
  expect_failure(kBadUsage, "--clip is", {"cube.h5", "--html", "a.html", "--clip", "1,0,0,0,1,1"});
}

TEST_F(ScenePageTest, OpensCutFromTheSideOfItsFirstView) {
  printed({"cube.h5", "-q", "--html", "below.html", "--cut", "y=40", "--eye", "0.5,-3,0.5001"});
  EXPECT_TRUE(has(read_bytes(folder_ / "below.html"), "&y=40..64\""));
  expect_failure(kFailed, "there is no plane y=64", {"cube.h5", "--html", "a.html", "--cut", "y=64"});
}

TEST_F(ScenePageTest, HostileNamesAreText) {
  dag::VoxelScene scene = read_scene(folder_ / "cube.h5");
  scene.palette.names[0] = kHostileText;
  write_scene(scene, folder_ / kHostileName);
  printed({kHostileName, "-q", "--html", "page.html"});
  EXPECT_FALSE(has(read_bytes(folder_ / "page.html"), "<script>alert"));
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
