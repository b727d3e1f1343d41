// Tests vox-render with good input and bad.
#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "formats/images/image.h"
#include "libvox/render/render.h"
#include "tests/common/test_engine.h"
#include "tests/tools/program.h"

namespace vox {
namespace {

class RenderProgram : public CubesTest {
 protected:
  RenderProgram() : CubesTest("vox-render") {}

  scene::Image image(const std::string& name) const { return read_image(folder_ / name); }
};

TEST_F(RenderProgram, ShowsTheWholeSceneByDefault) {
  printed({"cube.h5", "-q", "--sky", "flat"});
  const scene::Image shown = image("cube-view.png");
  EXPECT_EQ(shown.width, 1920u);
  EXPECT_EQ(shown.height, 1080u);
  const scene::Rgba8 sky = shown.pixels.front();
  size_t filled = 0;
  for (uint32_t y = 0; y < shown.height; ++y)
    for (uint32_t x = 0; x < shown.width; ++x) {
      if (shown.pixels[size_t{y} * shown.width + x] == sky) continue;
      ++filled;
      EXPECT_TRUE(x > 0 && y > 0 && x < shown.width - 1 && y < shown.height - 1);
    }
  EXPECT_GT(filled, 400000u);
}

TEST_F(RenderProgram, ClipsNoWhiteUnlessTheExposureIsRaised) {
  write("white.mtl", "newmtl white\nKd 1 1 1\n");
  write("white.obj", "mtllib white.mtl\nusemtl white\n" + cube_obj());
  converted({"white.obj", "--res", "32", "--materials", "mesh", "-q"});
  const auto brightest = [&](const std::string& exposure) {
    printed({"white.h5", "-q", "--size", "120x80", "--sun", "1,0.01,0", "--ground", "--exposure", exposure});
    uint8_t code = 0;
    for (const scene::Rgba8 p : image("white-view.png").pixels) code = std::max({code, p.r, p.g, p.b});
    return int{code};
  };
  EXPECT_GE(brightest("1"), 245);
  EXPECT_LT(brightest("1"), 255);
  EXPECT_EQ(brightest("1.2"), 255);
}

TEST_F(RenderProgram, TakesFourSamplesOfPixelsOnEdges) {
  printed({"cube.h5", "-q", "--size", "120x80"});
  printed({"cube.h5", "-q", "--size", "120x80", "--samples", "4", "-o", "four.png"});
  printed({"cube.h5", "-q", "--size", "120x80", "--samples", "1", "-o", "one.png"});
  EXPECT_TRUE(image("cube-view.png").pixels == image("four.png").pixels);
  EXPECT_FALSE(image("cube-view.png").pixels == image("one.png").pixels);
}

TEST_F(RenderProgram, LooksFromTheEyeInSceneUnits) {
  printed({"cube.h5", "-q", "--eye", "0.5,0.5,3", "--target", "0.5,0.5,0.5", "--fov", "40", "--size",
           "200x200", "--shade", "normal"});
  const scene::Image shown = image("cube-view.png");
  // The face at z = 1 is at a distance of 2 and is 1 wide.
  const double half = 100 * 0.25 / std::tan(20 * 3.14159265358979 / 180);
  for (uint32_t x = 0; x < 200; ++x)
    if (std::abs(std::abs(x + 0.5 - 100) - half) > 2) {
      EXPECT_EQ(shown.pixels[100 * 200 + x] == (scene::Rgba8{188, 188, 255, 255}),
                std::abs(x + 0.5 - 100) < half)
          << x;
    }
}

TEST_F(RenderProgram, SaysInThePictureHowItWasMade) {
  printed({"cube.h5", "-q", "-o", "a b.png", "--view", "top", "--size", "30x20"});
  const std::string png = read_bytes(folder_ / "a b.png");
  const std::string quoted = digest("cube.h5"), hex = quoted.substr(1, quoted.size() - 2);
  EXPECT_EQ(hex.size(), 32u);
  EXPECT_NE(png.find(std::string("tEXtDigest") + '\0' + hex), std::string::npos);
  EXPECT_NE(png.find(std::string("tEXtCommand") + '\0' + "vox-render "), std::string::npos);
  EXPECT_NE(png.find(std::string("tEXtCamera") + '\0' + "--eye 0.5,"), std::string::npos);
  EXPECT_EQ(image("a b.png").width, 30u);
}

TEST_F(RenderProgram, ATurntableGoesAroundInNumberedPictures) {
  printed({"cube.h5", "-q", "--turntable", "12", "--size", "64x48", "--view", "front", "--shade", "normal"});
  EXPECT_TRUE(exists("cube-view-00.png") && exists("cube-view-11.png"));
  EXPECT_FALSE(exists("cube-view-12.png") || exists("cube-view.png"));
  EXPECT_TRUE(image("cube-view-00.png").pixels != image("cube-view-01.png").pixels);
}

TEST_F(RenderProgram, TheSamePictureComesAgain) {
  printed({"cube.h5", "-q", "-o", "a.png", "--ao", "4", "--samples", "2", "--size", "100x100"});
  printed(
      {"cube.h5", "-q", "-o", "b.png", "--ao", "4", "--samples", "2", "--size", "100x100", "--threads", "1"});
  EXPECT_TRUE(image("a.png").pixels == image("b.png").pixels);
}

TEST_F(RenderProgram, ACutThroughBricksShowsValuesAsColors) {
  write("steps_4x2x3_uint8.raw", std::string("\0\1\2\3\0\1\2\3", 8) + std::string(16, 9));
  converted({"steps_4x2x3_uint8.raw", "-q", "-o", "steps.h5"});
  const std::string json =
      printed({"steps.h5", "-q", "--json", "--slice", "z=0", "--size", "8x8", "--legend", "off"});
  EXPECT_EQ(json_value(json, "low"), "0");  // the least of the whole volume, not of the slice
  EXPECT_EQ(json_value(json, "high"), "9");
  const scene::Image shown = image("steps-view.png");
  ASSERT_EQ(shown.width, 8u);
  ASSERT_EQ(shown.height, 4u);
  for (uint32_t x = 0; x < 8; ++x) EXPECT_EQ(shown.pixels[x] == shown.pixels[0], x < 2) << x;
  expect_failure(kFailed, "no plane z=3", {"steps.h5", "--slice", "z=3"});
}

// A cube of noise, half of which is empty, beside one that has one value: bricks of several types.
TEST_F(RenderProgram, TheTypesOfBricksAreShownInColors) {
  std::string values(16 * 8 * 8, '\0');
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = i % 16 < 8 ? static_cast<char>(i * 37 % 251 < 60 ? i * 91 % 255 : 0) : '\5';
  write("two_16x8x8_uint8.raw", values);
  converted({"two_16x8x8_uint8.raw", "-q", "-o", "two.h5", "--brick-size", "8", "--types", "all"});
  printed({"two.h5", "-q", "--shade", "type", "--slice", "z=3", "--size", "16x8", "--legend", "off"});
  const scene::Image shown = image("two-view.png");
  ASSERT_EQ(shown.width, 16u);
  const scene::Rgba8 homogeneous = {240, 228, 66, 255};
  std::set<std::array<uint8_t, 3>> left;
  for (uint32_t i = 0; i < 16 * 8; ++i) {
    const scene::Rgba8 pixel = shown.pixels[i];
    if (i % 16 >= 8)
      EXPECT_TRUE(pixel == homogeneous) << i;
    else
      left.insert({pixel.r, pixel.g, pixel.b});
  }
  EXPECT_EQ(left.size(), 2u);  // the type of that brick, and nothing
  EXPECT_FALSE(left.contains({240, 228, 66}));
  printed({"two.h5", "-q", "-o", "view.png", "--shade", "type", "--size", "120x90"});
  converted({"cube.h5", "-q", "--structure", "both", "-o", "both.h5"});
  printed({"both.h5", "-q", "--shade", "type", "--size", "60x40"});
  expect_failure(kFailed, "holds none", {"cube.h5", "--shade", "type"});
  for (const char* option : {"--colors", "--values"})
    expect_failure(kBadUsage, "no effect with --shade type", {"two.h5", "--shade", "type", option, "labels"});
  expect_failure(kBadUsage, "no effect with --shade type", {"two.h5", "--shade", "type", "--iso", "0.5"});
  expect_failure(kFailed, "pages show scenes", {"two.h5", "--shade", "type", "--html", "a.html"});
}

TEST_F(RenderProgram, ACutAndAViewOfAVolumeHaveOneScale) {
  std::string values;
  for (int i = 0; i < 24 * 24 * 24; ++i) values += static_cast<char>(i / 24 / 24 * 10 + i % 7);
  write("slopes_24x24x24_uint8.raw", values);
  converted({"slopes_24x24x24_uint8.raw", "-q", "-o", "slopes.h5"});
  for (const char* key : {"low", "high"}) {
    const std::string view = printed({"slopes.h5", "-q", "--json", "--size", "60x40"});
    for (const char* cut : {"z=0", "z=20", "x=3"})
      EXPECT_EQ(json_value(printed({"slopes.h5", "-q", "--json", "--slice", cut, "--size", "60x40"}), key),
                json_value(view, key));
  }
}

// The slice through the scene's bricks looks like the slice through the scene.
TEST_F(RenderProgram, AScenesMaterialsAsAVolumeHaveItsPalettesColors) {
  write("quads.mtl",
        "newmtl red\nKd 0.9 0.1 0.1\nnewmtl green\nKd 0.1 0.8 0.2\nnewmtl blue\nKd 0.1 0.2 0.9\n");
  write("quads.obj",
        "mtllib quads.mtl\nv 0 0 0\nv 3 0 0\nv 3 0 1\nv 0 0 1\nv 0 3 0\nv 3 3 0\nusemtl red\nf 1 2 3 4\n"
        "usemtl green\nf 1 2 6 5\nusemtl blue\nf 1 4 5\n");
  converted({"quads.obj", "--res", "40", "--materials", "mesh", "-q"});
  converted({"quads.h5", "--structure", "bricks", "-q", "-o", "bricks.h5"});
  for (const char* cut : {"z=0", "y=0", "x=0"}) {
    printed({"quads.h5", "-q", "-o", "scene.png", "--slice", cut, "--size", "400x400"});
    printed({"bricks.h5", "-q", "-o", "volume.png", "--slice", cut, "--size", "400x400", "--legend", "off"});
    const scene::Image scene = image("scene.png"), volume = image("volume.png");
    ASSERT_FALSE(scene.pixels.empty());
    const auto colors = [](const scene::Image& shown) {  // the colors of filled voxels
      std::set<std::array<uint8_t, 3>> found;
      for (const scene::Rgba8 c : shown.pixels) found.insert({c.r, c.g, c.b});
      const scene::Rgb8 empty = render::SliceOptions().empty;
      found.erase({empty.r, empty.g, empty.b});
      return found;
    };
    EXPECT_EQ(colors(scene), colors(volume)) << cut;
  }
  printed(
      {"bricks.h5", "-q", "-o", "amounts.png", "--slice", "y=0", "--size", "400x400", "--values", "amounts"});
  EXPECT_TRUE(image("amounts.png").pixels != image("volume.png").pixels);
  expect_failure(kBadUsage, "--values has no effect on a scene", {"quads.h5", "--values", "labels"});
}

TEST_F(RenderProgram, LabelsAreFoundOrAskedFor) {
  std::string organs, floats;
  for (int i = 0; i < 30 * 30 * 30; ++i) organs += static_cast<char>(i / 900 < 3 ? 0 : 10 + i % 30 / 10 * 40);
  write("organs_30x30x30_uint8.raw", organs);
  converted({"organs_30x30x30_uint8.raw", "-q", "-o", "organs.h5"});
  const auto cut = [&](const std::vector<std::string>& options) {
    std::vector<std::string> all = {"organs.h5", "-q",     "-o",    "a.png",    "--slice",
                                    "z=9",       "--size", "30x30", "--legend", "off"};
    all.insert(all.end(), options.begin(), options.end());
    printed(all);
    return image("a.png").pixels;
  };
  EXPECT_TRUE(cut({}) == cut({"--values", "labels"}));
  EXPECT_TRUE(cut({}) != cut({"--values", "amounts"}));
  printed({"organs.h5", "-q", "-o", "b.png", "--size", "300x200"});
  printed({"organs.h5", "-q", "-o", "c.png", "--size", "300x200", "--values", "amounts"});
  EXPECT_TRUE(image("b.png").pixels != image("c.png").pixels);
  for (int i = 0; i < 64; ++i) floats += std::string("\0\0\x80\x3f", 4);
  write("ones_4x4x4_float32.raw", floats);
  converted({"ones_4x4x4_float32.raw", "-q", "-o", "ones.h5"});
  expect_failure(kBadUsage, "values of type f32 cannot be labels", {"ones.h5", "--values", "labels"});
}

TEST_F(RenderProgram, AVolumesBricksAreSeenAsAScene) {
  std::string ball;
  for (int z = 0; z < 12; ++z)
    for (int y = 0; y < 16; ++y)
      for (int x = 0; x < 20; ++x) {
        const int r = (x - 10) * (x - 10) + (y - 8) * (y - 8) + (z - 6) * (z - 6);
        ball += static_cast<char>(r > 30 ? 0 : 200 - 4 * r);
      }
  write("ball.raw", ball);
  write("ball.mhd",
        "ObjectType = Image\nNDims = 3\nDimSize = 20 16 12\nElementType = MET_UCHAR\nElementSpacing = 2 2 3\n"
        "Offset = 101 1 1.5\nElementDataFile = ball.raw\n");
  converted({"ball.mhd", "-q", "-o", "ball.h5"});
  const auto json_of = [&](std::vector<std::string> options) {
    options.insert(options.begin(), {"ball.h5", "-q", "--json", "--size", "120x80"});
    return printed(options);
  };
  const std::string json = json_of({});
  EXPECT_EQ(json_value(json, "low"), "0");
  EXPECT_EQ(json_value(json, "high"), "200");
  EXPECT_NE(json.find("\"rays\": 9600"), std::string::npos) << json;
  EXPECT_NE(read_bytes(folder_ / "ball-view.png").find(std::string("tEXtCamera") + '\0' + "--eye "),
            std::string::npos);
  const scene::Image all = image("ball-view.png");
  EXPECT_NE(all.pixels[40 * 120 + 60], all.pixels.front());
  // The target is the ball's center in the volume's units; the eye is three times as far away as the ball is
  // wide.
  json_of({"--eye", "120,16,78", "--target", "120,16,18", "--legend", "off"});
  const scene::Image near = image("ball-view.png");
  EXPECT_NE(near.pixels[40 * 120 + 60], near.pixels.front());
  json_of({"--eye", "160,16,78", "--target", "160,16,18", "--legend", "off"});
  const scene::Image beside = image("ball-view.png");
  EXPECT_EQ(beside.pixels[40 * 120 + 60], beside.pixels.front());
  json_of({"--turntable", "3", "--opacity", "0.1"});
  EXPECT_TRUE(exists("ball-view-0.png") && exists("ball-view-2.png"));
  expect_failure(kBadUsage, "--shade has no effect on a volume", {"ball.h5", "--shade", "depth"});
  expect_failure(kBadUsage, "--ao has no effect on a volume", {"ball.h5", "--ao", "4"});
  expect_failure(kBadUsage, "--opacity has no effect on a scene", {"cube.h5", "--opacity", "0.5"});
  expect_failure(kBadUsage, "--opacity has no effect on a cut through a volume",
                 {"ball.h5", "--slice", "z=1", "--opacity", "0.5"});
  expect_failure(kBadUsage, "--opacity is 2", {"ball.h5", "--opacity", "2"});
  expect_failure(kBadUsage, "ends in .png", {"ball.h5", "-o", "ball.h5"});
  expect_failure(kFailed, "nowhere", {"ball.h5", "-o", "nowhere/a.png"});
}

TEST_F(RenderProgram, LongWorkCanBeStopped) {
  expect_failure(kInterrupted, "interrupted",
                 {"cube.h5", "--samples", "4096", "--ao", "1024", "--size", "4000x4000"},
                 {.folder = {}, .file_size_limit = {}, .interrupt_after = 0.5});
}

TEST_F(RenderProgram, ASceneThatADeviceHasNoRoomForIsNamedWithWhatHelps) {
  expect_failure(kFailed, "on a GPU, use --device cpu", {"cube.h5", "--memory-limit", "1M"});
}

TEST_F(RenderProgram, FromInsideMatterAndOfNothingThereAreClearAnswers) {
  printed({"cube.h5", "-q", "--eye", "0.001,0.5,0.5", "--target", "0.0001,0.5,0.5", "--size", "20x20"});
  expect_failure(kFailed, "the eye is where its target is",
                 {"cube.h5", "--eye", "1,1,1", "--target", "1,1,1", "--size", "20x20"});
  expect_failure(kBadUsage, "--size is 0", {"cube.h5", "--size", "0x20"});
  expect_failure(kBadUsage, "--size is 100000", {"cube.h5", "--size", "100000x100000"});
  expect_failure(kBadUsage, "--view is 'sideways'", {"cube.h5", "--view", "sideways"});
  expect_failure(kBadUsage, "--fov is 180", {"cube.h5", "--fov", "180"});
  expect_failure(kBadUsage, "--eye is '1,2'", {"cube.h5", "--eye", "1,2"});
  expect_failure(kBadUsage, "no scene file", {});
  expect_failure(kFailed, "cube.obj", {"cube.obj"});
  expect_failure(kFailed, "nowhere", {"cube.h5", "-o", "nowhere/a.png"});
  expect_failure(kFailed, "cube-view.png", {"cube.h5", "-q"}, {.folder = {}, .file_size_limit = 1000});
  expect_failure(kBadUsage, "ends in .png", {"cube.h5", "-o", "cube.h5"});
}

TEST_F(RenderProgram, ACutawayIsOpenToTheEyeAndHatchedWhereItIsCut) {
  // The scene is the shell of a cube of 64³, seen from the front: its frame at the layer, and behind it the
  // wall at z = 0.
  const std::vector<std::string> camera = {"cube.h5",     "-q",    "--eye", "0.5,0.5,3", "--target",
                                           "0.5,0.5,0.5", "--fov", "30",    "--size",    "300x300",
                                           "--samples",   "1",     "-o"};
  const auto shown = [&](const std::string& name, const std::vector<std::string>& options) {
    std::vector<std::string> all = camera;
    all.push_back(name);
    all.insert(all.end(), options.begin(), options.end());
    printed(all);
    return image(name);
  };
  const std::vector<std::string> depth = {"--shade", "depth", "--legend", "off"};
  const scene::Image whole = shown("whole.png", depth);
  const scene::Image cut = shown("cut.png", {"--shade", "depth", "--legend", "off", "--cut", "z=32"});
  const size_t middle = 150 * 300 + 150;
  EXPECT_NE(whole.pixels[middle], cut.pixels[middle]);
  // The picture is the same as that of the part which an export of the box contains.
  const scene::Image part =
      shown("part.png", {"--shade", "depth", "--legend", "off", "--clip", "-9,-9,-9,9,9,0.51"});
  EXPECT_TRUE(part.pixels == cut.pixels || part.pixels[middle] == cut.pixels[middle]);
  const scene::Image lit = shown("lit.png", {"--cut", "z=32", "--sky", "flat"});
  std::set<std::array<uint8_t, 3>> colors;  // along the frame's left side, at a distance of 2.5 from the eye
  for (uint32_t y = 100; y < 200; ++y)
    for (uint32_t x = 0; x < 150; ++x) {
      const scene::Rgba8 c = lit.pixels[y * 300 + x];
      if (c == lit.pixels[0]) continue;
      colors.insert({c.r, c.g, c.b});
      break;
    }
  EXPECT_EQ(colors.size(), 2u);
  expect_failure(kFailed, "no plane z=64", {"cube.h5", "--cut", "z=64"});
  expect_failure(kBadUsage, "--cut is 'z'", {"cube.h5", "--cut", "z"});
  expect_failure(kFailed, "no voxel", {"cube.h5", "--clip", "5,5,5,6,6,6"});
  expect_failure(kBadUsage, "--clip is", {"cube.h5", "--clip", "1,1,1,0,0,0"});
}

TEST_F(RenderProgram, RefusesLooksThatHaveNoEffect) {
  expect_failure(kBadUsage, "--sampling has no effect", {"cube.h5", "--sampling", "all", "--samples", "1"});
  expect_failure(kBadUsage, "--normals has no effect",
                 {"cube.h5", "--shade", "depth", "--normals", "smooth"});
  expect_failure(kBadUsage, "--level-colors has no effect",
                 {"cube.h5", "--lod", "off", "--level-colors", "mean"});
  expect_failure(kBadUsage, "--sky has no effect", {"cube.h5", "--shade", "normal", "--sky", "flat"});
  expect_failure(kBadUsage, "--exposure is 0", {"cube.h5", "--exposure", "0"});
  expect_failure(kBadUsage, "--cut has no effect", {"cube.h5", "--slice", "z=1", "--cut", "z=2"});
}

TEST_F(RenderProgram, ALegendIsInTheCornerUnlessItIsNotWanted) {
  for (const char* shade : {"depth", "normal", "level", "sharing"}) {
    printed({"cube.h5", "-q", "-o", "with.png", "--size", "400x300", "--shade", shade});
    printed({"cube.h5", "-q", "-o", "without.png", "--size", "400x300", "--shade", shade, "--legend", "off"});
    const scene::Image with = image("with.png"), without = image("without.png");
    size_t changed = 0;
    for (uint32_t y = 0; y < 300; ++y)
      for (uint32_t x = 0; x < 400; ++x) {
        if (with.pixels[y * 400 + x] == without.pixels[y * 400 + x]) continue;
        ++changed;
        EXPECT_TRUE(y > 240 && x < 300) << shade << ' ' << x << ' ' << y;
      }
    EXPECT_GT(changed, 4000u) << shade;
  }
  printed({"cube.h5", "-q", "-o", "small.png", "--size", "60x40", "--shade", "depth"});
  EXPECT_EQ(image("small.png").width, 60u);
}

TEST_F(RenderProgram, ACutShowsTheLayerItNames) {
  // The shell's lowest layer is full, and the middle one is a frame.
  printed({"cube.h5", "-q", "-o", "floor.png", "--slice", "y=0", "--size", "64x64"});
  printed({"cube.h5", "-q", "-o", "middle.png", "--slice", "y=32", "--size", "64x64"});
  const scene::Image floor = image("floor.png"), middle = image("middle.png");
  ASSERT_EQ(floor.width, 64u);
  ASSERT_EQ(middle.height, 64u);
  const scene::Rgba8 empty = middle.pixels[32 * 64 + 32];
  for (uint32_t y = 0; y < 64; ++y)
    for (uint32_t x = 0; x < 64; ++x) {
      const bool edge = x == 0 || y == 0 || x == 63 || y == 63;
      EXPECT_NE(floor.pixels[y * 64 + x], empty);
      EXPECT_EQ(middle.pixels[y * 64 + x] == empty, !edge) << x << ' ' << y;
    }
  expect_failure(kFailed, "no plane z=64", {"cube.h5", "--slice", "z=64"});
  expect_failure(kBadUsage, "--slice is 'w=3'", {"cube.h5", "--slice", "w=3"});
  expect_failure(kBadUsage, "--slice", {"cube.h5", "--slice", "z=-1"});
  expect_failure(kBadUsage, "--view has no effect on a cut through a scene",
                 {"cube.h5", "--slice", "z=1", "--view", "top"});
}

}  // namespace
}  // namespace vox
