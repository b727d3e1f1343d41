// Tests conversions and pictures on several devices: the results are those of one device, and impossible
// requests are refused.
#include "formats/images/image.h"
#include "tests/tools/program.h"

namespace vox {
namespace {

class SeveralDevicesProgram : public CubesTest {
 protected:
  Finished on(const std::string& devices, std::vector<std::string> arguments) const {
    arguments.insert(arguments.end(), {"--device", devices});
    return run_program("vox-convert", arguments, {.folder = folder_, .file_size_limit = {}});
  }
};

TEST_F(SeveralDevicesProgram, MakeTheSceneThatOneMakes) {
  write("box.obj", cube_obj());
  converted({"box.obj", "--res", "300", "-q", "-o", "one.h5"});
  const Finished several =
      on("cpu,cpu,cpu", {"box.obj", "--res", "300", "-o", "several.h5", "--json", "--verify"});
  ASSERT_EQ(several.code, 0) << several.err;
  EXPECT_NE(several.out.find("\"device\": \"cpu,cpu,cpu\""), std::string::npos);
  EXPECT_EQ(digest("several.h5"), digest("one.h5"));
}

TEST_F(SeveralDevicesProgram, TakeThePicturesThatOneTakes) {
  for (const std::vector<std::string>& look :
       {std::vector<std::string>{"--samples", "4"}, {"--shade", "sharing"}, {"--slice", "z=3"}}) {
    const auto taken_on = [&](const std::string& device) {
      std::vector<std::string> run = {"cube.h5", "-q",       "--size",   "120x200",
                                      "-o",      "view.png", "--device", device};
      run.insert(run.end(), look.begin(), look.end());
      const Finished picture = run_program("vox-render", run, {.folder = folder_, .file_size_limit = {}});
      EXPECT_EQ(picture.code, 0) << picture.err;
      return read_image(folder_ / "view.png").pixels;
    };
    EXPECT_EQ(taken_on("cpu,cpu,cpu"), taken_on("cpu"));
  }
}

TEST_F(SeveralDevicesProgram, AreRefusedWhereOneDoesTheWork) {
  write("box.obj", cube_obj());
  const std::vector<std::vector<std::string>> runs = {{"cube.h5", "-o", "x.vox"},
                                                      {"box.obj", "--res", "64", "--structure", "both"},
                                                      {"box.obj", "--res", "64", "--structure", "hash"}};
  for (const auto& run : runs) {
    const Finished refused = on("cpu,cpu", run);
    EXPECT_EQ(refused.code, kBadUsage);
    EXPECT_TRUE(one_error(refused, "--device names several"));
  }
  for (const char* wrong : {"cpu,", "cpu,auto", "cuda:0,cuda:0", "cpu,1"}) {
    const Finished refused = on(wrong, {"box.obj", "--res", "64"});
    EXPECT_EQ(refused.code, kBadUsage) << wrong;
    EXPECT_TRUE(one_error(refused, "the device is '" + std::string(wrong) + "'"));
  }
}

}  // namespace
}  // namespace vox
