// Scenes with 24-bit colors, from the mesh through all tools.

#include "tests/tools/program.h"

namespace vox {
namespace {

class ColorsProgram : public ProgramTest {
 protected:
  void SetUp() override {
    ProgramTest::SetUp();
    if (folder_.empty()) return;
    make_once("colored_ball", [&] {
      EXPECT_EQ(scene({"bumpy-sphere", "--triangles", "2000", "--texture-size", "64", "-o", "ball.glb"}).code,
                0);
      converted({"ball.glb", "--res", "128", "--materials", "colors", "-o", "ball.h5", "--verify"});
    });
  }
};

TEST_F(ColorsProgram, AreWrittenVerifiedAndDescribed) {
  EXPECT_TRUE(has(converted({"ball.h5", "--info"}), "24-bit colors"));
  EXPECT_TRUE(has(converted({"ball.h5", "--info"}), "bits a voxel"));
  EXPECT_NE(json_value(converted({"ball.h5", "--info", "--json"}), "color_digest"), "");
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
  // A mesh is mixed in one step, from measured colors too.
  write("inks.json",
        R"({"materials": [{"name": "black", "color": "#000000"}, {"lab": [100, 0, 0]}, {"color": "#00b0f0"},
           {"color": "#e03080"}, {"color": "#f8e020"}]})");
  converted(
      {"ball.glb", "--res", "128", "--palette", "inks.json", "--dither", "-o", "printed.h5", "--verify"});
  EXPECT_TRUE(has(converted({"printed.h5", "--info"}), "black"));
  EXPECT_EQ(json_value(converted({"printed.h5", "--info", "--json"}), "digest"),
            json_value(converted({"mixed.h5", "--info", "--json"}), "digest"));
  const auto refused = [&](const char* problem, const std::vector<std::string>& more) {
    std::vector<std::string> command = {"ball.glb", "--res", "64", "--dither", "-o", "x.h5"};
    command.insert(command.end(), more.begin(), more.end());
    expect_failure(kBadUsage, problem, command);
  };
  refused("--dither mixes colors", {"--materials", "mesh"});
  refused("--palette-weight needs", {"--palette-weight", "even"});
  refused("--dither does not go with --shell", {"--solid", "--interior", "1", "--shell", "2=3"});
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

TEST_F(ColorsProgram, StayWithTheVoxelsThatTwoScenesHaveInCommon) {
  converted({"ball.h5", "--clip", "-2,-2,-2,0,2,2", "-o", "part.h5"});
  const Finished run = run_program("vox-stats", {"ball.h5", "--against", "part.h5", "-o", "both.h5"},
                                   {.folder = folder_, .file_size_limit = {}});
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_TRUE(has(converted({"--verify", "both.h5"}), "correct"));
  EXPECT_EQ(digest("both.h5"), digest("part.h5"));
  for (const std::string name : {"both", "part"})
    converted({name + ".h5", "--materials", "palette", "-o", name + "4.h5"});
  EXPECT_EQ(digest("both4.h5"), digest("part4.h5"));
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
  const std::string before = read_bytes(folder_ / "ball.h5");
  for (const std::vector<std::string>& change : {std::vector<std::string>{"--palette-size", "32"},
                                                 {"--materials", "palette"},
                                                 {"--structure", "both"}})
    expect_failure(kBadUsage, "the scene with other colors would replace './ball.h5'",
                   {"ball.h5", change[0], change[1], "-o", "./ball.h5"});
  expect_failure(kBadUsage, "the filled scene would replace",
                 {"ball.h5", "--fill", "outside", "-o", "./ball.h5"});
  EXPECT_TRUE(read_bytes(folder_ / "ball.h5") == before);
  EXPECT_TRUE(has(converted({"later.h5", "--info"}), "ball.h5 --palette-size 32 -o later.h5"));
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
  const Finished materials = run_program("vox-stats", {"ball.h5", "--only", "materials"},
                                         {.folder = folder_, .file_size_limit = {}});
  EXPECT_TRUE(one_error(materials, "have 24-bit colors of their own", "vox-stats")) << materials.err;
  EXPECT_EQ(stats.code, 0);
  EXPECT_TRUE(has(stats.out, "24-bit colors"));
}

TEST_F(ColorsProgram, AreEditedByScriptsThatNameColors) {
  const auto edit = [&](const char* scene, const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments = {scene, "--script", "script.txt", "-o", "edited.h5", "--force"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_program("vox-edit", arguments, {.folder = folder_, .file_size_limit = {}});
  };
  write("script.txt",
        "sphere remove center 64,64,64 radius 40\nsphere add center 20,20,20 radius 9 material #c03020\n"
        "box paint min 0,0,0 max 64,128,128 material #0000ff  # a comment\nundo\nredo\nsave state.h5\n");
  EXPECT_EQ(edit("ball.h5").code, 0);
  for (const char* file : {"edited.h5", "state.h5"}) {
    EXPECT_TRUE(has(converted({"--verify", file}), "correct"));
    EXPECT_TRUE(has(converted({file, "--info"}), "24-bit colors"));
  }
  converted({"ball.glb", "--res", "128", "--materials", "none", "-o", "plain.h5"});
  write("script.txt", "sphere remove center 64,64,64 radius 40\nsphere add center 20,20,20 radius 9\n");
  EXPECT_EQ(edit("plain.h5").code, 0);
  EXPECT_EQ(digest("edited.h5"), digest("state.h5"));
  for (const char* line : {"dilate\n", "fill seed 64,64,64 material #112233\n", "stamp ball.h5 at 0,0,0\n",
                           "sphere replace center 9,9,9 radius 4 material #112233 with #000000\n",
                           "sphere add center 9,9,9 radius 4 material 3\n"}) {
    write("script.txt", line);
    for (const std::vector<std::string>& more : {std::vector<std::string>(), {"--check"}}) {
      const Finished failed = more.empty()
                                  ? edit("ball.h5")
                                  : run_program("vox-edit", {"ball.h5", "--script", "script.txt", "--check"},
                                                {.folder = folder_, .file_size_limit = {}});
      EXPECT_EQ(failed.code, 1) << line;
      EXPECT_TRUE(has(failed.err, "script.txt:1:")) << failed.err;
    }
  }
  std::string many;
  for (int i = 0; i < 16; ++i)
    many += "sphere add center 9,9,9 radius 4 material #0000" + std::to_string(10 + i) + "\n";
  write("script.txt", many);
  EXPECT_TRUE(has(edit("ball.h5").err, "split the script"));
}

// The material of a voxel inside is that of the surface before it, and so is its color.
TEST_F(ColorsProgram, OfVoxelsInsideAreThoseThatMaterialsWouldHave) {
  std::string mesh = "mtllib box.mtl\n", colors;
  for (int i = 0; i < 8; ++i)
    mesh +=
        "v " + std::to_string(i & 1) + " " + std::to_string(i >> 1 & 1) + " " + std::to_string(i >> 2) + "\n";
  const char* faces[] = {"1 3 4 2", "5 6 8 7", "1 2 6 5", "3 7 8 4", "1 5 7 3", "2 4 8 6"};
  for (int i = 0; i < 6; ++i) {
    const std::string name = "m" + std::to_string(i);
    colors += "newmtl " + name + "\nKd 0." + std::to_string(i) + " 0.5 0." + std::to_string(9 - i) + "\n";
    mesh += "usemtl " + name + "\nf " + faces[i] + "\n";
  }
  write("box.obj", mesh);
  write("box.mtl", colors);
  const std::vector<std::vector<std::string>> all = {
      {}, {"--inside", "parity"}, {"--interior", "#123456"}, {"--inside", "flood", "--interior", "#123456"}};
  for (const std::vector<std::string>& options : all) {
    for (const auto& [materials, file] : {std::pair{"mesh", "materials"}, std::pair{"colors", "colors"}}) {
      std::vector<std::string> arguments = {
          "box.obj",     "--res",   "100",     "--solid", "-o", std::string(file) + ".h5",
          "--materials", materials, "--force", "--verify"};
      arguments.insert(arguments.end(), options.begin(), options.end());
      converted(arguments);
      converted({std::string(file) + ".h5", "-o", std::string(file) + ".vl32", "--force"});
    }
    EXPECT_EQ(read_bytes(folder_ / "materials.vl32"), read_bytes(folder_ / "colors.vl32"))
        << (options.empty() ? "" : options.back());
  }
  const auto refused = [&](const std::vector<std::string>& options, const char* message) {
    std::vector<std::string> arguments = {"box.obj",     "--res",  "64", "--solid",
                                          "--materials", "colors", "-o", "x.h5"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    expect_failure(kBadUsage, message, arguments);
  };
  refused({"--interior", "3"}, "--interior takes a color");
  refused({"--interior", "#ffffff", "--shell", "2=#000000"}, "--shell");
  refused({"--parts"}, "--parts");
}

TEST_F(ColorsProgram, HaveNormalsBesideThem) {
  converted(
      {"ball.glb", "--res", "64", "--materials", "colors", "--normals", "-o", "normals.h5", "--verify"});
  EXPECT_NE(json_value(converted({"normals.h5", "--info", "--json"}), "normal_bytes"), "");
  EXPECT_TRUE(has(converted({"normals.h5", "--info"}), "normals"));
  EXPECT_TRUE(has(converted({"--verify", "normals.h5"}), "correct"));
  converted({"ball.glb", "--res", "64", "--normals", "--solid", "-o", "solid.h5", "--verify"});
  converted(
      {"ball.glb", "--res", "64", "--materials", "none", "--normals", "--spill", "host", "-o", "plain.h5"});
  EXPECT_EQ(digest("normals.h5"), digest("plain.h5"));
  // The ball is nearly round: normals point away from its center. Voxels inside have none.
  for (const char* file : {"normals", "plain", "solid"})
    converted({std::string(file) + ".h5", "-o", std::string(file) + ".npz"});
  converted({"normals.h5", "--clip", "-2,-2,-2,0,2,2", "-o", "part.h5"});
  EXPECT_TRUE(has(converted({"--verify", "part.h5"}), "correct"));
  converted({"normals.h5", "--structure", "svdag,symmetric", "-o", "both.h5", "--verify"});
  converted({"part.h5", "-o", "part.npz"});
  converted({"both.h5", "-o", "both.npz"});
  converted({"normals.h5", "--ply", "points", "-o", "normals.ply"});
  python(
      "import numpy as np\n"
      "a, b, s, p, f = (np.load(n + '.npz') for n in ('normals', 'plain', 'solid', 'part', 'both'))\n"
      "assert (a['normals'] == b['normals']).all() and (a['normals'] == f['normals']).all()\n"
      "place = a['coords'] - 31.5\n"
      "place = place / np.sqrt((place ** 2).sum(axis=1))[:, None]\n"
      "assert ((a['normals'] * place).sum(axis=1) > 0.5).mean() > 0.95\n"
      "key = lambda v: [tuple(c) for c in v['coords'].tolist()]\n"
      "known = dict(zip(key(a), a['normals'].tolist()))\n"
      "assert all(known[c] == n for c, n in zip(key(p), p['normals'].tolist()))\n"
      "assert all(known.get(c, [0, 0, 0]) == n for c, n in zip(key(s), s['normals'].tolist()))\n"
      "assert len(p['coords']) > 1000 and len(s['coords']) > 2 * len(a['coords'])\n"
      "data = open('normals.ply', 'rb').read()\n"
      "end = data.index(b'end_header\\n') + 11\n"
      "points = np.frombuffer(data[end:], dtype=[('p', '<f4', 3), ('n', '<f4', 3), ('c', 'u1', 3)])\n"
      "assert set(map(tuple, points['n'].tolist())) == set(map(tuple, a['normals'].tolist()))\n");
  const Finished coarser = convert({"normals.h5", "--res", "16", "-o", "coarse.h5"});
  EXPECT_TRUE(has(coarser.err, "normals are left out"));
  EXPECT_EQ(json_value(converted({"coarse.h5", "--info", "--json"}), "normal_bytes"), "");
  const auto picture = [&](const std::string& scene, const std::string& normals, const std::string& file) {
    EXPECT_EQ(run_program("vox-render",
                          {scene, "--normals", normals, "-o", file, "--device", "cpu", "--size", "80x60"},
                          {.folder = folder_, .file_size_limit = {}})
                  .code,
              0);
    return read_bytes(folder_ / file);
  };
  EXPECT_NE(picture("normals.h5", "auto", "a.png"), picture("normals.h5", "smooth", "b.png"));
  for (const std::vector<std::string>& options : {std::vector<std::string>{"--parts", "-o", "x.h5"},
                                                  {"-o", "x.nrrd"},
                                                  {"-o", "x.ply"},
                                                  {"--structure", "bricks", "-o", "x.h5"},
                                                  {"--file-version", "1", "-o", "x.h5"}}) {
    std::vector<std::string> arguments = {"ball.glb", "--res", "64", "--normals"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    expect_failure(kBadUsage, "--normals", arguments);
  }
  expect_failure(kBadUsage, "--normals", {"ball.h5", "--normals", "-o", "x.h5"});
}

TEST_F(ColorsProgram, AreNoMaterialsForLayersOfEachMaterial) {
  expect_failure(kBadUsage, "--materials palette makes 16",
                 {"ball.h5", "-o", "layers/%d.png", "--slices-by-material"});
  expect_failure(
      kBadUsage, "--materials texture makes 16",
      {"ball.glb", "--res", "32", "--materials", "colors", "-o", "layers/%d.png", "--slices-by-material"});
  EXPECT_FALSE(std::filesystem::exists(folder_ / "layers"));
  converted({"ball.h5", "--materials", "palette", "-o", "layers/%d.png", "--slices-by-material", "-q"});
  EXPECT_TRUE(std::filesystem::exists(folder_ / "layers/material-00"));
}

TEST_F(ColorsProgram, AreRefusedWhereNobodyMakesThem) {
  for (const std::vector<std::string>& options :
       {std::vector<std::string>{"--palette", "auto"}, {"--palette-out", "p.gpl"}}) {
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
