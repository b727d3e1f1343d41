// Tests vox-convert with point clouds.
#include "tests/tools/program.h"

namespace vox {
namespace {

class PointsProgram : public ProgramTest {
 protected:
  // Returns a colourful line of points that spans 10 units along x.
  static std::string lines(int from, int to) {
    std::string text;
    for (int i = from; i <= to; ++i)
      text += std::to_string(i * 0.01) + " " + std::to_string(i % 7 * 0.1) + " 0.25 " +
              std::to_string(i % 256) + " 20 30\n";
    return text;
  }
  static std::string ply(const std::string& properties, const std::string& points, int count) {
    return "ply\nformat ascii 1.0\nelement vertex " + std::to_string(count) +
           "\nproperty float x\nproperty float y\nproperty float z\n" + properties + "end_header\n" + points;
  }
};

TEST_F(PointsProgram, MakesAVerifiedSceneWithColoursForEveryThreadCount) {
  write("a.xyz", lines(0, 1000));
  const std::string json = converted({"a.xyz", "--res", "64", "--verify", "--json", "-q", "--threads", "1"});
  EXPECT_EQ(json_value(json, "points"), "1001");
  EXPECT_EQ(json_value(json, "material_bits"), "4");
  EXPECT_NE(json_value(json, "palette_error.mean"), "");
  converted({"a.xyz", "--res", "64", "-o", "b.h5", "-q", "--threads", "3"});
  EXPECT_EQ(digest("a.h5"), digest("b.h5"));
}

TEST_F(PointsProgram, SeveralFilesShareAGrid) {
  write("a.xyz", lines(0, 1000));
  write("b.xyz", lines(0, 400));
  write("c.ply",
        ply("property uchar red\nproperty uchar green\nproperty uchar blue\n", lines(401, 1000), 600));
  converted({"a.xyz", "--voxel-size", "0.1", "-q"});
  converted({"b.xyz", "c.ply", "--voxel-size", "0.1", "-q"});
  EXPECT_EQ(digest("a.h5"), digest("b.h5"));
}

TEST_F(PointsProgram, AMeshAndPointsNeedAGridForBoth) {
  write("cube.obj", cube_obj());
  write("a.xyz", lines(0, 10));
  write("a.ply", ply("", "0 0 0\n1 1 1\n", 2));
  expect_failure(kBadUsage, "a.xyz holds points", {"cube.obj", "a.xyz"});
  expect_failure(kBadUsage, "a.ply holds points", {"cube.obj", "a.ply"});
}

TEST_F(PointsProgram, OptionsWithoutEffectAreErrors) {
  write("a.xyz", lines(0, 10));
  write("bare.xyz", "0 0 0\n1 1 1\n");
  write("cube.obj", cube_obj());
  for (const std::vector<std::string>& more :
       std::vector<std::vector<std::string>>{{"--solid"},
                                             {"--coverage", "thin"},
                                             {"--units", "keep"},
                                             {"--splat-opacity", "0.5"},
                                             {"--table", "sector"}}) {
    std::vector<std::string> arguments = {"a.xyz", "--res", "64"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    expect_failure(kBadUsage, more[0] + " has no effect on a cloud of points", arguments);
  }
  expect_failure(kBadUsage, "--palette-weight has no effect where not all points have colours",
                 {"bare.xyz", "--res", "64", "--palette-weight", "even"});
  expect_failure(kBadUsage, "--point-radius has no effect on a mesh",
                 {"cube.obj", "--res", "64", "--point-radius", "1"});
  expect_failure(kBadUsage, "--materials mesh is for meshes",
                 {"a.xyz", "--res", "64", "--materials", "mesh"});
  expect_failure(kBadUsage, "one of --res and --voxel-size", {"a.xyz"});
  expect_failure(kFailed, "a point has at most 31", {"a.xyz", "--res", "64", "--point-radius", "100"});
}

TEST_F(PointsProgram, WhatIsDroppedIsCounted) {
  write("a.ply",
        ply("property float f_dc_0\nproperty float f_dc_1\nproperty float f_dc_2\nproperty float opacity\n",
            "0 0 0 0 0 0 3\n1 1 1 0 0 0 -3\nnan 0 0 0 0 0 5\n2 2 2 0 0 0 5\n", 4));
  const Finished run = ran({"a.ply", "--res", "64", "--splat-opacity", "0.9", "--json"});
  EXPECT_EQ(run.code, 0);
  EXPECT_TRUE(has(run.err, "dropped 1 point with coordinates that are not finite")) << run.err;
  EXPECT_TRUE(has(run.err, "1 point left out")) << run.err;
  EXPECT_EQ(json_value(run.out, "points"), "2");
  EXPECT_EQ(json_value(run.out, "points_not_finite"), "1");
  EXPECT_EQ(json_value(run.out, "points_left_out"), "1");
}

TEST_F(PointsProgram, ARadiusWidensTheGridAndAClipBoxDoesNot) {
  write("a.xyz", "0 0 0\n1 0 0\n");
  converted({"a.xyz", "--voxel-size", "0.125", "--point-radius", "0.25", "-q"});
  EXPECT_EQ(json_value(converted({"a.h5", "--info", "--json"}), "resolution"), "12");
  converted({"a.xyz", "--voxel-size", "0.125", "--point-radius", "0.25", "--clip", "0,0,0,1,1,1", "-o",
             "b.h5", "-q"});
  EXPECT_EQ(json_value(converted({"b.h5", "--info", "--json"}), "resolution"), "8");
}

}  // namespace
}  // namespace vox
