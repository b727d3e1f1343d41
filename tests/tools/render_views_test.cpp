// Tests vox-render's pictures of the ground, of volumes with other up axes, of edited scenes, and of distant
// colors.

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <set>

#include "formats/images/image.h"
#include "libvox/scene/oklab.h"
#include "tests/tools/program.h"

namespace vox {
namespace {

class RenderViewsProgram : public CubesTest {
 protected:
  RenderViewsProgram() : CubesTest("vox-render") {}

  scene::Image view_of(const std::string& file, std::vector<std::string> options) const {
    options.insert(options.begin(), {file, "-q", "-o", "view.png", "--legend", "off"});
    printed(options);
    return read_image(folder_ / "view.png");
  }
  scene::Image lit_view(const std::string& file, std::vector<std::string> options) const {
    options.insert(options.begin(), {file, "-q", "-o", "view.png"});
    printed(options);
    return read_image(folder_ / "view.png");
  }
};

TEST_F(RenderViewsProgram, TheGroundShowsAShadowAndIsInFilmsToo) {
  const std::vector<std::string> camera = {"--size", "80x60", "--sun", "1,1,-1", "--samples", "1"};
  const auto with = [&](std::vector<std::string> options) {
    options.insert(options.end(), camera.begin(), camera.end());
    return options;
  };
  const scene::Image without = lit_view("cube.h5", with({})),
                     ground = lit_view("cube.h5", with({"--ground"}));
  size_t darker = 0;
  for (size_t i = 0; i < without.pixels.size(); ++i) {
    EXPECT_LE(ground.pixels[i].g, without.pixels[i].g);
    darker += ground.pixels[i].g + 10 < without.pixels[i].g;
  }
  EXPECT_GT(darker, 100u);
  printed(with({"cube.h5", "-q", "--ground", "--turntable", "2", "-o", "turn.png"}));
  printed(with({"cube.h5", "-q", "--turntable", "2", "-o", "bare.png"}));
  EXPECT_NE(read_image(folder_ / "turn-1.png").pixels, read_image(folder_ / "bare-1.png").pixels);
}

TEST_F(RenderViewsProgram, AGroundThatWouldShowNothingIsRefused) {
  expect_failure(kBadUsage, "--ground has no effect", {"cube.h5", "--ground", "--shade", "depth"});
  expect_failure(kBadUsage, "--ground has no effect", {"cube.h5", "--ground", "--slice", "z=1"});
  expect_failure(kBadUsage, "--ground has no effect", {"cube.h5", "--ground", "--shadows", "off"});
  expect_failure(kBadUsage, "--ground has no effect", {"cube.h5", "--ground", "--sun", "1,-1,0"});
}

// The wedge's values grow along z; in the other volume z and y are exchanged so that y is up.
TEST_F(RenderViewsProgram, AVolumeThatStandsOnAnotherAxisIsShownAsIfItWereTurned) {
  std::string upright(20 * 16 * 12, '\0'), turned = upright;
  for (int z = 0; z < 12; ++z)
    for (int y = 0; y < 16; ++y)
      for (int x = 0; x < 20; ++x) {
        const auto value = static_cast<char>(x + z < 14 ? 40 + 9 * z + 2 * y : 0);
        const int up_index = x + 20 * (y + 16 * z), turned_index = x + 20 * (z + 12 * (15 - y));
        upright[size_t(up_index)] = value;
        turned[size_t(turned_index)] = value;  // (x, z, −y)
      }
  write("a_20x16x12_uint8.raw", upright);
  write("b_20x12x16_uint8.raw", turned);
  converted({"a_20x16x12_uint8.raw", "-q", "-o", "a.h5"});
  converted({"b_20x12x16_uint8.raw", "-q", "-o", "b.h5"});
  for (const char* view : {"iso", "front", "top"}) {
    const std::vector<std::string> options = {"--size", "90x70", "--view", view};
    std::vector<std::string> up = options;
    up.insert(up.end(), {"--up", "z"});
    const scene::Image shown = view_of("a.h5", up), expected = view_of("b.h5", options),
                       lying = view_of("a.h5", options);
    size_t apart = 0, far = 0;
    for (size_t i = 0; i < shown.pixels.size(); ++i) {
      apart += std::abs(shown.pixels[i].g - expected.pixels[i].g) > 3;
      far += std::abs(shown.pixels[i].g - lying.pixels[i].g) > 3;
    }
    EXPECT_LT(apart, 70u) << view;
    EXPECT_GT(far, 700u) << view;
  }
  EXPECT_TRUE(has(printed({"a.h5", "-q", "--json", "--up", "-x", "--size", "20x20"}), "\"up\": \"-1,0,0\""));
  expect_failure(kBadUsage, "--up is 'w'", {"a.h5", "--up", "w"});
  expect_failure(kBadUsage, "--up has no effect on a cut through a volume",
                 {"a.h5", "--up", "z", "--slice", "z=1"});
  expect_failure(kBadUsage, "--up has no effect on a scene", {"cube.h5", "--up", "z"});
}

TEST_F(RenderViewsProgram, ARowOfAWayMaySayWhatIsUp) {
  const std::string columns = "eye_x,eye_y,eye_z,target_x,target_y,target_z";
  write("way.csv", columns + ",up_x,up_y,up_z\n0.5,0.5,3,0.5,0.5,0.5,0,1,0\n0.5,0.5,3,0.5,0.5,0.5,0,-1,0\n");
  printed({"cube.h5", "-q", "--path", "way.csv", "--size", "60x40", "--shade", "depth", "--legend", "off",
           "--samples", "1", "-o", "a.png"});
  const scene::Image up = read_image(folder_ / "a-0.png"), down = read_image(folder_ / "a-1.png");
  EXPECT_EQ(up.pixels, view_of("cube.h5", {"--eye", "0.5,0.5,3", "--target", "0.5,0.5,0.5", "--size", "60x40",
                                           "--shade", "depth", "--samples", "1"})
                           .pixels);
  EXPECT_TRUE(std::equal(up.pixels.begin(), up.pixels.end(), down.pixels.rbegin()));  // half a turn
  write("bad.csv", columns + ",up_x,up_y,up_z\n0.5,0.5,3,0.5,0.5,0.5,0,0,0\n");
  expect_failure(kFailed, "bad.csv:2:1: up is about 0,0,0", {"cube.h5", "--path", "bad.csv"});
}

// The scene has a volume's labels; an edit makes one of them afterwards.
TEST_F(RenderViewsProgram, AnEditedSceneIsCutAsOneThatWasMadeSo) {
  std::string before(32 * 32 * 32, '\0'), after;
  const auto at = [](int x, int y, int z) {
    const int index = x + 32 * (y + 32 * z);
    return size_t(index);
  };
  for (int z = 2; z < 30; ++z)
    for (int y = 2; y < 20; ++y)
      for (int x = 2; x < 30; ++x) before[at(x, y, z)] = static_cast<char>(1 + (x / 8 + y / 8 + z / 8) % 3);
  after = before;
  for (int z = 9; z < 17; ++z)
    for (int y = 13; y < 27; ++y)
      for (int x = 5; x < 22; ++x) after[at(x, y, z)] = 3;
  for (int z = 20; z < 25; ++z)
    for (int y = 10; y < 22; ++y)
      for (int x = 3; x < 30; ++x) after[at(x, y, z)] = 0;
  write("before_32x32x32_uint8.raw", before);
  write("after_32x32x32_uint8.raw", after);
  for (const std::string name : {"before", "after"})
    converted({name + "_32x32x32_uint8.raw", "--structure", "svdag", "--materials", "labels", "-q", "-o",
               name + ".h5"});
  write("script.txt", "box add min 5,13,9 max 22,27,17 material 2\nbox remove min 3,10,20 max 30,22,25\n");
  const Finished edit = run_program("vox-edit", {"before.h5", "-s", "script.txt", "-o", "edited.h5", "-q"},
                                    {.folder = folder_, .file_size_limit = {}});
  ASSERT_EQ(edit.code, 0) << edit.err;
  EXPECT_EQ(digest("edited.h5"), digest("after.h5"));
  for (const std::vector<std::string>& cut :
       std::vector<std::vector<std::string>>{{"--slice", "z=12"}, {"--slice", "x=10"}, {"--slice", "y=15"}}) {
    EXPECT_EQ(lit_view("edited.h5", cut).pixels, lit_view("after.h5", cut).pixels) << cut[1];
    EXPECT_NE(lit_view("edited.h5", cut).pixels, lit_view("before.h5", cut).pixels) << cut[1];
  }
  for (const std::string cut : {"z=12", "x=10", "y=15"}) {
    const std::vector<std::string> options = {"--cut", cut, "--size", "90x60", "--ao", "4", "--samples", "2"};
    EXPECT_EQ(lit_view("edited.h5", options).pixels, lit_view("after.h5", options).pixels) << cut;
    EXPECT_NE(lit_view("edited.h5", options).pixels, lit_view("before.h5", options).pixels) << cut;
  }
}

// Returns the difference of two pictures in their central part: the root mean square of linear light.
double difference(const scene::Image& a, const scene::Image& b) {
  double sum = 0, count = 0;
  for (uint32_t y = a.height / 4; y < a.height * 3 / 4; ++y)
    for (uint32_t x = a.width / 4; x < a.width * 3 / 4; ++x, count += 3) {
      const auto light = [&](const scene::Image& image) {
        const scene::Rgba8 p = image.pixels[size_t{y} * image.width + x];
        return scene::srgb_to_linear(scene::Rgb8{p.r, p.g, p.b});
      };
      const Vec3d apart = light(a) - light(b);
      sum += dot(apart, apart);
    }
  return std::sqrt(sum / count);
}

// The sun shines from behind, on no visible surface, so that pictures show only colors. The picture with
// many rays a pixel, down to the voxels, is the ideal result for pixels of this size.
TEST_F(RenderViewsProgram, MeansOfColorsAreNearerToManySamplesThanThoseOfVoxels) {
  ASSERT_EQ(
      scene({"bumpy-sphere", "--triangles", "3000", "--texture-size", "256", "-o", "thing.obj", "-q"}).code,
      0);
  converted({"thing.obj", "--res", "1000", "-q"});
  const auto with = [&](std::vector<std::string> options) {
    options.insert(options.end(),
                   {"--size", "60x60", "--sky", "flat", "--sun", "-1,-0.8,-1", "--shadows", "off"});
    return lit_view("thing.h5", options);
  };
  const scene::Image reference =
      with({"--lod", "off", "--samples", "100", "--sampling", "all", "--normals", "faces"});
  const double mean = difference(with({"--level-colors", "mean", "--samples", "1"}), reference),
               voxel = difference(with({"--level-colors", "voxel", "--samples", "1"}), reference);
  EXPECT_LT(mean, voxel * 3 / 4) << mean << ' ' << voxel;
}

TEST_F(RenderViewsProgram, OpensAClosedRoomUnlessItIsSeenOtherwise) {
  // A table lies in the closed cube.
  write("room.obj",
        cube_obj() + "v 0.3 0.4 0.3\nv 0.7 0.4 0.3\nv 0.7 0.4 0.7\nv 0.3 0.4 0.7\nf -4 -3 -2 -1\n");
  converted({"room.obj", "--res", "64", "-q"});
  const auto said = [&](std::vector<std::string> options) {
    options.insert(options.begin(), {"room.h5", "--size", "60x40", "-o", "a.png"});
    const Finished run = ran(options);
    EXPECT_EQ(run.code, 0) << run.err;
    return run.err;
  };
  EXPECT_TRUE(has(said({}), "it is cut open at y=42;"));
  said({"--cut", "y=42"});
  EXPECT_TRUE(read_image(folder_ / "a.png").pixels == lit_view("room.h5", {"--size", "60x40"}).pixels);
  EXPECT_TRUE(has(said({"--view", "front"}), "it is cut open at z=42;"));
  for (const std::vector<std::string>& options :
       std::vector<std::vector<std::string>>{{"--cut", "off"},
                                             {"--cut", "y=20"},
                                             {"--eye", "3,3,3"},
                                             {"--clip", "0,0,0,1,1,0.9"},
                                             {"--slice", "y=3"}})
    EXPECT_FALSE(has(said(options), "cut open")) << options[0];
  printed({"room.h5", "-q", "--html", "room.html"});
  EXPECT_TRUE(has(read_bytes(folder_ / "room.html"), "&y=0..43\""));
  EXPECT_TRUE(has(read_bytes(folder_ / "room.html"), "a closed room, which the page opens cut"));
  printed({"room.h5", "-q", "--html", "room.html", "--cut", "off"});
  EXPECT_FALSE(has(read_bytes(folder_ / "room.html"), "&y="));
}

// Tests vox-render's options for the colors, opacities and surfaces of volumes.

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
  expect_failure(kBadUsage, "holds one color", {"ramp.h5", "--colors", "one.hex"});
  expect_failure(kFailed, "nowhere.gpl", {"ramp.h5", "--colors", "nowhere.gpl"});
  expect_failure(kBadUsage, "--colors is 'blue'", {"ramp.h5", "--colors", "blue"});
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

// Compares pictures of a village and of a volume bit by bit with stored ones. If a change is intended,
// VOX_NEW_PICTURES=1 stores the new ones instead; look at them before committing them.

namespace fs = std::filesystem;

class Pictures : public ProgramTest {
 protected:
  Pictures() : ProgramTest("vox-render") {}

