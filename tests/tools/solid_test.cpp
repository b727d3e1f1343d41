// Tests vox-convert --solid with meshes that are not closed.

#include <fstream>
#include <sstream>

#include "tests/tools/program.h"

namespace vox {
namespace {

class SolidProgram : public ProgramTest {};

TEST_F(SolidProgram, SolidClosesHolesAndShowsWhereTheyAre) {
  ASSERT_EQ(scene({"bumpy-sphere", "--triangles", "2000", "-o", "whole.obj"}).code, 0);
  std::istringstream lines(read_bytes(folder_ / "whole.obj"));
  std::ofstream torn(folder_ / "torn.obj");
  int faces = 0;
  for (std::string line; std::getline(lines, line);)
    if (!line.starts_with("f ") || ++faces % 100 != 0) torn << line << '\n';
  torn.close();
  const std::string whole = converted({"whole.obj", "--res", "128", "--solid", "--json", "-o", "whole.h5"}),
                    closed = converted({"torn.obj", "--res", "128", "--solid", "--json", "-o", "closed.h5",
                                        "--holes-out", "holes.glb"}),
                    open = converted({"torn.obj", "--res", "128", "--solid", "--inside", "parity", "--json",
                                      "-o", "open.h5"});
  write("two.hex", "101010\nf0f0f0\n");
  EXPECT_EQ(json_value(whole, "holes"), "0");
  EXPECT_EQ(json_value(closed, "holes"), "20");
  EXPECT_EQ(json_value(closed, "open_edges"), "60");
  EXPECT_EQ(json_value(open, "holes"), "0");
  EXPECT_NE(json_value(open, "open_rays"), "0");
  const auto voxels = [](const std::string& json) { return std::stod(json_value(json, "voxels")); };
  EXPECT_NEAR(voxels(closed), voxels(whole), 0.001 * voxels(whole));
  EXPECT_TRUE(has(converted({"holes.glb", "--res", "64", "--materials", "mesh", "--json", "-o", "holes.h5"}),
                  "\"triangles\": 20"));
  // A cube of six squares that do not touch.
  std::ofstream apart(folder_ / "apart.obj");
  int vertices = 0;
  for (int axis = 0; axis < 3; ++axis)
    for (const double at : {0., 10.}) {
      for (const auto& [a, b] : {std::pair{0.1, 0.1}, {9.9, 0.1}, {9.9, 9.9}, {0.1, 9.9}}) {
        std::array<double, 3> place = {};
        place[static_cast<size_t>(axis)] = at;
        place[static_cast<size_t>(axis + 1) % 3] = a;
        place[static_cast<size_t>(axis + 2) % 3] = b;
        apart << "v " << place[0] << ' ' << place[1] << ' ' << place[2] << '\n';
      }
      apart << "f " << vertices + 1 << ' ' << vertices + 2 << ' ' << vertices + 3 << ' ' << vertices + 4
            << '\n';
      vertices += 4;
    }
  apart.close();
  const std::string alone = converted({"apart.obj", "--res", "64", "--solid", "--json", "-o", "alone.h5"}),
                    joined = converted(
                        {"apart.obj", "--res", "64", "--solid", "--close", "2", "--json", "-o", "joined.h5"});
  EXPECT_EQ(json_value(alone, "sheets"), "6");
  EXPECT_EQ(json_value(joined, "sheets"), "0");
  EXPECT_EQ(json_value(joined, "joined_vertices"), "16");
  EXPECT_GT(voxels(joined), 62. * 62 * 62);
  expect_failure(kBadUsage, "--close needs --solid",
                 {"apart.obj", "--res", "64", "--close", "2", "-o", "x.h5"});
  EXPECT_TRUE(
      has(convert({"whole.obj", "--res", "64", "--solid", "--holes-out", "none.glb", "-o", "x.h5"}).err,
          "no holes"));
  EXPECT_FALSE(exists("none.glb"));
  expect_failure(kBadUsage, "--holes-out", {"torn.obj", "--res", "64", "--holes-out", "h.glb", "-o", "x.h5"});
  converted({"whole.obj", "--res", "64", "--solid", "--interior", "#0a141e", "-o", "filled.h5", "--verify"});
  EXPECT_TRUE(has(converted({"filled.h5", "--info"}), "#0a141e  interior"));
  expect_failure(kBadUsage, "--interior", {"whole.obj", "--res", "64", "--interior", "3", "-o", "x.h5"});
  expect_failure(
      kBadUsage, "the palette has",
      {"whole.obj", "--res", "64", "--solid", "--interior", "15", "--palette", "two.hex", "-o", "x.h5"});
  expect_failure(kBadUsage, "--interior",
                 {"whole.obj", "--res", "64", "--solid", "--interior", "16", "-o", "x.h5"});
  expect_failure(kBadUsage, "--inside", {"torn.obj", "--res", "64", "--inside", "parity", "-o", "x.h5"});
}

}  // namespace
}  // namespace vox
