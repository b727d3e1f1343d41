// Scenes with 24-bit colors, from the mesh through all tools.

#include "tests/tools/program.h"

namespace vox {
namespace {

class ColorsProgram : public ProgramTest {
 protected:
  void SetUp() override {
    ProgramTest::SetUp();
    if (folder_.empty()) return;
    ASSERT_EQ(scene({"bumpy-sphere", "--triangles", "2000", "--texture-size", "64", "-o", "ball.glb"}).code,
              0);
    converted({"ball.glb", "--res", "128", "--materials", "colors", "-o", "ball.h5", "--verify"});
  }
};

TEST_F(ColorsProgram, AreWrittenVerifiedAndDescribed) {
  EXPECT_TRUE(has(converted({"ball.h5", "--info"}), "24-bit colors"));
  EXPECT_TRUE(has(converted({"ball.h5", "--info"}), "bits a voxel"));
  EXPECT_NE(json_value(converted({"ball.h5", "--info", "--json"}), "color_bytes"), "");
  EXPECT_TRUE(has(converted({"--verify", "ball.h5"}), "correct"));
  converted({"ball.glb", "--res", "128", "--materials", "none", "-o", "plain.h5"});
  EXPECT_EQ(digest("ball.h5"), digest("plain.h5"));
}

TEST_F(ColorsProgram, BecomeAPaletteOnRequestAndWhereNothingElseFits) {
  converted({"ball.h5", "--materials", "palette", "-o", "palette.h5", "--verify"});
  write("inks.hex", "000000\nffffff\n00b0f0\ne03080\nf8e020\n");
  converted({"ball.h5", "--materials", "palette", "--palette", "inks.hex", "-o", "near.h5", "--verify"});
  converted({"ball.h5", "--materials", "palette", "--palette", "inks.hex", "--dither", "-o", "mixed.h5"});
  EXPECT_TRUE(has(converted({"mixed.h5", "--info"}), "#f8e020"));
  EXPECT_NE(json_value(converted({"mixed.h5", "--info", "--json"}), "digest"),
            json_value(converted({"near.h5", "--info", "--json"}), "digest"));
  expect_failure(kBadUsage, "--dither needs --materials palette", {"ball.glb", "--res", "64", "--dither"});
  EXPECT_TRUE(has(converted({"palette.h5", "--info"}), "4-bit materials"));
  std::filesystem::copy(folder_ / "ball.h5", folder_ / "damaged.h5");
  python(
      "import h5py\nfile = h5py.File('damaged.h5', 'r+')\nfile.attrs['digest'] = file.attrs['digest'][:-2] + "
      "b'00'\n");
  for (const char* verify : {"-q", "--verify"})
    EXPECT_EQ(convert({"damaged.h5", "--materials", "palette", "-o", "x.h5", verify}).code, kFailed)
        << verify;
  EXPECT_FALSE(exists("x.h5"));
  converted({"ball.h5", "-o", "ball.vox"});
  converted({"ball.h5", "--structure", "both", "-o", "bricks.h5", "--verify"});
  EXPECT_TRUE(has(converted({"bricks.h5", "--info"}), "4-bit materials"));
  EXPECT_EQ(run_program("vox-convert", {"palette.h5", "--materials", "palette", "-o", "again.h5"},
                        {.folder = folder_, .file_size_limit = {}})
                .code,
            1);
}

TEST_F(ColorsProgram, AreAsManyAsAreAskedFor) {
  converted({"ball.glb", "--res", "128", "--materials", "colors", "--palette-size", "32", "-o", "few.h5",
             "--verify"});
  converted({"ball.h5", "--palette-size", "32", "-o", "later.h5", "--verify"});
  const auto bytes = [&](const char* file) {
    return std::stoul(json_value(converted({file, "--info", "--json"}), "color_bytes"));
  };
  EXPECT_EQ(bytes("few.h5"), bytes("later.h5"));
  EXPECT_LT(bytes("few.h5"), bytes("ball.h5"));
  expect_failure(kBadUsage, "--palette-size", {"ball.glb", "--res", "64", "--palette-size", "32"});
  expect_failure(kBadUsage, "--palette-size",
                 {"ball.glb", "--res", "64", "--materials", "colors", "--palette-size", "16"});
}

TEST_F(ColorsProgram, MayChangeALittleToTakeLess) {
  converted({"ball.glb", "--res", "128", "--materials", "colors", "--color-error", "3", "-o", "near.h5",
             "--verify"});
  converted({"ball.h5", "--color-error", "3", "-o", "later.h5", "--verify"});
  const auto bytes = [&](const char* file) {
    return std::stoul(json_value(converted({file, "--info", "--json"}), "color_bytes"));
  };
  EXPECT_EQ(bytes("near.h5"), bytes("later.h5"));
  EXPECT_LT(bytes("near.h5"), bytes("ball.h5"));
  expect_failure(kBadUsage, "--color-error", {"ball.glb", "--res", "64", "--color-error", "3"});
  expect_failure(kBadUsage, "--color-error", {"ball.h5", "--color-error", "0", "-o", "x.h5"});
  converted({"ball.h5", "--materials", "palette", "-o", "palette.h5"});
  expect_failure(kFailed, "holds no 24-bit colors", {"palette.h5", "--color-error", "2", "-o", "x.h5"});
}

TEST_F(ColorsProgram, AreTheSameFromRoundsAndWithLittleMemory) {
  converted({"ball.h5", "-o", "ball.vl32"});
  for (const std::vector<std::string>& options : {std::vector<std::string>{"--spill", "host"},
                                                  {"--resume"},
                                                  {"--parts"},
                                                  {"--threads", "1"},
                                                  {"--memory-limit", "400M"}}) {
    std::vector<std::string> arguments = {"ball.glb", "--res", "128",     "--materials",
                                          "colors",   "-o",    "again.h5"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    converted(arguments);
    EXPECT_TRUE(has(converted({"--verify", "again.h5"}), "correct"));
    converted({"again.h5", "-o", "again.vl32", "--force"});
    EXPECT_EQ(read_bytes(folder_ / "again.vl32"), read_bytes(folder_ / "ball.vl32")) << options[0];
  }
}

TEST_F(ColorsProgram, OfPointsAndOtherProgramsVoxelsAreKept) {
  converted({"ball.h5", "-o", "ball.basic_dag.dag.bin"});
  converted({"ball.basic_dag.dag.bin", "--materials", "colors", "-o", "dag.h5", "--verify"});
  EXPECT_EQ(digest("dag.h5"), digest("ball.h5"));
  converted({"dag.h5", "-o", "dag.basic_dag.dag.bin"});
  EXPECT_EQ(read_bytes(folder_ / "dag.basic_dag.uncompressed_colors.bin"),
            read_bytes(folder_ / "ball.basic_dag.uncompressed_colors.bin"));
  converted({"ball.h5", "-o", "ball.vl32"});
  converted({"ball.vl32", "--materials", "colors", "-o", "voxels.h5"});
  converted({"voxels.h5", "-o", "voxels.vl32"});
  EXPECT_EQ(read_bytes(folder_ / "voxels.vl32"), read_bytes(folder_ / "ball.vl32"));
  converted({"ball.h5", "--ply", "points", "-o", "ball.ply"});
  converted({"ball.ply", "--res", "128", "--materials", "colors", "--palette-size", "64", "-o", "points.h5",
             "--verify"});
  EXPECT_TRUE(has(converted({"points.h5", "--info"}), "24-bit colors"));
  converted({"ball.h5", "--palette-size", "255", "-o", "few.h5"});
  converted({"few.h5", "-o", "few.vox"});
  converted({"few.vox", "--materials", "colors", "-o", "magica.h5"});
  EXPECT_EQ(json_value(converted({"magica.h5", "--info", "--json"}), "voxels"),
            json_value(converted({"ball.h5", "--info", "--json"}), "voxels"));
}

TEST_F(ColorsProgram, AreInSurfacesAndInFilesForOtherTools) {
  for (const char* file : {"ball.obj", "mesh.glb", "mesh.ply", "ball.vtkhdf", "ball.nvdb"}) {
    const Finished export_of = convert({"ball.h5", "-o", file});
    EXPECT_EQ(export_of.code, 0) << file;
    EXPECT_FALSE(has(export_of.err, "palette")) << file;
  }
  converted({"ball.nvdb", "--materials", "colors", "-o", "grid.h5"});
  for (const char* scene : {"ball", "grid"})
    converted({std::string(scene) + ".h5", "-o", std::string(scene) + ".vl32"});
  EXPECT_EQ(read_bytes(folder_ / "grid.vl32"), read_bytes(folder_ / "ball.vl32"));
  EXPECT_TRUE(has(convert({"ball.h5", "-o", "index.nvdb", "--nvdb-grid", "index"}).err, "palette of 16"));
}

TEST_F(ColorsProgram, OfInputsOfSeveralKindsMeetOnOneGrid) {
  // The scene's voxels lie on the grid, so that they keep their colors.
  const std::string grid = json_value(converted({"ball.h5", "--info", "--json"}), "voxel_size");
  ASSERT_EQ(scene({"bumpy-sphere", "--triangles", "500", "-o", "other.obj"}).code, 0);
  converted({"ball.h5", "other.obj", "--voxel-size", grid, "--snap-origin", "--materials", "colors", "-o",
             "both.h5", "--verify"});
  EXPECT_TRUE(has(converted({"both.h5", "--info"}), "24-bit colors"));
  converted({"ball.h5", "other.obj", "--voxel-size", grid, "--snap-origin", "-o", "palette.h5"});
  EXPECT_TRUE(has(converted({"palette.h5", "--info"}), "4-bit materials"));
  EXPECT_EQ(json_value(converted({"both.h5", "--info", "--json"}), "voxels"),
            json_value(converted({"palette.h5", "--info", "--json"}), "voxels"));
  converted({"ball.glb", "other.obj", "--combine", "subtract", "--res", "96", "--materials", "colors", "-o",
             "rest.h5", "--verify"});
  EXPECT_TRUE(has(converted({"rest.h5", "--info"}), "24-bit colors"));
}

TEST_F(ColorsProgram, StayWithPartsAndCoarserScenes) {
  for (const std::vector<std::string>& options :
       {std::vector<std::string>{"--res", "32"}, {"--clip", "-2,-2,-2,0,2,2"}, {"--compression", "none"}}) {
    std::vector<std::string> arguments = {"ball.h5", "-o", "other.h5", "--force"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    converted(arguments);
    EXPECT_TRUE(has(converted({"other.h5", "--info"}), "24-bit colors")) << options[0];
    EXPECT_TRUE(has(converted({"--verify", "other.h5"}), "correct")) << options[0];
  }
}

TEST_F(ColorsProgram, AreShownAndMeasured) {
  for (const std::vector<std::string>& options :
       {std::vector<std::string>{}, {"--slice", "z=64"}, {"--cut", "x=64"}, {"--clip", "-2,-2,-2,0,2,2"}}) {
    std::vector<std::string> arguments = {"ball.h5", "-o",     "ball.png", "--device",
                                          "cpu",     "--size", "80x60",    "--force"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    EXPECT_EQ(run_program("vox-render", arguments, {.folder = folder_, .file_size_limit = {}}).code, 0);
  }
  EXPECT_EQ(run_program("vox-render", {"ball.h5", "--html", "ball.html"},
                        {.folder = folder_, .file_size_limit = {}})
                .code,
            0);
  const Finished stats = run_program("vox-stats", {"ball.h5"}, {.folder = folder_, .file_size_limit = {}});
  EXPECT_EQ(stats.code, 0);
  EXPECT_TRUE(has(stats.out, "24-bit colors"));
}

TEST_F(ColorsProgram, AreNotEditedAndTheErrorSaysWhatToDo) {
  write("script.txt", "sphere remove center 64,64,64 radius 20\n");
  const Finished edit = run_program("vox-edit", {"ball.h5", "--script", "script.txt", "-o", "edited.h5"},
                                    {.folder = folder_, .file_size_limit = {}});
  EXPECT_EQ(edit.code, 1);
  EXPECT_TRUE(has(edit.err, "--materials palette"));
}

TEST_F(ColorsProgram, AreRefusedWhereNobodyMakesThem) {
  for (const std::vector<std::string>& options : {std::vector<std::string>{"--solid"},

                                                  {"--palette", "auto"},
                                                  {"--palette-out", "p.gpl"}}) {
    std::vector<std::string> arguments = {"ball.glb", "--res", "64", "--materials", "colors", "-o", "x.h5"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    EXPECT_EQ(run_program("vox-convert", arguments, {.folder = folder_, .file_size_limit = {}}).code, 2)
        << options[0];
    EXPECT_FALSE(exists("x.h5"));
  }
  EXPECT_EQ(run_program("vox-convert", {"ball.h5", "--materials", "colors", "-o", "x.h5"},
                        {.folder = folder_, .file_size_limit = {}})
                .code,
            2);
  EXPECT_EQ(run_program("vox-convert", {"ball.glb", "--res", "64", "--materials", "palette"},
                        {.folder = folder_, .file_size_limit = {}})
                .code,
            2);
}

}  // namespace
}  // namespace vox
