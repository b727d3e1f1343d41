// Pictures of a village, compared to the last bit with those that are kept. Where a change of them is meant:
// VOX_NEW_PICTURES=1 keeps the new ones instead; look at them before they are committed.
#include <cstdlib>

#include "formats/image.h"
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
    if (folder_.empty()) return;
    ASSERT_EQ(scene({"village", "--seed", "3", "-o", "village.obj", "-q"}).code, 0);
    converted({"village.obj", "--res", "700", "-q"});
  }

  void expect_kept(const std::string& name, std::vector<std::string> options) const {
    const std::string file = name + ".png";
    options.insert(options.begin(), {"village.h5", "-q", "-o", file});
    printed(options);
    if (std::getenv("VOX_NEW_PICTURES") != nullptr)
      fs::copy_file(folder_ / file, kept_ / file, fs::copy_options::overwrite_existing);
    const Image shown = read_image(folder_ / file), kept = read_image(kept_ / file);
    ASSERT_EQ(shown.width, kept.width);
    ASSERT_EQ(shown.height, kept.height);
    size_t different = 0;
    for (size_t i = 0; i < kept.pixels.size(); ++i) different += shown.pixels[i] != kept.pixels[i];
    EXPECT_EQ(different, 0u) << "pixels of " << name << " differ from " << kept_ / file;
  }

  fs::path kept_;
};

TEST_F(Pictures, OfAVillageAreThoseThatAreKept) {
  const std::vector<std::string> small = {"--size", "240x160"};
  const auto kept = [&](const std::string& name, std::vector<std::string> options) {
    options.insert(options.end(), small.begin(), small.end());
    expect_kept(name, options);
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

}  // namespace
}  // namespace vox
