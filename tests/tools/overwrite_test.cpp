// Tests existing files: those that vox did not write stay unless --force is given.
#include "tests/common/test_engine.h"
#include "tests/common/thoroughness.h"
#include "tests/tools/program.h"

namespace vox {
namespace {

using Arguments = std::vector<std::string>;

class OverwriteProgram : public CubesTest {
 protected:
  Finished run(const std::string& program, Arguments arguments) const {
    if (program != "vox-scene") arguments.insert(arguments.end(), {"--device", test_device()});
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
    EXPECT_TRUE(one_error(refused, "-o says where to write", "vox-convert")) << refused.err;
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
