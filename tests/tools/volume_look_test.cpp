// Tests vox-render's options for the colours, opacities and surfaces of volumes.
#include <set>

#include "formats/images/image.h"
#include "tests/tools/program.h"

namespace vox {
namespace {

class VolumeLookProgram : public ProgramTest {
 protected:
  VolumeLookProgram() : ProgramTest("vox-render") {}

  void SetUp() override {
    ProgramTest::SetUp();
    if (testing::Test::IsSkipped()) return;
    std::string ramp, labels;
    for (int i = 0; i < 20 * 20 * 20; ++i) {
      ramp += static_cast<char>(i % 20 * 10);  // 0 to 190 along x
      labels += static_cast<char>(1 + i % 20 / 10 + i / 4000 * 2);
    }
    write("ramp_20x20x20_uint8.raw", ramp);
    write("parts_20x20x20_uint8.raw", labels);
    converted({"ramp_20x20x20_uint8.raw", "-q", "-o", "ramp.h5"});
    converted({"parts_20x20x20_uint8.raw", "-q", "-o", "parts.h5"});
  }

  scene::Image shown(const std::string& file, const std::vector<std::string>& options) const {
    std::vector<std::string> all = {file, "-q", "-o", "a.png", "--legend", "off"};
    all.insert(all.end(), options.begin(), options.end());
    printed(all);
    return read_image(folder_ / "a.png");
  }
  scene::Image cut(const std::string& file, std::vector<std::string> options) const {
    options.insert(options.end(), {"--slice", "z=9", "--size", "20x20"});
    return shown(file, options);
  }
};

TEST_F(VolumeLookProgram, ScalesGoFromTheLowestValueToTheHighest) {
  const scene::Image gray = cut("ramp.h5", {"--colors", "gray"});
  for (uint32_t x = 1; x < 20; ++x) {
    const auto code = static_cast<uint8_t>(x * 10 / 190.0 * 255 + 0.5);
    EXPECT_EQ(gray.pixels[x], (scene::Rgba8{code, code, code, 255})) << x;
  }
  EXPECT_EQ(cut("ramp.h5", {"--colors", "viridis"}).pixels, cut("ramp.h5", {}).pixels);
  EXPECT_NE(cut("ramp.h5", {"--colors", "bone"}).pixels, gray.pixels);
}

TEST_F(VolumeLookProgram, AFileHasTheStopsOfAScaleOrTheColorsOfLabels) {
  write("two.hex", "ff0000\n0000ff\n");
  const scene::Image scale = cut("ramp.h5", {"--colors", "two.hex"});
  EXPECT_EQ(scale.pixels[19], (scene::Rgba8{0, 0, 255, 255}));
  EXPECT_GT(scale.pixels[1].r, 230);
  const scene::Image labels = cut("parts.h5", {"--colors", "two.hex"});  // 1 and 2; 3 and 4 are above
  for (uint32_t x = 0; x < 20; ++x)
    EXPECT_EQ(labels.pixels[x], x < 10 ? (scene::Rgba8{255, 0, 0, 255}) : (scene::Rgba8{0, 0, 255, 255}))
        << x;
  write("one.hex", "ff0000\n");
  expect_failure(kBadUsage, "holds one colour", {"ramp.h5", "--colors", "one.hex"});
  expect_failure(kFailed, "nowhere.gpl", {"ramp.h5", "--colors", "nowhere.gpl"});
  expect_failure(kBadUsage, "--colors is 'grey'", {"ramp.h5", "--colors", "grey"});
}

TEST_F(VolumeLookProgram, LabelsHaveAColorEach) {
  std::set<std::array<uint8_t, 3>> colors;
  for (const scene::Rgba8 p : cut("ramp.h5", {"--colors", "labels"}).pixels) colors.insert({p.r, p.g, p.b});
  EXPECT_EQ(colors.size(), 20u);
  EXPECT_EQ(cut("parts.h5", {"--colors", "labels"}).pixels, cut("parts.h5", {}).pixels);
  EXPECT_EQ(cut("parts.h5", {"--colors", "viridis"}).pixels, cut("parts.h5", {"--values", "amounts"}).pixels);
}

// A scan's few voxels of metal are far above all tissue, which would be black on a scale up to them.
TEST_F(VolumeLookProgram, BoneShowsMostValuesBrightlyWhereFewAreMuchHigher) {
  std::string values;
  for (int i = 0; i < 40 * 40 * 40; ++i) {
    const int x = i % 40, y = i / 40 % 40, z = i / 1600;
    const bool filled = x > 4 && x < 36 && y > 4 && y < 36 && z > 4 && z < 36;
    values += static_cast<char>(x == 20 && y == 20 && z % 8 == 5 ? 250 : filled ? 10 + x : 0);
  }
  write("scan_40x40x40_uint8.raw", values);
  converted({"scan_40x40x40_uint8.raw", "-q", "-o", "scan.h5"});
  const std::vector<std::string> bone = {"scan.h5", "-q", "--json", "--colors", "bone", "--size", "60x60"};
  const std::string json = printed(bone);
  EXPECT_EQ(json_value(json, "low"), "15");
  EXPECT_EQ(json_value(json, "high"), "45");
  std::vector<std::string> cut = bone, surface = bone;
  cut.insert(cut.end(), {"--slice", "z=9"});
  surface.insert(surface.end(), {"--iso", "0.1"});
  EXPECT_EQ(json_value(printed(cut), "high"), json_value(json, "high"));
  EXPECT_EQ(json_value(printed(surface), "high"), "250");
  const scene::Rgba8 middle =
      shown("scan.h5", {"--colors", "bone", "--view", "right", "--size", "60x60"}).pixels[30 * 60 + 30];
  EXPECT_GT(middle.g, 120);
  EXPECT_EQ(json_value(printed({"scan.h5", "-q", "--json", "--colors", "gray", "--size", "60x60"}), "high"),
            "250");
}

TEST_F(VolumeLookProgram, ACurveMakesValuesTransparent) {
  const std::vector<std::string> size = {"--size", "60x60", "--view", "front"};
  const auto with = [&](std::vector<std::string> options) {
    options.insert(options.end(), size.begin(), size.end());
    return shown("ramp.h5", options);
  };
  const scene::Image high = with({"--opacity", "0.5:0,0.6:1"});
  EXPECT_EQ(high.pixels[30 * 60 + 15], high.pixels[0]);  // low values are on the left
  EXPECT_NE(high.pixels[30 * 60 + 45], high.pixels[0]);
  const scene::Image low = with({"--opacity", "0.4:1,0.5:0"});
  EXPECT_NE(low.pixels[30 * 60 + 15], low.pixels[0]);
  EXPECT_EQ(low.pixels[30 * 60 + 45], low.pixels[0]);
}

TEST_F(VolumeLookProgram, ASurfaceIsWhereTheValueIsReached) {
  // Seen from above, the surface of 0.5 begins at x = 9.5 voxels and continues to the right.
  const scene::Image surface = shown("ramp.h5", {"--iso", "0.5", "--size", "200x200", "--eye", "10,60,10.001",
                                                 "--target", "10,0,10", "--colors", "gray"});
  const auto filled = [&](uint32_t x) { return surface.pixels[100 * 200 + x] != surface.pixels[0]; };
  EXPECT_FALSE(filled(90));
  EXPECT_TRUE(filled(110));
}

TEST_F(VolumeLookProgram, RefusesWhatHasNoEffectOrContradictsItself) {
  const auto refused = [&](const std::string& words, std::vector<std::string> options) {
    options.insert(options.begin(), "ramp.h5");
    expect_failure(kBadUsage, words, options);
  };
  refused("--opacity has no effect on a surface", {"--iso", "0.3", "--opacity", "0.3"});
  refused("--iso has no effect on a cut", {"--iso", "0.3", "--slice", "z=1"});
  refused("--opacity has no effect on a cut", {"--opacity", "0:0,1:1", "--slice", "z=1"});
  refused("--iso is 0", {"--iso", "0"});
  refused("--iso is 1.5", {"--iso", "1.5"});
  refused("exclude each other", {"--colors", "gray", "--values", "labels"});
  refused("exclude each other", {"--colors", "labels", "--values", "amounts"});
  refused("--iso is for amounts", {"--colors", "labels", "--iso", "0.3"});
  refused("--iso is for amounts", {"--values", "labels", "--iso", "0.3"});
  refused("a curve of --opacity is for amounts", {"--values", "labels", "--opacity", "0:0,1:1"});
  refused("0.2:0.5 of the opacity curve follows 0.3:0.1", {"--opacity", "0.3:0.1,0.2:0.5"});
  refused("0.3:2", {"--opacity", "0.3:2"});
  refused("the point '0.4'", {"--opacity", "0.3:0.1,0.4"});
  refused("--opacity", {"--opacity", "0.3:x"});
  make_cubes();
  for (const char* option : {"--colors", "--iso"})
    expect_failure(kBadUsage, std::string(option) + " has no effect on a scene",
                   {"cube.h5", option, option == std::string("--iso") ? "0.5" : "gray"});
}

}  // namespace
}  // namespace vox
