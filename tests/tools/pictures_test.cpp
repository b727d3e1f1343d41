// Compares pictures of a village and of a volume bit by bit with stored ones. If a change is intended,
// VOX_NEW_PICTURES=1 stores the new ones instead; look at them before committing them.
#include <algorithm>
#include <cstdlib>

#include "formats/images/image.h"
#include "tests/tools/program.h"

namespace vox {
namespace {

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
  // The colours are those of the mesh's materials, because the pictures test the renderer and not the choice
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
