// Tests vox-scene.
#include "tests/tools/program.h"

namespace vox {
namespace {

using SceneProgram = ProgramTest;

TEST_F(SceneProgram, RefusesAnUnknownScene) {
  for (const std::vector<std::string>& arguments : {std::vector<std::string>{"atlantis"},
                                                    {},
                                                    {"village", "-o", "x.wat"},
                                                    {"village", "--texture-size", "1"}}) {
    const Finished run = scene(arguments);
    EXPECT_EQ(run.code, 2) << testing::PrintToString(arguments);
    EXPECT_TRUE(run.err.starts_with("vox-scene: error: ")) << run.err;
  }
  EXPECT_TRUE(listing(folder_).empty());
}

TEST_F(SceneProgram, WritesTheSameBytesForTheSameSeed) {
  for (const std::string name : {"a.glb", "b.glb"})
    ASSERT_EQ(scene({"village", "--texture-size", "16", "--seed", "7", "-o", name}).code, 0);
  ASSERT_EQ(scene({"village", "--texture-size", "16", "--seed", "8", "-o", "c.glb"}).code, 0);
  EXPECT_TRUE(read_bytes(folder_ / "a.glb") == read_bytes(folder_ / "b.glb"));
  EXPECT_FALSE(read_bytes(folder_ / "a.glb") == read_bytes(folder_ / "c.glb"));
}

TEST_F(SceneProgram, PrintsOneJsonObject) {
  const Finished run = scene({"bumpy-sphere", "--triangles", "1000", "--texture-size", "16", "--json"});
  EXPECT_EQ(run.code, 0);
  EXPECT_TRUE(run.out.starts_with("{") && run.out.ends_with("}\n")) << run.out;
  EXPECT_EQ(json_value(run.out, "file"), "\"bumpy-sphere.obj\"");
  for (const char* key : {"triangles", "vertices", "bounds.min", "seconds.total"})
    EXPECT_NE(json_value(run.out, key), "") << key;
  EXPECT_TRUE(exists("bumpy-sphere.obj") && exists("bumpy-sphere.mtl"));
}

TEST_F(SceneProgram, UnwrapsASphereAndNothingElse) {
  const Finished run = scene(
      {"bumpy-sphere", "--triangles", "500", "--texture-size", "16", "--unwrapped", "-q", "-o", "a.obj"});
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(scene({"bumpy-sphere", "--triangles", "500", "--texture-size", "16", "-q", "-o", "b.obj"}).code,
            0);
  const std::string unwrapped = read_bytes(folder_ / "a.obj"), repeated = read_bytes(folder_ / "b.obj");
  EXPECT_TRUE(has(repeated, "\nvt 2 ") && !has(unwrapped, "\nvt 2 "));
  EXPECT_EQ(scene({"village", "--unwrapped", "-o", "c.obj"}).code, 2);
}

TEST_F(SceneProgram, ReportsATargetThatCannotBeWritten) {
  const Finished run = scene({"village", "--texture-size", "16", "-o", "no/folder/x.glb"});
  EXPECT_EQ(run.code, 1);
  EXPECT_TRUE(run.err.starts_with("vox-scene: error: no/folder/x.glb: ")) << run.err;
}

}  // namespace
}  // namespace vox
