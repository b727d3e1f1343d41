// Tests scene files that several processes read, each its share of the nodes: results are those of one process.

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "tests/tools/program.h"

namespace vox {
namespace {

// A test with cube.h5, bare.h5 and city.h5, which has thousands of nodes.
class SharedSceneProgram : public RanksProgram {
 protected:
  void SetUp() override {
    RanksProgram::SetUp();
    if (IsSkipped()) return;
    make_cubes();
    make_once("city", [&] {
      EXPECT_EQ(scene({"city", "--blocks", "1", "-o", "city.glb", "-q"}).code, 0);
      converted({"city.glb", "--res", "300", "-q"});
    });
  }
};

TEST_F(SharedSceneProgram, SeveralVerifyWhatOneVerifies) {
  converted({"city.h5", "--structure", "both", "-o", "both.h5"});
  for (const std::string file : {"cube.h5", "bare.h5", "both.h5", "city.h5"}) {
    const Finished one = convert({"--verify", file, "--device", "cpu"});
    ASSERT_EQ(one.code, 0) << one.err;
    const Finished more =
        launched(file == "city.h5" ? 2 : 3, "vox-convert", {"--verify", file, "--device", "cpu"});
    EXPECT_EQ(more.code, 0) << more.err;
    EXPECT_EQ(more.out, one.out);
    EXPECT_EQ(more.err, one.err);
  }
}

// The first is found by one rank, the others by all.
TEST_F(SharedSceneProgram, OneOfThoseThatVerifySaysWhatIsWrong) {
  converted({"city.h5", "-o", "plain.h5", "--compression", "none"});
  for (const std::string damage :
       {"words = f['svdag/level_04/words']; words[0] |= 1 << 14",
        "words = f['svdag/level_07/words']; words[len(words) - 3] ^= 1",
        "a = f['svdag/level_05/words'].attrs; a.modify('svo_nodes', a['svo_nodes'] + 1)"}) {
    std::filesystem::copy_file(folder_ / "plain.h5", folder_ / "bad.h5",
                               std::filesystem::copy_options::overwrite_existing);
    python("import h5py\nf = h5py.File('bad.h5', 'r+')\n" + damage);
    const Finished one = convert({"--verify", "bad.h5", "--device", "cpu"});
    ASSERT_EQ(one.code, kFailed) << damage;
    const std::string message = one.err.substr(one.err.find("bad.h5"));
    const Finished more = launched(3, "vox-convert", {"--verify", "bad.h5", "--device", "cpu"});
    EXPECT_EQ(more.code, kFailed);
    EXPECT_EQ(occurrences(more.err, "error: rank "), 1u) << more.err;
    EXPECT_EQ(occurrences(more.err, message), 1u) << more.err << one.err;
    EXPECT_EQ(more.out, "");
  }
}

// The middle of the file is in a compressed chunk of the leaves' words.
TEST_F(SharedSceneProgram, AChunkThatCannotBeReadIsTheErrorOfAll) {
  std::string bytes = read_bytes(folder_ / "city.h5");
  bytes.replace(bytes.size() / 2, 7, "garbage");
  write_bytes(folder_ / "bad.h5", bytes);
  const std::vector<std::string> arguments = {"--verify", "bad.h5", "--device", "cpu"};
  const Finished one = convert(arguments), more = launched(2, "vox-convert", arguments);
  EXPECT_EQ(one.code, kFailed);
  EXPECT_EQ(more.code, kFailed);
  ASSERT_TRUE(has(one.err, "is damaged")) << one.err;
  const std::string message = one.err.substr(one.err.find("bad.h5"));
  EXPECT_EQ(occurrences(more.err, message), 1u) << more.err << one.err;
}

TEST_F(SharedSceneProgram, SeveralMeasureWhatOneMeasures) {
  for (const std::vector<std::string>& more :
       {std::vector<std::string>{"--only", "scene,materials,levels,sharing,sizes"},
        {"--json", "--only", "sharing"},
        {"--only", "scene,levels"},
        {"--only", "scene", "--memory-limit", "64M"},
        {"--only", "bricks"},
        {"--against", "city.h5"}}) {
    std::vector<std::string> arguments = {"city.h5", "--device", "cpu"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Finished one = run_program("vox-stats", arguments, {.folder = folder_, .file_size_limit = {}});
    const Finished all = launched(3, "vox-stats", arguments);
    EXPECT_EQ(all.code, one.code) << all.err;
    EXPECT_EQ(all.out, one.out);
  }
}

TEST_F(SharedSceneProgram, SeveralMakeTheCoarserSceneThatOneMakes) {
  using Runs = std::vector<std::pair<std::string, std::vector<std::string>>>;
  for (const auto& [file, resolutions] :
       Runs{{"bare.h5", {"32", "16", "8"}}, {"city.h5", {"150", "75", "38"}}})
    for (const std::string& resolution : resolutions) {
      converted({file, "--res", resolution, "-o", "one.h5"});
      const Finished more = launched(
          3, "vox-convert", {file, "--res", resolution, "--device", "cpu", "--verify", "-o", "more.h5"});
      EXPECT_EQ(more.code, 0) << more.err;
      EXPECT_EQ(digest("more.h5"), digest("one.h5"));
    }
}

TEST_F(SharedSceneProgram, SeveralExportTheFilesThatOneExports) {
  const std::vector<std::vector<std::string>> runs = {
      {"city.nrrd"},
      {"city.vox"},
      {"city.binvox"},
      {"faces.obj"},
      {"faces.glb"},
      {"city.ply"},
      {"points.ply", "--ply", "points"},
      {"city.nvdb"},
      {"onindex.nvdb", "--nvdb-grid", "onindex"},
      {"city.vl32"},
      {"city.vtkhdf"},
      {"amr.vtkhdf", "--vtk", "amr"},
      {"city.svdag"},
      {"city.basic_dag.dag.bin"},
      {"part.nrrd", "--clip", "5,-1,5,20,10,30"},
      {"part.ply", "--clip", "5,-1,5,20,10,30"},
      {"points_part.ply", "--ply", "points", "--clip", "5,-1,5,20,10,30"},
      {"coarse.ply", "--res", "150"}};
  for (std::vector<std::string> arguments : runs) {
    arguments.insert(arguments.begin(), {"city.h5", "-o"});
    converted(arguments);
    const auto files = listing(folder_);
    std::filesystem::remove(folder_ / arguments[2]);
    arguments.insert(arguments.end(), {"--device", "cpu", "--force"});
    const Finished more = launched(3, "vox-convert", arguments);
    EXPECT_EQ(more.code, 0) << more.err;
    EXPECT_TRUE(listing(folder_) == files) << arguments[2];
  }
}

TEST_F(SharedSceneProgram, AFileThatOneCannotWriteIsAnErrorOfAll) {
  const auto before = listing(folder_);
  const Finished run = launched(2, "vox-convert", {"city.h5", "-o", "missing/cube.ply", "--device", "cpu"});
  EXPECT_EQ(run.code, kFailed);
  EXPECT_EQ(occurrences(run.err, "error: rank 0: missing/cube.ply"), 1u) << run.err;
  EXPECT_EQ(listing(folder_), before);
}

TEST_F(SharedSceneProgram, WhatIsNotSharedIsDoneByTheFirst) {
  write("values_8x8x8_uint8.raw", std::string(8 * 8 * 8, '\7'));
  write("points.xyz", "0 0 0\n1 2 3\n");
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"values_8x8x8_uint8.raw", "-o", "OUT.h5"},
        {"points.xyz", "--res", "16", "-o", "OUT.h5"},
        {"city.h5", "points.xyz", "--res", "16", "-o", "OUT.h5"},
        {"city.h5", "--structure", "both", "-o", "OUT.h5"}}) {
    for (const std::string out : {"one.h5", "all.h5"}) {
      std::vector<std::string> own = arguments;
      own.back() = out;
      const Finished run = out == "one.h5" ? convert(own) : launched(2, "vox-convert", own);
      EXPECT_EQ(run.code, 0) << run.err;
    }
    EXPECT_TRUE(exists("all.h5"));
    if (arguments[0] == "values_8x8x8_uint8.raw") continue;  // bricks have no digest
    EXPECT_EQ(digest("one.h5"), digest("all.h5"));
  }
}

}  // namespace
}  // namespace vox
