// Tests vox-render's pictures of the ground, of volumes with other up axes, of edited scenes, and of distant
// colours.
#include <algorithm>
#include <cmath>

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

// The sun shines from behind, on no visible surface, so that pictures show only colours. The picture with
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

}  // namespace
}  // namespace vox
