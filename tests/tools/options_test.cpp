// Options that would have no effect are errors, in every program.
#include "tests/tools/bricks_program.h"

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
    converted({"ball_20x14x9_uint8.raw", "-q", "-o", "ball.h5"});
    converted({"ball.h5", "-q", "-o", "ball.nrrd"});
  }

  // Each with a value that it may have.
  void expect_no_effect(const Arguments& run, const std::string& what,
                        const std::vector<Arguments>& options) const {
    for (const Arguments& option : options)
      expect_failure(kBadUsage, option[0] + " has no effect on " + what + ": ", with(run, option));
  }
};

const std::vector<Arguments> kOfMeshes = {{"--voxel-size", "1"}, {"--center"},
                                          {"--up", "y"},         {"--coverage", "conservative"},
                                          {"--solid"},           {"--materials", "texture"},
                                          {"--palette", "auto"}, {"--palette-out", "p.gpl"},
                                          {"--table", "sector"}};
const std::vector<Arguments> kOfBricks = {
    {"--brick-size", "auto"}, {"--types", "all"}, {"--optimize", "memory"}};
const std::vector<Arguments> kOfRawFiles = {
    {"--dims", "20,14,9"}, {"--type", "u8"}, {"--endian", "little"}, {"--offset", "0"}};
const std::vector<Arguments> kOfVolumes = {{"--threshold", "0"}, {"--threshold-raw", "0"}};

TEST_F(ConvertOptionsProgram, OptionsOfMeshesAreRefusedForScenesAndVolumesEvenWithTheirDefaults) {
  for (const auto& [run, what] : std::vector<std::pair<Arguments, std::string>>{
           {{"cube.h5"}, "a scene file"},
           {{"cube.h5", "-o", "a.vox"}, "a scene file"},
           {{"cube.h5", "--structure", "both"}, "bricks of a scene file"},
           {{"cube.h5", "--info"}, "--info of a scene file"},
           {{"cube.h5", "--verify"}, "--verify of a scene file"},
           {{"ball.h5", "-o", "a.nrrd"}, "a file of bricks"},
           {{"ball_20x14x9_uint8.raw"}, "a volume"},
           {{"ball.nrrd"}, "a volume"}})
    expect_no_effect(run, what, kOfMeshes);
}

TEST_F(ConvertOptionsProgram, OptionsOfVolumesAreRefusedForAllElse) {
  for (const auto& [run, what] : std::vector<std::pair<Arguments, std::string>>{
           {{"cube.obj", "--res", "64"}, "a mesh"},
           {{"cube.h5", "-o", "a.vox"}, "a scene file"},
           {{"cube.h5", "--structure", "both"}, "bricks of a scene file"},
           {{"ball.h5", "-o", "a.nrrd"}, "a file of bricks"}}) {
    expect_no_effect(run, what, kOfVolumes);
    expect_no_effect(run, what, kOfRawFiles);
  }
  expect_no_effect({"ball.nrrd"}, "a volume", kOfRawFiles);
}

TEST_F(ConvertOptionsProgram, OptionsOfBricksAreRefusedWhereNoneAreKept) {
  for (const auto& [run, what] : std::vector<std::pair<Arguments, std::string>>{
           {{"cube.obj", "--res", "64"}, "a mesh"},
           {{"cube.obj", "--res", "64", "--structure", "svdag"}, "a mesh"},
           {{"cube.h5", "-o", "a.vox"}, "a scene file"},
           {{"ball.h5", "-o", "a.nrrd"}, "a file of bricks"},
           {{"ball.nrrd", "-o", "b.nrrd"}, "a volume that is written as .nrrd"}})
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
           {"written as .nrrd, .vox or .binvox", {"cube.h5", "--structure", "both", "--clip", "0,0,0,1,1,1"}},
           {"--structure bricks or both makes", {"cube.obj", "--res", "64", "--brick-size", "8"}},
           {"no colours", {"cube.obj", "--res", "64", "--materials", "none", "--palette", "auto"}}})
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

}  // namespace
}  // namespace vox
