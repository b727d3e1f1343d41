// Tests vox-convert with good input.

#include <unistd.h>

#include <cstdlib>

#include "libvox/hash/table_options.h"
#include "tests/tools/program.h"

namespace vox {
namespace {

class ConvertProgram : public ProgramTest {
 protected:
  void SetUp() override {
    ProgramTest::SetUp();
    if (!folder_.empty()) write("cube.obj", cube_obj());
  }

  std::string resolution_of(const std::vector<std::string>& grid) {
    std::vector<std::string> arguments = {"cube.obj", "--json", "-q"};
    arguments.insert(arguments.end(), grid.begin(), grid.end());
    return json_value(converted(arguments), "resolution");
  }
};

TEST_F(ConvertProgram, WritesASceneFileNamedAfterTheMeshThatVerifies) {
  EXPECT_EQ(converted({"cube.obj", "--res", "64"}), "");
  EXPECT_TRUE(exists("cube.h5"));
  EXPECT_EQ(listing(folder_).size(), 2u);
  EXPECT_NE(converted({"--verify", "cube.h5"}).find("cube.h5: correct: "), std::string::npos);
  EXPECT_NE(converted({"cube.h5", "--info"}).find("64 voxels along the longest side"), std::string::npos);
}

TEST_F(ConvertProgram, PutsTheSceneFileOfAMeshElsewhereIntoTheCurrentFolder) {
  std::filesystem::create_directory(folder_ / "meshes");
  write("meshes/box.with.dots.obj", cube_obj());
  converted({"meshes/box.with.dots.obj", "--res", "16"});
  EXPECT_TRUE(exists("box.with.dots.h5"));
}

TEST_F(ConvertProgram, PrintsOneJsonObjectWithEveryKey) {
  const std::string json = converted({"cube.obj", "--res", "64", "--json"});
  EXPECT_EQ(json.front(), '{');
  EXPECT_TRUE(json.ends_with("}\n"));
  for (const char* key :
       {"digest", "resolution", "voxels", "unique_nodes", "svo_nodes", "seconds.load", "seconds.palette",
        "seconds.voxelize", "seconds.build", "seconds.write", "seconds.total", "peak_memory_bytes", "device"})
    EXPECT_NE(json_value(json, key), "") << key;
  EXPECT_EQ(json_value(json, "resolution"), "64");
  EXPECT_EQ(json_value(json, "digest").size(), 34u);  // 32 digits in quotes
  if (access("/usr/bin/python3", X_OK) != 0) return;
  write("result.json", json);
  const std::string check =
      "/usr/bin/python3 -m json.tool '" + (folder_ / "result.json").string() + "' /dev/null";
  EXPECT_EQ(std::system(check.c_str()), 0) << json;
}

TEST_F(ConvertProgram, GivesOneDigestForEveryThreadCountAndMemoryLimit) {
  ASSERT_EQ(scene({"bumpy-sphere", "--triangles", "2000", "--texture-size", "16", "-o", "ball.glb"}).code, 0);
  std::string first;
  for (const std::vector<std::string>& options : {std::vector<std::string>{},
                                                  {"--threads", "1"},
                                                  {"--threads", "2"},
                                                  {"--memory-limit", "400M"},
                                                  {"--memory-limit", "2G", "--threads", "2"}}) {
    std::vector<std::string> arguments = {"ball.glb", "--res", "256", "--json", "-q"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const std::string digest = json_value(converted(arguments), "digest");
    if (first.empty()) first = digest;
    EXPECT_EQ(digest, first) << testing::PrintToString(options);
  }
  EXPECT_EQ(digest("ball.h5"), first);
}

TEST_F(ConvertProgram, ConvertsASmallSceneWithLittleMemory) {
  if (kThoroughness == 1) GTEST_SKIP() << "what sanitizers take counts too";
  ASSERT_EQ(scene({"bumpy-sphere", "--triangles", "400", "-o", "ball.obj"}).code, 0);
  const auto digest_with = [&](const std::vector<std::string>& options) {
    std::vector<std::string> arguments = {"ball.obj", "--res", "128", "--json", "-q"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    return json_value(converted(arguments), "digest");
  };
  const std::string digest = digest_with({});
  EXPECT_EQ(digest_with({"--memory-limit", "64M"}), digest);
  EXPECT_EQ(digest_with({"--memory-limit", "64M", "--solid"}), digest_with({"--solid"}));
  for (const char* table : {"atomic64", "ticket", "accel32", "accel8"})
    EXPECT_EQ(digest_with({"--memory-limit", "64M", "--table", table}), digest) << table;
}

TEST_F(ConvertProgram, GivesOneDigestWhicheverTableHoldsTheDag) {
  ASSERT_EQ(scene({"bumpy-sphere", "--triangles", "2000", "--texture-size", "16", "-o", "ball.glb"}).code, 0);
  converted({"ball.glb", "--res", "128", "-q"});
  const std::string expected = digest("ball.h5");
  const std::string help = convert({"--help", "device"}).out;
  for (const std::string& table : hash::table_names()) {
    const std::string json =
        converted({"ball.glb", "--res", "128", "--json", "-q", "--table", table, "-o", table + ".h5"});
    EXPECT_EQ(json_value(json, "digest"), expected) << table;
    EXPECT_NE(help.find(table), std::string::npos) << table;
  }
}

TEST_F(ConvertProgram, GivesOneDigestWhateverTheCompression) {
  const std::string digest = json_value(converted({"cube.obj", "--res", "64", "--json", "-q"}), "digest");
  for (const char* compression : {"none", "1", "6", "9"}) {
    converted({"cube.obj", "--res", "64", "--compression", compression, "-o", "other.h5", "--verify", "-q"});
    EXPECT_EQ(json_value(converted({"other.h5", "--info", "--json"}), "digest"), digest) << compression;
  }
  for (const char* wrong : {"0", "10", "lzma", ""})
    expect_failure(kBadUsage, "expected none, 1 to 9, or zstd",
                   {"cube.obj", "--res", "64", "--compression", wrong});
}

TEST_F(ConvertProgram, WritesASceneFileAnewInAnyVersionWithTheSameDigest) {
  const std::string digest = json_value(converted({"cube.obj", "--res", "64", "--json", "-q"}), "digest");
  // The sizes may differ by a byte with the fastest compression (formats/io/compression.h), so it is not used.
  converted({"cube.obj", "--res", "64", "--file-version", "1", "-o", "old.h5", "--verify", "-q",
             "--compression", "2"});
  converted({"old.h5", "-o", "new.h5", "-q"});
  converted({"new.h5", "--file-version", "1", "-o", "again.h5", "-q", "--compression", "2"});
  for (const char* file : {"old.h5", "new.h5", "again.h5"}) {
    EXPECT_EQ(json_value(converted({file, "--info", "--json"}), "digest"), digest) << file;
    converted({file, "--verify"});
  }
  EXPECT_EQ(read_bytes(folder_ / "again.h5"), read_bytes(folder_ / "old.h5"));
  expect_failure(kBadUsage, "expected one of: 1, 2", {"cube.obj", "--res", "64", "--file-version", "3"});
}

TEST_F(ConvertProgram, TakesTheResolutionInEverySpelling) {
  write("cube.obj", "v 0 0 0\nv 1 0 0\nv 0 0.001 0\nf 1 2 3\n");  // little work at 4096
  EXPECT_EQ(resolution_of({"--res", "4096"}), "4096");
  EXPECT_EQ(resolution_of({"--res", "4K"}), "4096");
  EXPECT_EQ(resolution_of({"--res=2^12"}), "4096");
  EXPECT_EQ(resolution_of({"-r", "2^6"}), "64");
  EXPECT_EQ(resolution_of({"--res", "100"}), "100");
  EXPECT_EQ(resolution_of({"--voxel-size", "0.03125"}), "32");
}

TEST_F(ConvertProgram, PutsSeveralMeshesOnOneGrid) {
  write("far.obj", "v 3 0 0\nv 4 0 0\nv 4 1 0\nf 1 2 3\n");
  const std::string json =
      converted({"cube.obj", "far.obj", "--voxel-size", "0.0625", "--json", "-o", "both.h5"});
  EXPECT_EQ(json_value(json, "resolution"), "64");  // 4 units
  EXPECT_EQ(json_value(json, "triangles"), "13");
  EXPECT_TRUE(exists("both.h5"));
}

TEST_F(ConvertProgram, FillsAClosedCubeWithSolid) {
  const std::string json = converted({"cube.obj", "--res", "64", "--solid", "--json"});
  EXPECT_EQ(json_value(json, "voxels"), "262144");  // 64³
  EXPECT_EQ(json_value(json, "open_rays"), "0");
}

TEST_F(ConvertProgram, FillsFewerVoxelsWithThinCoverage) {
  const auto voxels = [&](const std::string& kind) {
    return std::stoull(
        json_value(converted({"slope.obj", "--res", "64", "--coverage", kind, "--json"}), "voxels"));
  };
  write("slope.obj", "v 0 0 0\nv 3 1 2\nv 1 3 1\nf 1 2 3\n");
  EXPECT_LT(voxels("thin"), voxels("conservative"));
}

TEST_F(ConvertProgram, TurnsTheAxisThatPointsUp) {
  write("tall.obj", "v 0 0 0\nv 0.5 0 4\nv 0 0 4\nf 1 2 3\n");
  const std::string z = converted({"tall.obj", "--res", "64", "--up", "z", "--json"});
  EXPECT_EQ(json_value(z, "up"), "\"y\"");  // the up axis of the grid, which is rotated
  const std::string y = converted({"tall.obj", "--res", "64", "--json"});
  EXPECT_NE(json_value(z, "digest"), json_value(y, "digest"));
}

TEST_F(ConvertProgram, TakesTheUnitsAndAxesThatTheFileNamesUnlessToldOtherwise) {
  write(
      "box.fbx",
      "; FBX 7.4.0 project file\nFBXHeaderExtension: {\n\tFBXHeaderVersion: 1003\n\tFBXVersion: 7400\n}\n"
      "GlobalSettings: {\n\tVersion: 1000\n\tProperties70: {\n"
      "\t\tP: \"UpAxis\", \"int\", \"Integer\", \"\",2\n\t\tP: \"FrontAxis\", \"int\", \"Integer\", \"\",1\n"
      "\t\tP: \"FrontAxisSign\", \"int\", \"Integer\", \"\",-1\n"
      "\t\tP: \"UnitScaleFactor\", \"double\", \"Number\", \"\",25\n\t}\n}\n"
      "Objects: {\n\tGeometry: 1, \"Geometry::g\", \"Mesh\" {\n\t\tVertices: *9 {\n\t\t\ta: "
      "0,0,0,1,0,0,0,0,8\n\t\t}\n"
      "\t\tPolygonVertexIndex: *3 {\n\t\t\ta: 0,1,-3\n\t\t}\n\t}\n"
      "\tModel: 2, \"Model::m\", \"Mesh\" {\n\t\tVersion: 232\n\t}\n}\n"
      "Connections: {\n\tC: \"OO\",1,2\n\tC: \"OO\",2,0\n}\n");
  const auto run = [&](std::vector<std::string> options) {
    options.insert(options.begin(), {"box.fbx", "--res", "64", "--json"});
    return converted(options);
  };
  const std::string file = run({}), kept = run({"--units", "keep"}), lying = run({"--up", "y"});
  EXPECT_EQ(json_value(file, "voxel_size"), "0.03125");  // 8 · 0.25 m
  EXPECT_EQ(json_value(kept, "voxel_size"), "0.125");
  EXPECT_EQ(json_value(kept, "digest"), json_value(file, "digest"));
  EXPECT_EQ(json_value(run({"--up", "z"}), "digest"), json_value(file, "digest"));
  EXPECT_NE(json_value(lying, "digest"), json_value(file, "digest"));
}

TEST_F(ConvertProgram, ReadsMeshesWithCommasInTheirNames) {
  write("one, two.obj", "v 0 0 0\nv 1 0 0\nv 0 1 1\nf 1 2 3\n");
  EXPECT_EQ(convert({"one, two.obj", "--res", "16", "-q"}).code, 0);
  EXPECT_TRUE(std::filesystem::exists(folder_ / "one, two.h5"));
}

TEST_F(ConvertProgram, LooksForTexturesInTheFoldersThatAreNamed) {
  write("red.mtl", "newmtl a\nmap_Kd red.tga\n");
  write("red.obj",
        "mtllib red.mtl\nvt 0 0\nvt 1 0\nvt 1 1\nv 0 0 0\nv 1 0 0\nv 0 1 1\nusemtl a\nf 1/1 2/2 3/3\n");
  std::filesystem::create_directories(folder_ / "one, two");
  const char pixel[] = "\0\0\2\0\0\0\0\0\0\0\0\0\1\0\1\0\x18\0\0\0\xff";  // a red pixel as TGA
  write("one, two/red.tga", std::string(pixel, sizeof pixel - 1));
  const Finished without = convert({"red.obj", "--res", "64"});
  EXPECT_NE(without.err.find("red.obj: 1 texture not found: red.tga; "), std::string::npos) << without.err;
  const Finished with = convert({"red.obj", "--res", "64", "--texture-path", ".", "--texture-path",
                                 "one, two", "--palette-out", "p.hex"});
  EXPECT_EQ(with.code, 0);
  EXPECT_EQ(with.err.find("warning"), std::string::npos) << with.err;
  EXPECT_NE(read_bytes(folder_ / "p.hex").find("ff0000"), std::string::npos) << read_bytes(folder_ / "p.hex");
  const Finished nowhere = convert({"red.obj", "--res", "64", "--texture-path", "nowhere"});
  EXPECT_EQ(nowhere.code, kBadUsage);
  EXPECT_NE(nowhere.err.find("--texture-path is 'nowhere', which is not a folder"), std::string::npos);
}

TEST_F(ConvertProgram, StartsAtAMultipleOfTheVoxelSizeWithSnapOrigin) {
  write("tile.obj", "v 0.3 0 0.05\nv 1 0 0\nv 1 1 0\nf 1 2 3\n");
  const std::string json =
      converted({"tile.obj", "--voxel-size", "0.125", "--snap-origin", "--json", "-o", "t.h5"});
  EXPECT_EQ(json_value(json, "resolution"), "9");
  EXPECT_EQ(json_value(json, "voxel_size"), "0.125");
  EXPECT_NE(converted({"t.h5", "--info"}).find("origin 0.25, 0, 0"), std::string::npos);
}

TEST_F(ConvertProgram, WritesThePaletteItUsed) {
  write("colors.mtl", "newmtl red\nKd 1 0 0\nnewmtl blue\nKd 0 0 1\n");
  write("colors.obj",
        "mtllib colors.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nusemtl red\nf 1 2 3\nusemtl blue\nf 1 2 4\n");
  converted({"colors.obj", "--res", "16", "--materials", "mesh", "--palette-out", "used.gpl"});
  const std::string gpl = read_bytes(folder_ / "used.gpl");
  EXPECT_TRUE(gpl.starts_with("GIMP Palette\n"));
  EXPECT_NE(gpl.find("red"), std::string::npos);
  EXPECT_NE(gpl.find("blue"), std::string::npos);
  converted({"colors.obj", "--res", "16", "--palette", "used.gpl", "--palette-out", "again.hex"});
  EXPECT_EQ(read_bytes(folder_ / "again.hex").size(), 14u);  // two lines of six digits
}

TEST_F(ConvertProgram, ShowsAColorWithoutANameOnce) {
  converted({"cube.obj", "--res", "16", "-q"});
  const std::string info = converted({"cube.h5", "--info"});
  const size_t first = info.find('#');
  ASSERT_NE(first, std::string::npos) << info;
  EXPECT_EQ(info.find(info.substr(first, 7), first + 1), std::string::npos) << info;
}

TEST_F(ConvertProgram, SaysHowFarThePaletteIsFromTheColors) {
  write("colors.mtl", "newmtl red\nKd 1 0 0\nnewmtl blue\nKd 0 0 1\n");
  write("colors.obj",
        "mtllib colors.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nusemtl red\nf 1 2 3\nusemtl blue\nf 1 2 4\n");
  write("red.hex", "ff0000\n");
  const auto over_10 = [&](const std::vector<std::string>& palette) {
    std::vector<std::string> arguments = {"colors.obj", "--res", "16", "--json"};
    arguments.insert(arguments.end(), palette.begin(), palette.end());
    return json_value(converted(arguments), "palette_error.over_10");
  };
  EXPECT_EQ(over_10({}), "0");
  EXPECT_EQ(over_10({"--palette-weight", "even"}), "0");
  EXPECT_EQ(over_10({"--palette", "red.hex"}), "0.5");
  EXPECT_EQ(over_10({"--materials", "mesh"}), "");  // materials do not depend on colors here
}

TEST_F(ConvertProgram, WeighsColorsByTheAreaToAPower) {
  ASSERT_EQ(scene({"village", "--texture-size", "64", "-o", "village.obj"}).code, 0);
  std::map<std::string, std::string> palettes;
  for (const std::string weight : {"area", "1", "0.9", "even", "0"}) {
    converted({"village.obj", "--res", "64", "--palette-weight", weight, "--palette-out", weight + ".hex"});
    palettes[weight] = read_bytes(folder_ / (weight + ".hex"));
  }
  EXPECT_EQ(palettes["area"], palettes["1"]);
  EXPECT_EQ(palettes["even"], palettes["0"]);
  EXPECT_NE(palettes["area"], palettes["even"]);
  converted({"village.obj", "--res", "64", "--palette-out", "default.hex"});
  EXPECT_EQ(read_bytes(folder_ / "default.hex"), palettes["area"]);
}

TEST_F(ConvertProgram, LeavesMaterialsOutWithNone) {
  const std::string json = converted({"cube.obj", "--res", "16", "--materials", "none", "--json"});
  EXPECT_EQ(json_value(json, "material_bits"), "0");
}

TEST_F(ConvertProgram, ExportsTheSameFromAMeshAndFromItsSceneFile) {
  converted({"cube.obj", "--res", "32"});
  for (const std::string type : {".nrrd", ".vox", ".binvox", ".ply", ".glb", ".vtkhdf"}) {
    converted({"cube.obj", "--res", "32", "-o", "mesh" + type});
    converted({"cube.h5", "-o", "scene" + type});
    EXPECT_GT(read_bytes(folder_ / ("mesh" + type)).size(), 0u);
    EXPECT_TRUE(read_bytes(folder_ / ("mesh" + type)) == read_bytes(folder_ / ("scene" + type))) << type;
  }
}

TEST_F(ConvertProgram, ExportsLayersIntoAFolder) {
  converted({"cube.obj", "--res", "16"});
  converted({"cube.h5", "-o", "scene/%02d.png"});
  converted({"cube.obj", "--res", "16", "-o", "mesh/%02d.png"});
  EXPECT_TRUE(exists("scene/slices.json") && exists("scene/15.png") && !exists("scene/16.png"));
  EXPECT_TRUE(read_bytes(folder_ / "mesh/07.png") == read_bytes(folder_ / "scene/07.png"));
  converted({"cube.h5", "-o", "scene/%02d.png", "--slices", "x", "--slices-by-material"});
  EXPECT_TRUE(exists("scene/material-00/15.png") && !exists("scene/15.png"));
  expect_failure(kBadUsage, "slices/%05d.png", {"cube.h5", "-o", "picture.png"});
  expect_failure(kBadUsage, "pictures of layers", {"cube.h5", "-o", "a.vox", "--slices", "x"});
  write("scene/notes.txt", "mine");
  expect_failure(kFailed, "which vox did not write", {"cube.h5", "-o", "scene/%02d.png"});
  EXPECT_TRUE(exists("scene/material-00/15.png"));
}

TEST_F(ConvertProgram, SaysWhichClipLeavesEmptyLayersOut) {
  write("plate.obj", "v 0 0 3\nv 8 0 3\nv 8 8 3\nv 0 8 3\nv 0 0 5\nf 1 2 3 4\nf 1 2 5\n");
  converted({"plate.obj", "--res", "32", "-o", "plate.h5"});
  const Finished run = convert({"plate.h5", "-o", "layers/%02d.png", "--slices", "z"});
  const std::string text = "23 of 32 layers are empty, before the first voxel or after the last one: --clip ";
  const size_t found = run.err.find(text);
  ASSERT_NE(found, std::string::npos) << run.err;
  const size_t begin = found + text.size();
  const std::string clip = run.err.substr(begin, run.err.find(' ', begin) - begin);
  EXPECT_EQ(clip, "0,0,3,8,8,5.25");
  const Finished clipped = convert({"plate.h5", "-o", "layers/%02d.png", "--slices", "z", "--clip", clip});
  EXPECT_EQ(clipped.err.find("layers are empty"), std::string::npos) << clipped.err;
  EXPECT_TRUE(exists("layers/08.png") && !exists("layers/09.png"));
  const Finished full = convert({"plate.h5", "-o", "layers/%02d.png", "--slices", "x"});
  EXPECT_EQ(full.err.find("layers are empty"), std::string::npos) << full.err;
}

TEST_F(ConvertProgram, ExportsOnlyTheClipBoxOfASceneFile) {
  converted({"cube.obj", "--res", "64"});
  converted({"cube.h5", "--clip", "0,0,0,0.5,0.25,0.125", "-o", "corner.nrrd"});
  EXPECT_NE(read_bytes(folder_ / "corner.nrrd").find("sizes: 32 16 8\n"), std::string::npos);
  for (const std::string type : {".vox", ".binvox"}) {
    converted({"cube.h5", "--clip", "0,0,0,0.5,0.25,0.125", "-o", "corner" + type});
    EXPECT_TRUE(exists("corner" + type));
  }
}

TEST_F(ConvertProgram, CutsAPartOutOfASceneFile) {
  const auto filled = [&](const char* nrrd) {
    const std::string bytes = read_bytes(folder_ / nrrd);
    const auto data = bytes.begin() + static_cast<std::ptrdiff_t>(bytes.find("\n\n") + 2);
    return bytes.end() - data - std::count(data, bytes.end(), '\0');
  };
  const char* box = "0,0,0,0.5,0.25,0.125";
  converted({"cube.obj", "--res", "64"});
  converted({"cube.h5", "--clip", box, "-o", "corner.h5"});
  converted({"cube.h5", "--clip", box, "-o", "of_cube.nrrd"});
  converted({"corner.h5", "--clip", box, "-o", "of_corner.nrrd"});
  converted({"corner.h5", "-o", "corner.nrrd"});
  EXPECT_TRUE(read_bytes(folder_ / "of_cube.nrrd") == read_bytes(folder_ / "of_corner.nrrd"));
  EXPECT_GT(filled("of_corner.nrrd"), 500);
  EXPECT_EQ(filled("corner.nrrd"), filled("of_corner.nrrd"));  // nothing lies outside
  EXPECT_EQ(json_value(converted({"corner.h5", "--verify", "--json"}), "voxels"),
            std::to_string(filled("corner.nrrd")));
  expect_failure(kBadUsage, "name another file with -o", {"cube.h5", "--clip", box});
  expect_failure(kFailed, "lies outside", {"cube.h5", "--clip", "5,5,5,6,6,6", "-o", "none.h5"});
  expect_failure(kFailed, "no voxel", {"cube.h5", "--clip", "0.3,0.3,0.3,0.4,0.4,0.4", "-o", "none.h5"});
}

TEST_F(ConvertProgram, SpansTheGridOverTheClipBoxOfAMesh) {
  const std::string json = converted({"cube.obj", "--res", "64", "--clip", "0,0,0,0.5,0.5,0.5", "--json"});
  EXPECT_EQ(json_value(json, "voxel_size"), "0.0078125");
  const Finished outside = convert({"cube.obj", "--res", "64", "--clip", "5,5,5,6,6,6"});
  EXPECT_EQ(outside.code, 0);
  EXPECT_NE(outside.err.find("warning: no voxel is filled"), std::string::npos) << outside.err;
}

TEST_F(ConvertProgram, SaysNothingWithQuiet) {
  const Finished run = convert({"cube.obj", "--res", "64", "--quiet"});
  EXPECT_EQ(run.code, 0);
  EXPECT_EQ(run.out + run.err, "");
}

TEST_F(ConvertProgram, ShowsEveryTopicOfOptionsInOrder) {
  const std::string help = converted({"--help", "all"});
  size_t at = 0;
  for (const char* part :
       {"vox-convert INPUT...", "Options for files", "--output", "Options for the grid", "--res",
        "Options for voxels", "Options for the device", "Options for all tools"}) {
    const size_t found = help.find(part, at);
    ASSERT_NE(found, std::string::npos) << part << "\n" << help;
    at = found;
  }
  EXPECT_TRUE(converted({"--version"}).starts_with("vox "));
}

// Tests vox-scene.

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