  void SetUp() override {
    ProgramTest::SetUp();
    const char* kept = std::getenv("VOX_PICTURES");
    if (kept == nullptr) GTEST_SKIP() << "VOX_PICTURES does not name the kept pictures";
    kept_ = kept;
  }

  void expect_kept(const std::string& scene, const std::string& name,
                   std::vector<std::string> options) const {
    const std::string file = name + ".png";
    options.insert(options.begin(), {scene, "-q", "-o", file, "--size", "240x160"});
    printed(options);
    if (std::getenv("VOX_NEW_PICTURES") != nullptr)
      fs::copy_file(folder_ / file, kept_ / file, fs::copy_options::overwrite_existing);
    const scene::Image shown = read_image(folder_ / file), kept = read_image(kept_ / file);
    ASSERT_EQ(shown.width, kept.width);
    ASSERT_EQ(shown.height, kept.height);
    size_t different = 0;
    for (size_t i = 0; i < kept.pixels.size(); ++i) different += shown.pixels[i] != kept.pixels[i];
    EXPECT_EQ(different, 0u) << "pixels of " << name << " differ from " << kept_ / file;
  }

  fs::path kept_;
};

TEST_F(Pictures, OfAVillageAreThoseThatAreKept) {
  ASSERT_EQ(scene({"village", "--seed", "3", "-o", "village.obj", "-q"}).code, 0);
  // The colors are those of the mesh's materials, because the pictures test the renderer and not the choice
  // of a palette.
  converted({"village.obj", "--res", "700", "--materials", "mesh", "-q"});
  const auto kept = [&](const std::string& name, const std::vector<std::string>& options) {
    expect_kept("village.h5", name, options);
  };
  kept("material", {});
  kept("light",
       {"--ao", "16", "--samples", "4", "--eye", "45,25,60", "--target", "0,0,0", "--sun", "-1,1,2"});
  kept("no-shadows", {"--shadows", "off", "--lod", "off", "--view", "top"});
  for (const char* shade : {"depth", "normal", "level", "sharing"}) kept(shade, {"--shade", shade});
  kept("slice-x", {"--slice", "x=300"});
  kept("slice-y", {"--slice", "y=40"});
  kept("slice-z", {"--slice", "z=350"});
}

TEST_F(Pictures, OfAThingOnTheGroundAreThoseThatAreKept) {
  ASSERT_EQ(scene({"bumpy-sphere", "--triangles", "3000", "-o", "thing.obj", "-q"}).code, 0);
  converted({"thing.obj", "--res", "300", "--materials", "mesh", "-q"});
  const std::vector<std::string> camera = {"--ground", "--ao",      "16",       "--samples",  "4",
                                           "--eye",    "0.5,1,4.5", "--target", "-0.3,-0.1,0"};
  expect_kept("thing.h5", "ground", camera);
}

TEST_F(Pictures, OfAVolumeAreThoseThatAreKept) {
  // The volume has two cloudy balls, computed in whole numbers, so that every machine makes the same.
  std::string values;
  for (int z = 0; z < 48; ++z)
    for (int y = 0; y < 40; ++y)
      for (int x = 0; x < 64; ++x) {
        const auto near = [&](int cx, int cy, int cz, int size) {
          return std::max(0, size - (x - cx) * (x - cx) - (y - cy) * (y - cy) - (z - cz) * (z - cz));
        };
        const int value = near(20, 20, 24, 300) / 2 + near(44, 16, 20, 200) + (x * 7 ^ y * 5 ^ z * 3) % 16;
        values += static_cast<char>(value < 16 ? 0 : value);
      }
  write("balls_64x40x48_uint8.raw", values);
  converted({"balls_64x40x48_uint8.raw", "-q", "-o", "balls.h5"});
  expect_kept("balls.h5", "volume", {});
  expect_kept("balls.h5", "volume-thin", {"--opacity", "0.05", "--view", "top", "--sun", "-1,1,0"});
  expect_kept("balls.h5", "volume-curve", {"--opacity", "0.1:0,0.3:0.2,0.4:0,0.8:0.9", "--colors", "gray"});
  expect_kept("balls.h5", "volume-iso", {"--iso", "0.3"});
  expect_kept("balls.h5", "volume-labels", {"--colors", "labels", "--opacity", "1"});
}

}  // namespace
}  // namespace vox
