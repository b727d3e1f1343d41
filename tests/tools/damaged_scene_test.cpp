// Scene files whose content is not the one that their digest names: they are shown, but not handed on.
#include "tests/tools/program.h"

namespace vox {
namespace {

using Arguments = std::vector<std::string>;

class DamagedScene : public CubesTest {
 protected:
  void SetUp() override {
    CubesTest::SetUp();
    if (IsSkipped()) return;
    if (std::system("/usr/bin/python3 -c 'import h5py' > /dev/null 2>&1") != 0) GTEST_SKIP() << "no h5py";
    std::filesystem::copy(folder_ / "cube.h5", folder_ / "damaged.h5");
    change("damaged.h5", "svdag/level_04/words", 2);  // the first leaf's materials
    write("script.txt", "box add min 20,20,20 max 24,24,24 material 3\n");
  }

  // Changes the lowest bits of a word.
  void change(const std::string& file, const std::string& dataset, int word) const {
    python("import h5py\nwords = h5py.File('" + file + "', 'r+')['" + dataset +
           "']\nat = " + std::to_string(word) + "\nwords[at] = int(words[at]) ^ 1\n");
  }
  Finished run(const std::string& program, const Arguments& arguments) const {
    return run_program(program, arguments, {.folder = folder_, .file_size_limit = {}});
  }
  void expect_refused(const std::string& program, const Arguments& arguments,
                      const std::string& text = "holds a scene with") const {
    const auto before = listing(folder_);
    const Finished refused = run(program, arguments);
    EXPECT_EQ(refused.code, kFailed) << testing::PrintToString(arguments);
    EXPECT_TRUE(one_error(refused, text, program)) << refused.err;
    EXPECT_TRUE(
        has(refused.err, "the file is damaged; the caller can allow reading what it holds); see --force"))
        << refused.err;
    EXPECT_TRUE(listing(folder_) == before) << "files changed, " << testing::PrintToString(arguments);
  }
  void expect_done(const std::string& program, const Arguments& arguments) const {
    const Finished done = run(program, arguments);
    EXPECT_EQ(done.code, 0) << testing::PrintToString(arguments) << done.err;
  }
};

TEST_F(DamagedScene, IsRefusedByWhateverWritesItAgain) {
  for (const Arguments& more : std::vector<Arguments>{{"-o", "a.h5"},
                                                      {"-o", "damaged.h5"},
                                                      {"-o", "a.vox"},
                                                      {"-o", "a.nrrd", "--clip", "0,0,0,1,1,1"},
                                                      {"-o", "a.h5", "--res", "32"},
                                                      {"-o", "a.h5", "--structure", "hash"},
                                                      {"-o", "a.h5", "--structure", "both"},
                                                      {"-o", "a.h5", "cube.obj", "--res", "64"}}) {
    Arguments arguments = {"damaged.h5"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    expect_refused("vox-convert", arguments);
  }
  expect_refused("vox-edit", {"damaged.h5", "-s", "script.txt", "-o", "a.h5"});
  expect_refused("vox-edit", {"damaged.h5", "-s", "script.txt"});
  write("stamp.txt", "stamp damaged.h5 at 0,0,0\n");
  expect_refused("vox-edit", {"cube.h5", "-s", "stamp.txt", "-o", "a.h5"});
  expect_refused("vox-render", {"damaged.h5", "--html", "a.html"});
}

TEST_F(DamagedScene, IsShownAllTheSame) {
  expect_done("vox-render", {"damaged.h5", "--size", "40x30", "-o", "a.png"});
  expect_done("vox-stats", {"damaged.h5", "--only", "scene"});
  expect_done("vox-convert", {"damaged.h5", "--info"});
}

TEST_F(DamagedScene, WithForceHasTheDigestOfItsContentAndSaysSo) {
  const std::string before = digest("cube.h5").substr(1, 32);
  for (const auto& [program, more] : std::vector<std::pair<std::string, Arguments>>{
           {"vox-convert", {}}, {"vox-convert", {"--res", "32"}}, {"vox-edit", {"-s", "script.txt"}}}) {
    Arguments arguments = {"damaged.h5", "-o", "a.h5", "--force"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Finished forced = run(program, arguments);
    EXPECT_EQ(forced.code, 0) << forced.err;
    EXPECT_TRUE(has(forced.err, "warning: damaged.h5: the digest is " + before)) << forced.err;
    EXPECT_NE(digest("a.h5").substr(1, 32), before);
    EXPECT_TRUE(has(converted({"a.h5", "--info"}), "damaged: its digest was " + before));
    EXPECT_TRUE(has(converted({"--verify", "a.h5"}), "correct"));
  }
}

TEST_F(DamagedScene, MayBeASpatialHash) {
  converted({"cube.h5", "--structure", "hash", "-o", "hash.h5"});
  python(
      "import h5py\ncells = h5py.File('hash.h5', 'r+')['hash/cells']\n"
      "at = next(i for i, cell in enumerate(cells[:].tolist()) if cell != 2 ** 64 - 1)\n"
      "cells[at] = int(cells[at]) ^ 1\n");
  expect_refused("vox-convert", {"hash.h5", "-o", "a.h5", "--structure", "svdag"});
  expect_refused("vox-edit", {"hash.h5", "-s", "script.txt", "-o", "a.h5"});
  expect_done("vox-convert", {"hash.h5", "-o", "a.h5", "--structure", "svdag", "--force"});
  EXPECT_TRUE(has(converted({"--verify", "a.h5"}), "correct"));
}

}  // namespace
}  // namespace vox
