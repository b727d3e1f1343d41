// What vox-render does, with good input and bad.
#include <cmath>

#include "formats/image.h"
#include "tests/common/test_engine.h"
#include "tests/tools/program.h"

namespace vox {
namespace {

constexpr int kFailed = 1, kBadUsage = 2;

class RenderProgram : public ProgramTest {
 protected:
  // Makes cube.h5, a shell of 64³ that is a cube from 0 to 1 in the scene's units.
  void SetUp() override {
    ProgramTest::SetUp();
    if (folder_.empty()) return;
    write("cube.obj", cube_obj());
    converted({"cube.obj", "--res", "64", "-q"});
  }

  Finished render(std::vector<std::string> arguments, RunOptions options = {}) {
    arguments.insert(arguments.end(), {"--device", test_device()});
    options.folder = folder_;
    return run_program("vox-render", arguments, options);
  }

  // Expects exit code 0 and no error; returns what was printed on stdout.
  std::string rendered(const std::vector<std::string>& arguments) {
    const Finished run = render(arguments);
    EXPECT_EQ(run.code, 0) << "signal " << run.signal << "\n" << run.err;
    EXPECT_EQ(run.err.find("error:"), std::string::npos) << run.err;
    return run.out;
  }

  void expect_failure(int code, const std::string& text, const std::vector<std::string>& arguments,
                      const RunOptions& options = {}) {
    const auto before = listing(folder_);
    const Finished run = render(arguments, options);
    EXPECT_EQ(run.code, code) << "signal " << run.signal << ", " << testing::PrintToString(arguments);
    EXPECT_TRUE(one_error(run, text, "vox-render")) << testing::PrintToString(arguments);
    EXPECT_EQ(run.out, "");
    EXPECT_TRUE(listing(folder_) == before) << "files changed, " << testing::PrintToString(arguments);
  }

  Image image(const std::string& name) const { return read_image(folder_ / name); }
};

TEST_F(RenderProgram, ShowsTheWholeSceneByDefault) {
  rendered({"cube.h5", "-q"});
  const Image shown = image("cube.png");
  EXPECT_EQ(shown.width, 1920u);
  EXPECT_EQ(shown.height, 1080u);
  const Rgba8 sky = shown.pixels.front();
  size_t filled = 0;
  for (uint32_t y = 0; y < shown.height; ++y)
    for (uint32_t x = 0; x < shown.width; ++x) {
      if (shown.pixels[size_t{y} * shown.width + x] == sky) continue;
      ++filled;
      EXPECT_TRUE(x > 0 && y > 0 && x < shown.width - 1 && y < shown.height - 1);
    }
  EXPECT_GT(filled, 400000u);
}

TEST_F(RenderProgram, LooksFromTheEyeInSceneUnits) {
  rendered({"cube.h5", "-q", "--eye", "0.5,0.5,3", "--target", "0.5,0.5,0.5", "--fov", "40", "--size",
            "200x200", "--shade", "normal"});
  const Image shown = image("cube.png");
  // The face at z = 1 is 2 away and 1 wide.
  const double half = 100 * 0.25 / std::tan(20 * 3.14159265358979 / 180);
  for (uint32_t x = 0; x < 200; ++x)
    if (std::abs(std::abs(x + 0.5 - 100) - half) > 2) {
      EXPECT_EQ(shown.pixels[100 * 200 + x] == (Rgba8{188, 188, 255, 255}), std::abs(x + 0.5 - 100) < half)
          << x;
    }
}

TEST_F(RenderProgram, SaysInThePictureHowItWasMade) {
  rendered({"cube.h5", "-q", "-o", "a b.png", "--view", "top", "--size", "30x20"});
  const std::string png = read_bytes(folder_ / "a b.png");
  const std::string quoted = digest("cube.h5"), hex = quoted.substr(1, quoted.size() - 2);
  EXPECT_EQ(hex.size(), 32u);
  EXPECT_NE(png.find(std::string("tEXtDigest") + '\0' + hex), std::string::npos);
  EXPECT_NE(png.find(std::string("tEXtCommand") + '\0' + "vox-render cube.h5"), std::string::npos);
  EXPECT_NE(png.find(std::string("tEXtCamera") + '\0' + "--eye 0.5,"), std::string::npos);
  EXPECT_EQ(image("a b.png").width, 30u);
}

TEST_F(RenderProgram, ATurntableGoesAroundInNumberedPictures) {
  rendered({"cube.h5", "-q", "--turntable", "12", "--size", "64x48", "--view", "front", "--shade", "normal"});
  EXPECT_TRUE(exists("cube-00.png") && exists("cube-11.png"));
  EXPECT_FALSE(exists("cube-12.png") || exists("cube.png"));
  EXPECT_TRUE(image("cube-00.png").pixels != image("cube-01.png").pixels);
}

TEST_F(RenderProgram, TheSamePictureComesAgain) {
  rendered({"cube.h5", "-q", "-o", "a.png", "--ao", "4", "--samples", "2", "--size", "100x100"});
  rendered(
      {"cube.h5", "-q", "-o", "b.png", "--ao", "4", "--samples", "2", "--size", "100x100", "--threads", "1"});
  EXPECT_TRUE(image("a.png").pixels == image("b.png").pixels);
}

TEST_F(RenderProgram, FromInsideMatterAndOfNothingThereAreClearAnswers) {
  rendered({"cube.h5", "-q", "--eye", "0.001,0.5,0.5", "--target", "0.0001,0.5,0.5", "--size", "20x20"});
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
  expect_failure(kFailed, "cube.png", {"cube.h5", "-q"}, {.folder = {}, .file_size_limit = 1000});
  expect_failure(kBadUsage, "which is the scene", {"cube.h5", "-o", "cube.h5"});
}

}  // namespace
}  // namespace vox
