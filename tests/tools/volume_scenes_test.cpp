// Tests vox-convert with volumes that become scenes.
#include "tests/tools/bricks_program.h"

namespace vox {
namespace {

TEST_F(BricksProgram, LabelsOfAVolumeBecomeTheMaterialsThatTheyWereWrittenAs) {
  make_cubes();
  converted({"cube.h5", "-o", "cube.nrrd"});
  converted({"cube.nrrd", "--structure", "svdag", "--materials", "labels", "-o", "again.h5", "--verify"});
  EXPECT_EQ(digest("again.h5"), digest("cube.h5"));
}

TEST_F(BricksProgram, AVolumeBecomesEveryFormOfAScene) {
  const std::string json =
      converted({"ball_20x14x9_uint8.raw", "--structure", "both,hash", "--threshold", "0.5", "--materials",
                 "bins:4", "--palette-out", "p.gpl", "-o", "a.h5", "--verify", "--json"});
  EXPECT_EQ(json_value(json, "verified"), "true");
  EXPECT_EQ(json_value(json, "resolution"), "20");
  EXPECT_EQ(json_value(json, "bricks.filled"), json_value(json, "voxels"));
  EXPECT_NE(read_bytes(folder_ / "p.gpl").find("120 to 150"), std::string::npos);
  converted({"ball_20x14x9_uint8.raw", "-o", "a.vox"});
  converted({"ball_20x14x9_uint8.raw", "--materials", "none", "--res", "10", "-o", "b.binvox"});
}

TEST_F(BricksProgram, WhatHasNoEffectOnASceneOfAVolumeIsRefused) {
  const auto refuse = [&](const std::string& text, std::vector<std::string> more) {
    more.insert(more.begin(), "ball_20x14x9_uint8.raw");
    expect_failure(kBadUsage, text, more);
  };
  refuse("--materials has no effect on bricks of a volume", {"--materials", "bins"});
  refuse("--materials of a volume is bins, labels or none", {"--structure", "svdag", "--materials", "mesh"});
  refuse("--threshold is for amounts",
         {"--structure", "svdag", "--materials", "labels", "--threshold", "0.1"});
  refuse("--materials is 'bins:17', expected bins:1 to bins:16",
         {"--structure", "svdag", "--materials", "bins:17"});
  refuse("--materials is 'labels:1', expected", {"--structure", "svdag", "--materials", "labels:1"});
  refuse("--channel has no effect", {"--structure", "svdag", "--channel", "0"});
  refuse("--palette has no effect", {"--structure", "svdag", "--materials", "none", "--palette", "p.gpl"});
  refuse("--coverage has no effect", {"--structure", "svdag", "--coverage", "thin"});
  write("cube.obj", cube_obj());
  expect_failure(kBadUsage, "--materials bins and labels are for volumes",
                 {"cube.obj", "--res", "64", "--materials", "bins"});
}

}  // namespace
}  // namespace vox
