// Tests that options without effect are errors in every program.

#include <tuple>

#include "tests/common/random.h"
#include "tests/common/test_engine.h"
#include "tests/tools/program.h"

namespace vox {
namespace {

using Arguments = std::vector<std::string>;

Arguments with(Arguments arguments, const Arguments& more) {
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

class ConvertOptionsProgram : public BricksProgram {
 protected:
  void SetUp() override {
    BricksProgram::SetUp();
    if (folder_.empty()) return;
    make_cubes();
    make_once("ball_of_values", [&] {
      write("ball_20x14x9_uint8.raw", ball(6));
      converted({"ball_20x14x9_uint8.raw", "-q", "-o", "ball.h5"});
      converted({"ball.h5", "-q", "-o", "ball.nrrd"});
    });
  }

  // Gives each option with a valid value and expects that it is refused.
  void expect_no_effect(const Arguments& run, const std::string& what,
                        const std::vector<Arguments>& options) const {
    for (const Arguments& option : options)
      expect_failure(kBadUsage, option[0] + " has no effect on " + what + ": ", with(run, option));
  }
};

const std::vector<Arguments> kOfMeshes = {{"--voxel-size", "1"},
                                          {"--center"},
                                          {"--up", "y"},
                                          {"--coverage", "conservative"},
                                          {"--solid"},
                                          {"--materials", "texture"},
                                          {"--palette", "auto"},
                                          {"--palette-weight", "even"},
                                          {"--palette-out", "p.gpl"},
                                          {"--table", "sector"}};
const std::vector<Arguments> kOfBricks = {
    {"--brick-size", "auto"}, {"--types", "all"}, {"--optimize", "memory"}};
const std::vector<Arguments> kOfRawFiles = {
    {"--dims", "20,14,9"}, {"--type", "u8"}, {"--endian", "little"}, {"--offset", "0"}};
const std::vector<Arguments> kOfVolumes = {{"--threshold", "0"}, {"--threshold-raw", "0"}};

TEST_F(ConvertOptionsProgram, ACompressionIsRefusedWhereNoSceneFileIsWritten) {
  for (const auto& [run, what] :
       std::vector<std::pair<Arguments, std::string>>{{{"cube.h5", "--info"}, "--info of a scene file"},
                                                      {{"cube.h5", "--verify"}, "--verify of a scene file"},
                                                      {{"cube.h5", "-o", "a.vox"}, "a scene file"}})
    expect_no_effect(run, what, {{"--compression", "1"}, {"--file-version", "2"}});
}

TEST_F(ConvertOptionsProgram, AVersionIsRefusedWhereNoSvdagIsWritten) {
  for (const auto& [run, what] : std::vector<std::pair<Arguments, std::string>>{
           {{"cube.h5", "--structure", "hash", "-o", "a.h5"}, "a spatial hash of a scene file"},
           {{"ball.nrrd"}, "a volume"}})
    expect_no_effect(run, what, {{"--file-version", "1"}});
}

TEST_F(ConvertOptionsProgram, OptionsOfMeshesAreRefusedForScenesAndVolumesEvenWithTheirDefaults) {
  for (const auto& [run, what] : sampled<std::pair<Arguments, std::string>>(
           {{{"cube.h5"}, "a scene file"},
            {{"cube.h5", "-o", "a.vox"}, "a scene file"},
            {{"cube.h5", "--structure", "both"}, "bricks of a scene file"},
            {{"cube.h5", "--info"}, "--info of a scene file"},
            {{"cube.h5", "--verify"}, "--verify of a scene file"},
            {{"ball.h5", "-o", "a.nrrd"}, "a file of bricks"},
            {{"ball_20x14x9_uint8.raw"}, "a volume"},
            {{"ball.nrrd"}, "a volume"}}))
    expect_no_effect(run, what, kOfMeshes);
}

TEST_F(ConvertOptionsProgram, OptionsOfVolumesAreRefusedForAllElse) {
  for (const auto& [run, what] : sampled<std::pair<Arguments, std::string>>(
           {{{"cube.obj", "--res", "64"}, "a mesh"},
            {{"cube.h5", "-o", "a.vox"}, "a scene file"},
            {{"cube.h5", "--structure", "both"}, "bricks of a scene file"},
            {{"ball.h5", "-o", "a.nrrd"}, "a file of bricks"}})) {
    expect_no_effect(run, what, kOfVolumes);
    expect_no_effect(run, what, kOfRawFiles);
  }
  expect_no_effect({"ball.nrrd"}, "a volume", kOfRawFiles);
}

TEST_F(ConvertOptionsProgram, OptionsOfBricksAreRefusedWhereNoneAreKept) {
  for (const auto& [run, what] : sampled<std::pair<Arguments, std::string>>(
           {{{"cube.obj", "--res", "64"}, "a mesh"},
            {{"cube.obj", "--res", "64", "--structure", "svdag"}, "a mesh"},
            {{"cube.h5", "-o", "a.vox"}, "a scene file"},
            {{"ball.h5", "-o", "a.nrrd"}, "a file of bricks"},
            {{"ball.nrrd", "-o", "b.nrrd"}, "a volume that is written as a dense grid"}}))
    expect_no_effect(run, what, kOfBricks);
  expect_no_effect({"cube.obj", "--res", "64", "-o", "a.vox"}, "a mesh", {{"--structure", "bricks"}});
}

TEST_F(ConvertOptionsProgram, WhatShowsAFileWritesNone) {
  for (const char* shown : {"--info", "--verify"})
    for (const auto& [file, what] : std::vector<std::pair<std::string, std::string>>{
             {"cube.h5", "a scene file"}, {"ball.h5", "a file of bricks"}})
      expect_no_effect({file, shown}, std::string(shown) + " of " + what,
                       {{"-o", "a.nrrd"}, {"--res", "32"}, {"--clip", "0,0,0,1,1,1"}, {"--profile"}});
}

TEST_F(ConvertOptionsProgram, TheErrorSaysWhatTheOptionIsFor) {
  const Arguments volume = {"ball_20x14x9_uint8.raw"};
  for (const auto& [text, arguments] : std::vector<std::pair<std::string, Arguments>>{
           {"it says how a mesh becomes voxels", {"cube.h5", "-o", "a.vox", "--solid"}},
           {"a volume has its own grid", with(volume, {"--res", "64"})},
           {"a volume has its own grid", with(volume, {"--clip", "0,0,0,1,1,1"})},
           {"--structure bricks or both makes", {"cube.obj", "--res", "64", "--brick-size", "8"}},
           {"no colors", {"cube.obj", "--res", "64", "--materials", "none", "--palette", "auto"}}})
    expect_failure(kBadUsage, text, arguments);
}

TEST_F(ConvertOptionsProgram, OptionsThatSayHowARunIsDoneGoWithEverything) {
  for (const Arguments& run : std::vector<Arguments>{{"cube.h5", "--info"},
                                                     {"cube.h5", "--verify"},
                                                     {"cube.h5", "-o", "a.vox"},
                                                     {"ball.h5", "--info"},
                                                     {"ball.nrrd", "-o", "c.h5"},
                                                     {"cube.obj", "--res", "16", "-o", "d.h5"}})
    converted(with(run, {"--threads", "1", "--memory-limit", "1G", "-q", "--json"}));
}

TEST_F(ConvertOptionsProgram, NvdbGridsAreForNvdbFilesAndColorsForScenesWithMaterials) {
  expect_no_effect({"cube.h5", "-o", "a.vox"}, "a scene file", {{"--nvdb-grid", "index"}});
  expect_failure(kBadUsage, "expected one of: auto, u8, rgba",
                 {"cube.h5", "-o", "a.nvdb", "--nvdb-grid", "float"});
  expect_failure(kBadUsage, "--nvdb-grid rgba needs",
                 {"cube.obj", "--res", "64", "--materials", "none", "-o", "a.nvdb", "--nvdb-grid", "rgba"});
  expect_failure(kFailed, "the scene has no materials", {"bare.h5", "-o", "a.nvdb", "--nvdb-grid", "rgba"});
  for (const char* kind : {"u8", "rgba", "index", "onindex"}) {
    converted({"cube.h5", "-o", "a.nvdb", "--nvdb-grid", kind});
    converted({"a.nvdb", "-o", "back.h5"});
    EXPECT_EQ(json_value(converted({"back.h5", "--info", "--json"}), "digest"),
              json_value(converted({"cube.h5", "--info", "--json"}), "digest"));
  }
}

TEST_F(ConvertOptionsProgram, APlaceOnTheEarthIsFor3dTiles) {
  expect_no_effect({"cube.h5", "-o", "a.vox"}, "a scene file", {{"--origin", "1,2,3"}});
  for (const char* place : {"91,0,0", "0,-181,0", "0,0,1e9", "nan,0,0"})
    expect_failure(kBadUsage, "--origin is '", {"cube.h5", "-o", "t/tileset.json", "--origin", place});
  expect_failure(kBadUsage, "expected latitude,longitude,height",
                 {"cube.h5", "-o", "t/tileset.json", "--origin", "1,2"});
  expect_failure(kBadUsage, "in a folder of its own", {"cube.h5", "-o", "tileset.json"});
  expect_failure(kBadUsage, "scene.json (chunks) or tileset.json (3D Tiles)", {"cube.h5", "-o", "t/x.json"});
  converted({"cube.h5", "-o", "t/tileset.json", "--origin", "48.2,16.4,180"});
}

TEST_F(ConvertOptionsProgram, WhatPlyAndVtkHdfHoldIsSaidOfTheseAlone) {
  expect_no_effect({"cube.h5", "-o", "a.obj"}, "a scene file", {{"--ply", "surface"}, {"--vtk", "image"}});
  expect_no_effect({"cube.obj", "--res", "64"}, "a mesh", {{"--ply", "points"}, {"--vtk", "amr"}});
  expect_failure(kBadUsage, "--ply is 'mesh'", {"cube.h5", "-o", "a.ply", "--ply", "mesh"});
  converted({"cube.h5", "-o", "a.ply", "--ply", "surface"});
  converted({"cube.h5", "-o", "b.ply", "--ply", "points"});
  EXPECT_TRUE(has(read_bytes(folder_ / "a.ply"), "element face 12\n"));
  EXPECT_FALSE(has(read_bytes(folder_ / "b.ply"), "element face"));
}

TEST_F(ConvertOptionsProgram, WhatIsReadIsNotReplaced) {
  converted({"cube.h5", "-o", "made.obj"});
  expect_failure(kBadUsage, "-o 'made.obj' would replace what is read",
                 {"cube.obj", "made.obj", "--res", "16", "-o", "made.obj", "--force"});
  write("z_4x4x4_uint8.raw", std::string(64, 'z'));
  converted({"z_4x4x4_uint8.raw", "-o", "made.nrrd"});
  expect_failure(kBadUsage, "-o './made.nrrd' would replace what is read",
                 {"made.nrrd", "--threshold", "0.5", "-o", "./made.nrrd"});
  write("inks.json", R"({"materials": [{"color": "#000000"}, {"color": "#ffffff"}]})");
  expect_failure(
      kBadUsage, "--materials-out and --palette are the same file",
      {"cube.obj", "--res", "16", "--palette", "inks.json", "--materials-out", "./inks.json", "--force"});
  converted({"cube.h5", "-o", "cells/a.schem", "--pieces", "32"});
  expect_failure(kBadUsage, "-o 'cells/b.schem' would replace the folder of './cells/a_0_0_0.schem'",
                 {"./cells/a_0_0_0.schem", "-o", "cells/b.schem", "--pieces", "16"});
  EXPECT_TRUE(exists("cells/a_0_0_0.schem"));
}

TEST_F(ConvertOptionsProgram, BinvoxMaterialsAreForBinvoxFilesOfScenesWithMaterials) {
  expect_no_effect({"cube.h5", "-o", "a.vox"}, "a scene file", {{"--binvox-materials"}});
  expect_no_effect({"cube.obj", "--res", "64"}, "a mesh", {{"--binvox-materials"}});
  expect_failure(kBadUsage, "--binvox-materials needs",
                 {"cube.obj", "--res", "64", "--materials", "none", "-o", "a.binvox", "--binvox-materials"});
  expect_failure(kFailed, "the scene has none", {"bare.h5", "-o", "a.binvox", "--binvox-materials"});
  converted({"cube.h5", "-o", "a.binvox"});
  converted({"cube.h5", "-o", "b.binvox", "--binvox-materials"});
  EXPECT_TRUE(read_bytes(folder_ / "a.binvox").starts_with("#binvox 1\n"));
  EXPECT_TRUE(read_bytes(folder_ / "b.binvox").starts_with("#binvox 2\n"));
}

// The options of the other programs are each given in a run in which they have no effect.
TEST_F(ConvertOptionsProgram, OfEveryProgramOptionsWithoutEffectAreRefused) {
  write("script.txt", "clear\n");
  write("recording.csv", "EditSphere,10,10,10,3,TRUE\n");
  const Arguments edit = {"cube.h5", "-s", "script.txt"}, cut = {"cube.h5", "--slice", "z=1"};
  for (const auto& [program, run, option, what] :
       std::vector<std::tuple<std::string, Arguments, Arguments, std::string>>{
           {"vox-render", {"cube.h5"}, {"--opacity", "0.7"}, "a scene"},
           {"vox-render", {"cube.h5"}, {"--ao-reach", "1"}, "a scene"},
           {"vox-render", {"cube.h5"}, {"--legend", "on"}, "a scene"},
           {"vox-render", {"cube.h5", "--shade", "depth"}, {"--ao", "2"}, "--shade depth"},
           {"vox-render", {"cube.h5", "--shade", "normal"}, {"--sun", "1,1,1"}, "--shade depth, normal"},
           {"vox-render", {"cube.h5", "--shade", "level"}, {"--shadows", "off"}, "--shade depth, normal"},
           {"vox-render", {"cube.h5", "--shade", "sharing"}, {"--lod", "off"}, "--shade sharing"},
           {"vox-render", cut, {"--fov", "40"}, "a cut through a scene"},
           {"vox-render", cut, {"--turntable", "3"}, "a cut through a scene"},
           {"vox-render", cut, {"--samples", "3"}, "a cut through a scene"},
           {"vox-render", cut, {"--sun", "1,1,1"}, "a cut through a scene"},
           {"vox-render", cut, {"--lod", "on"}, "a cut through a scene"},
           {"vox-render", {"ball.h5"}, {"--samples", "1"}, "a volume"},
           {"vox-render", {"ball.h5"}, {"--shadows", "on"}, "a volume"},
           {"vox-render", {"ball.h5", "--slice", "z=1"}, {"--opacity", "1"}, "a cut through a volume"},
           {"vox-stats",
            {"cube.h5", "--only", "scene"},
            {"--tables", "all"},
            "the sections that --only names"},
           {"vox-stats", {"cube.h5", "--only", "levels"}, {"--times"}, "the sections that --only names"},
           {"vox-stats", {"ball.h5"}, {"--load-factor", "96"}, "a file of bricks alone"},
           {"vox-stats", {"ball.h5"}, {"--verify"}, "a file of bricks alone"},
           {"vox-edit", edit, {"--scale", "1"}, "an edit script"},
           {"vox-edit", edit, {"--material", "0"}, "an edit script"},
           {"vox-edit", {"bare.h5", "-s", "recording.csv"}, {"--material", "3"}, "this scene"},
           {"vox-edit", with(edit, {"--check"}), {"-o", "x.h5"}, "--check"},
           {"vox-edit", with(edit, {"--check"}), {"--log", "x.h5"}, "--check"},
           {"vox-edit", with(edit, {"--check"}), {"--batch", "1"}, "--check"},
           {"vox-bench", {"bricks", "cube.h5"}, {"--dims", "4,4,4"}, "a scene file"},
           {"vox-bench", {"bricks", "ball.nrrd"}, {"--offset", "0"}, "this volume"},
           {"vox-bench", {"bricks", "ball.nrrd", "--access", "direct"}, {"--jit-budget", "2"}, "this volume"},
           {"vox-bench", {"hash", "--fill", "100", "--batch", "10"}, {"--scale", "1"}, "--fill with --batch"},
           {"vox-bench",
            {"hash", "--item-words", "2", "--load-factors", "96"},
            {"--figure8"},
            "--item-words with --load-factors"},
           {"vox-scene", {"village"}, {"--blocks", "24"}, "a village"},
           {"vox-scene", {"village"}, {"--triangles", "1000"}, "a village"},
           {"vox-scene", {"city"}, {"--triangles", "1000"}, "a city"},
           {"vox-scene", {"bumpy-sphere"}, {"--blocks", "2"}, "a bumpy-sphere"}}) {
    const auto before = listing(folder_);
    const Arguments all = with(run, option);
    const Finished done = run_program(program, all, {.folder = folder_, .file_size_limit = {}});
    EXPECT_EQ(done.code, kBadUsage) << program << testing::PrintToString(all);
    EXPECT_TRUE(one_error(done, option[0] + " has no effect on " + what, program))
        << testing::PrintToString(all);
    EXPECT_TRUE(listing(folder_) == before) << "files changed, " << testing::PrintToString(all);
  }
}

// Tests existing files: those that vox did not write stay unless --force is given.

class OverwriteProgram : public CubesTest {
 protected:
  Finished run(const std::string& program, Arguments arguments) const {
    // A GPU makes no other files, and takes a second to start.
    if (program != "vox-scene") arguments.insert(arguments.end(), {"--device", "cpu"});
    arguments.emplace_back("-q");
    return run_program(program, arguments, {.folder = folder_, .file_size_limit = {}});
  }
  void expect_kept(const std::string& program, const Arguments& arguments, const std::string& target) const {
    const auto before = listing(folder_);
    const Finished kept = run(program, arguments);
    EXPECT_EQ(kept.code, kFailed) << testing::PrintToString(arguments);
    EXPECT_TRUE(one_error(kept, target + ": exists already", program)) << testing::PrintToString(arguments);
    EXPECT_NE(kept.err.find("; see --force"), std::string::npos) << kept.err;
    EXPECT_TRUE(listing(folder_) == before) << "files changed, " << testing::PrintToString(arguments);
  }
  void expect_written(const std::string& program, const Arguments& arguments) const {
    const Finished written = run(program, arguments);
    EXPECT_EQ(written.code, 0) << testing::PrintToString(arguments) << written.err;
  }
};

struct Case {
  std::string program;
  Arguments arguments;
  std::string target;
};

Arguments with_option(Arguments arguments, const std::string& option) {
  arguments.push_back(option);
  return arguments;
}

const std::vector<Case> kWriters = {
    {"vox-convert", {"cube.obj", "--res", "16", "-o", "a.h5"}, "a.h5"},
    {"vox-convert", {"cube.obj", "--res", "16", "-o", "b.nrrd"}, "b.nrrd"},
    {"vox-convert", {"cube.h5", "-o", "a.nrrd"}, "a.nrrd"},
    {"vox-convert", {"cube.h5", "-o", "a.vox"}, "a.vox"},
    {"vox-convert", {"cube.h5", "-o", "e.obj"}, "e.obj"},
    {"vox-convert", {"cube.h5", "-o", "e.obj"}, "e.mtl"},
    {"vox-convert", {"cube.h5", "-o", "e.glb"}, "e.glb"},
    {"vox-convert", {"cube.h5", "-o", "e.ply"}, "e.ply"},
    {"vox-convert", {"cube.h5", "-o", "e.vtkhdf"}, "e.vtkhdf"},
    {"vox-convert", {"cube.h5", "--structure", "both", "-o", "both.h5"}, "both.h5"},
    {"vox-convert", {"bricks.h5", "-o", "c.nrrd"}, "c.nrrd"},
    {"vox-convert", {"z_4x4x4_uint8.raw", "-o", "d.h5"}, "d.h5"},
    {"vox-convert", {"cube.obj", "--res", "16", "--palette-out", "a.gpl"}, "a.gpl"},
    {"vox-convert", {"cube.obj", "--res", "16", "--palette-out", "a.png"}, "a.png"},
    {"vox-render", {"cube.h5", "--size", "40x30"}, "cube-view.png"},
    {"vox-render", {"cube.h5", "--size", "40x30", "-o", "picture.png"}, "picture.png"},
    {"vox-render", {"cube.h5", "--size", "40x30", "--turntable", "3"}, "cube-view-2.png"},
    {"vox-render", {"cube.h5", "--slice", "z=1"}, "cube-view.png"},
    {"vox-stats", {"cube.h5", "--only", "scene", "-o", "report.h5"}, "report.h5"},
    {"vox-stats", {"cube.h5", "--only", "levels", "--html", "page.html"}, "page.html"},
    {"vox-edit", {"cube.h5", "-s", "script.txt", "-o", "edited.h5"}, "edited.h5"},
    {"vox-edit", {"cube.h5", "-s", "script.txt", "-o", "other.h5"}, "saved.h5"},
    {"vox-edit", {"cube.h5", "-s", "script.txt", "--log", "log.h5"}, "log.h5"},
    {"vox-edit", {"cube.h5", "-s", "script.txt", "--log", "log.csv"}, "log.csv"},
    {"vox-edit", {"cube.h5", "-s", "script.txt", "--html", "edits.html"}, "edits.html"},
    {"vox-scene", {"village", "--texture-size", "16"}, "village.obj"},
    {"vox-scene", {"village", "--texture-size", "16"}, "village.mtl"},
    {"vox-scene", {"village", "--texture-size", "16"}, "village_bark.png"},
    {"vox-scene", {"village", "--texture-size", "16", "-o", "village.glb"}, "village.glb"},
};

Arguments bench(const std::string& option, const std::string& target) {
  return {"hash", "--scale", "1/4096", "--item-words", "2", "--tables", "sector", option, target};
}

TEST_F(OverwriteProgram, SomebodysFileStaysUnlessForcedAndOnesOwnIsReplaced) {
  write("script.txt", "sphere add center 20,20,20 radius 3 material 0\nsave saved.h5\n");
  write("z_4x4x4_uint8.raw", std::string(64, 'z'));
  converted({"cube.h5", "--structure", "bricks", "-o", "bricks.h5", "-q"});
  std::vector<Case> cases = kWriters;
  for (const std::string target : {"rows.csv", "bench.html", "bench.h5"})
    cases.push_back({"vox-bench",
                     bench(target == "rows.csv"   ? "--csv"
                           : target == "bench.h5" ? "-o"
                                                  : "--html",
                           target),
                     target});
  for (const auto& [program, arguments, target] : sampled(cases)) {
    std::filesystem::remove(folder_ / target);
    write(target, "somebody's work");
    expect_kept(program, arguments, target);
    expect_written(program, with_option(arguments, "--force"));
    EXPECT_NE(read_bytes(folder_ / target), "somebody's work") << target;
    expect_written(program, arguments);
  }
}

TEST_F(OverwriteProgram, TexturesBesideASceneAreNoPictures) {
  write("paint.png", "\x89PNG\r\n\x1a\n, and so on");
  expect_kept("vox-render", {"cube.h5", "-o", "paint.png"}, "paint.png");
  expect_written("vox-render", {"cube.h5", "--size", "40x30"});
  EXPECT_FALSE(exists("cube.png"));
}

TEST_F(OverwriteProgram, OneKindIsNotReplacedByAnother) {
  expect_written("vox-stats", {"cube.h5", "--only", "scene", "-o", "report.h5"});
  expect_kept("vox-convert", {"cube.obj", "--res", "16", "-o", "report.h5"}, "report.h5");
  expect_kept("vox-stats", {"cube.h5", "--only", "scene", "-o", "bare.h5"}, "bare.h5");
  write("script.txt", "clear\n");
  expect_kept("vox-edit", {"cube.h5", "-s", "script.txt", "-o", "report.h5"}, "report.h5");
}

TEST_F(OverwriteProgram, WhatDoesNotSayWhoWroteItIsReplacedWithForceAlone) {
  for (const auto& [arguments, target] : std::vector<std::pair<Arguments, std::string>>{
           {{"cube.h5", "-o", "a.binvox"}, "a.binvox"},
           {{"cube.obj", "--res", "16", "-o", "b.h5", "--palette-out", "a.hex"}, "a.hex"},
           {{"cube.obj", "--res", "16", "-o", "b.h5", "--palette-out", "a.pal"}, "a.pal"}}) {
    expect_written("vox-convert", arguments);
    expect_kept("vox-convert", arguments, target);
    expect_written("vox-convert", with_option(arguments, "--force"));
  }
}

TEST_F(OverwriteProgram, AnEmptyFileIsNobodysWork) {
  write("empty.png", "");
  write("empty.h5", "");
  expect_written("vox-render", {"cube.h5", "--size", "40x30", "-o", "empty.png"});
  expect_written("vox-convert", {"cube.obj", "--res", "16", "-o", "empty.h5"});
}

TEST_F(OverwriteProgram, ASceneFileThatIsDamagedIsNobodysEither) {
  const std::string whole = read_bytes(folder_ / "cube.h5");
  write("cut.h5", whole.substr(0, whole.size() / 2));
  expect_kept("vox-convert", {"cube.obj", "--res", "16", "-o", "cut.h5"}, "cut.h5");
}

TEST_F(OverwriteProgram, AnInputIsReplacedOnlyWhereTheCommandLineNamesIt) {
  std::filesystem::create_hard_link(folder_ / "cube.h5", folder_ / "linked.h5");
  for (const Arguments& arguments : std::vector<Arguments>{{"cube.h5", "--structure", "svdag,hash"},
                                                           {"cube.h5", "--structure", "both", "--verify"},
                                                           {"./linked.h5", "--structure", "hash"},
                                                           {"cube.h5"},
                                                           {"cube.h5", "--res", "32"},
                                                           {"cube.h5", "cube.obj", "--res", "64"},
                                                           {"cube.obj", "cube.h5", "--res", "64"}}) {
    const auto before = listing(folder_);
    const Finished refused = run("vox-convert", arguments);
    EXPECT_EQ(refused.code, kBadUsage) << testing::PrintToString(arguments);
    EXPECT_TRUE(one_error(refused, "name another file with -o", "vox-convert")) << refused.err;
    EXPECT_TRUE(listing(folder_) == before) << "files changed, " << testing::PrintToString(arguments);
  }
  expect_written("vox-convert", {"cube.h5", "--structure", "svdag,hash", "-o", "cube.h5"});
}

TEST_F(OverwriteProgram, PicturesAreWrittenAsPngAlone) {
  for (const char* name : {"x.jpg", "x.bmp", "x", "x.h5"}) {
    const Finished refused = run("vox-render", {"cube.h5", "-o", name});
    EXPECT_EQ(refused.code, kBadUsage);
    EXPECT_TRUE(one_error(refused, "expected a name that ends in .png", "vox-render"));
  }
}

}  // namespace
}  // namespace vox
