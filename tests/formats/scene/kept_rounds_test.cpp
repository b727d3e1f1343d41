// Ends builds after any number of rounds and resumes them from the files that they have left.
#include "formats/scene/scene_parts.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <iterator>

#include "libvox/base/error.h"
#include "libvox/build/build_scene.h"
#include "tests/common/test_process.h"
#include "tests/dag/dense_dag.h"
#include "tests/ranks/rank_engines.h"
#include "tests/voxelize/soup.h"

namespace vox {
namespace {

namespace fs = std::filesystem;

const BuildFacts kFacts = {{"resolution", "600"}, {"mesh", "a sphere of many words"}};

// Ends the build when this number of rounds has been kept.
class EndedAfter final : public build::RoundKeeper {
 public:
  EndedAfter(build::RoundKeeper& keeper, int rounds) : keeper_(keeper), left_(rounds) {}

  build::KeptBuild begin(uint32_t) override { return keeper_.begin(12); }
  build::Round load(const build::Pieces& pieces, const build::RoundForm& form) override {
    return keeper_.load(pieces, form);
  }
  void keep(const build::Round& round, const build::Pieces& pieces) override {
    if (left_-- <= 0) throw Error("ended");
    keeper_.keep(round, pieces);
  }
  double seconds() const override { return 0; }

 private:
  build::RoundKeeper& keeper_;
  std::atomic<int> left_;
};

class KeptRoundsTest : public testing::Test {
 protected:
  void SetUp() override {
    const std::string name = testing::UnitTest::GetInstance()->current_test_info()->name();
    folder = fs::path(testing::TempDir()) / ("kept_rounds_" + name + std::to_string(getpid()));
    fs::create_directories(folder);
  }
  void TearDown() override { fs::remove_all(folder); }

  KeptRounds rounds(const BuildFacts& facts = kFacts) const { return {folder / "scene.h5", facts, 0}; }

  // Builds on this number of ranks, starting from the kept rounds, until `more` further rounds are kept.
  voxelize::BuildResult built(const Soup& soup, uint32_t resolution, uint32_t ranks, int more = 1000,
                              const voxelize::BuildOptions& options = {}) const {
    KeptRounds kept = rounds();
    EndedAfter keeper(kept, more);
    Engine engine = rank_engines(ranks);
    return built_in(engine, {soup.scene, soup.indexed, unit_grid(resolution), options}, {.keeper = &keeper})
        .whole;
  }

  std::vector<fs::path> files() const {
    std::vector<fs::path> files;
    for (const auto& file : fs::directory_iterator(folder / "scene.parts"))
      if (file.path().extension() == ".bin") files.push_back(file.path());
    std::ranges::sort(files);
    return files;
  }

  // Begins a build with these facts and puts a file in the place of a round, so that the list is read next
  // time.
  void begun_with_a_round(const BuildFacts& facts = kFacts) const {
    rounds(facts).begin(12);
    std::ofstream(folder / "scene.parts/round-00003.bin") << "a round";
  }

  fs::path folder;
};

std::string problem_of(const std::function<void()>& body) {
  try {
    body();
    return "none";
  } catch (const Error& error) {
    return error.what();
  }
}

TEST_F(KeptRoundsTest, ABuildThatIsEndedAfterAnyRoundGoesOnWithAnyNumberOfRanks) {
  const Soup soup = textured_sphere(600, 9, 31);
  const voxelize::BuildResult one = build_soup(*test_engine(), soup, 600);
  const auto expect_same = [&](uint32_t first, int ended, uint32_t then) {
    SCOPED_TRACE(testing::Message() << first << " ranks, " << ended << " rounds, " << then << " ranks");
    EXPECT_EQ(problem_of([&] { built(soup, 600, first, ended); }), "ended");
    EXPECT_EQ(files().size(), static_cast<size_t>(ended));
    EXPECT_EQ(problem_of([&] { built(soup, 600, then, 2); }), "ended");
    vox::expect_equal(one.dag, built(soup, 600, then).dag);
    EXPECT_GT(files().size(), 2u);
    vox::expect_equal(one.dag, built(soup, 600, then, 0).dag);  // everything is kept: nothing is built
    rounds().remove();
    EXPECT_FALSE(fs::exists(folder / "scene.parts"));
  };
  for (const int ended : {0, 1, 2, 5}) expect_same(3, ended, 2);
  expect_same(1, 2, 1);
  expect_same(1, 4, 5);
  expect_same(5, 3, 1);
}

// Rounds store what rays do at their cells, and how many more rays leave them inside than begin inside.
TEST_F(KeptRoundsTest, SolidScenesGoOnWithAnyNumberOfRanks) {
  const auto expect_same = [&](const Soup& soup, uint32_t resolution, const voxelize::BuildOptions& options,
                               const std::vector<int>& endings = {1}) {
    const voxelize::BuildResult one = build_soup(*test_engine(), soup, resolution, options);
    const auto expect_one = [&](const voxelize::BuildResult& result) {
      vox::expect_equal(one.dag, result.dag);
      EXPECT_EQ(one.solid.open_rays, result.solid.open_rays);
      EXPECT_EQ(one.solid.disputed_voxels, result.solid.disputed_voxels);
      EXPECT_EQ(one.solid.duplicates, result.solid.duplicates);
    };
    for (const int ended : endings) {
      SCOPED_TRACE(testing::Message() << resolution << "³, " << ended << " rounds");
      EXPECT_EQ(problem_of([&] { built(soup, resolution, 3, ended, options); }), "ended");
      EXPECT_EQ(problem_of([&] { built(soup, resolution, 1, 1, options); }), "ended");
      expect_one(built(soup, resolution, 2, 1000, options));
      expect_one(built(soup, resolution, 3, 0, options));  // everything is kept: nothing is built
      expect_one(built(soup, resolution, 1, 0, options));
      rounds().remove();
    }
  };
  expect_same(textured_sphere(600, 9, 34), 600, {.solid = true},
              test_on_gpu() ? std::vector{1} : std::vector{0, 1, 3});
  // The surface begins left of the grid, and its rays leave the grid inside.
  expect_same(bumpy_sphere({50, 300, 300}, 490, 9, 0.1, 16), 600, {.materials = false, .solid = true});
  expect_same(bumpy_sphere({300, 300, 300}, 450, 9, 0.1, 17), 600, {.solid = true, .tile_side = 256});
  expect_same(all_of({cube(-100.2, 400.9), cube(200.2, 580.9), cube(200.2, 580.9)}), 600, {.solid = true});
  // A cube with chunk cells inside it that no triangle meets.
  expect_same(cube(100.2, 900.9), 1024, {.solid = true});
}

TEST_F(KeptRoundsTest, SmallSolidScenesAreTheSame) {
  for (const uint32_t resolution : {4u, 64u, 300u}) {
    const Soup soup = resolution == 64 ? Soup() : textured_sphere(resolution, 6, resolution);
    const dag::FrozenDag one = build_soup(*test_engine(), soup, resolution, {.solid = true}).dag;
    for (int i = 0; i < 2; ++i) vox::expect_equal(one, built(soup, resolution, 2, 1000, {.solid = true}).dag);
    rounds().remove();
  }
}

TEST_F(KeptRoundsTest, ScenesOfOneLeafAndWithoutVoxelsAreTheSame) {
  for (const uint32_t resolution : {4u, 64u, 300u}) {
    const Soup soup = resolution == 64 ? Soup() : textured_sphere(resolution, 6, resolution);
    const dag::FrozenDag one = build_soup(*test_engine(), soup, resolution).dag;
    for (int i = 0; i < 2; ++i) vox::expect_equal(one, built(soup, resolution, 2).dag);
    rounds().remove();
  }
}

TEST_F(KeptRoundsTest, OfAnotherBuildAreAnErrorThatNamesWhatDiffers) {
  const Soup soup = textured_sphere(300, 6, 35);
  EXPECT_EQ(problem_of([&] { built(soup, 300, 1, 1); }), "ended");
  BuildFacts other = kFacts;
  other[0].value = "601";
  const std::string list = (folder / "scene.parts/rounds.txt").string();
  EXPECT_EQ(problem_of([&] {
              rounds(other).begin(12);
            }).find(list + ": the rounds kept here belong to a build with another resolution: 600, not 601"),
            0u);
  EXPECT_EQ(rounds().begin(77).pieces, 12u);  // the number with which the build began
}

TEST_F(KeptRoundsTest, ABuildThatHasKeptNoneIsBegunAnewWhateverItWasOf) {
  BuildFacts other = kFacts;
  other[0].value = "601";
  rounds(other).begin(12);
  EXPECT_EQ(rounds().begin(77).pieces, 77u);
  const fs::path list = folder / "scene.parts/rounds.txt";
  EXPECT_NE(read_bytes(list).find("resolution 600\n"), std::string::npos);
  const std::string half = read_bytes(list).substr(0, 20);
  std::ofstream(list, std::ios::binary) << half;
  EXPECT_EQ(rounds().begin(12).pieces, 12u);
  std::ofstream(list, std::ios::binary) << "of somebody";
  EXPECT_EQ(problem_of([&] { rounds().begin(12); }).find(list.string()), 0u);
  EXPECT_EQ(read_bytes(list), "of somebody");
}

TEST_F(KeptRoundsTest, OfAVersionWithOtherFactsAreAnErrorThatNamesTheVersion) {
  const std::string list = (folder / "scene.parts/rounds.txt").string();
  const BuildFacts older = {{"program", "vox 1"}, {"mesh", "1"}},
                   newer = {{"program", "vox 2"}, {"coverage", "thin"}, {"mesh", "1"}};
  begun_with_a_round(older);
  EXPECT_EQ(problem_of([&] {
              rounds(newer).begin(12);
            }).find(list + ": the rounds kept here belong to a build with another program: vox 1, not vox 2"),
            0u);
  for (BuildFacts other : {newer, BuildFacts{{"program", "vox 1"}}}) {
    other[0].value = "vox 1";
    EXPECT_EQ(problem_of([&] {
                rounds(other).begin(12);
              }).find(list + ": this list of a build's rounds is damaged"),
              0u);
  }
}

TEST_F(KeptRoundsTest, AListThatIsLongOrNoFileIsAnErrorAtOnce) {
  begun_with_a_round();
  const fs::path list = folder / "scene.parts/rounds.txt";
  const auto expect_error = [&] {
    EXPECT_EQ(problem_of([&] { rounds().begin(12); }).find(list.string() + ": this list"), 0u);
  };
  {
    std::ofstream file(list, std::ios::binary);
    file << "vox rounds 1\n";
    for (int i = 0; i < 1'000'000; ++i) file << "a b\n";
  }
  expect_error();
  fs::remove(list);
  ASSERT_EQ(mkfifo(list.c_str(), 0600), 0);
  expect_error();
}

TEST_F(KeptRoundsTest, ADamagedListIsAnErrorThatNamesIt) {
  begun_with_a_round();
  const fs::path list = folder / "scene.parts/rounds.txt";
  const std::string sound = read_bytes(list);
  const auto expect_error = [&](const std::string& damaged) {
    std::ofstream(list, std::ios::binary) << damaged;
    EXPECT_EQ(problem_of([&] { rounds().begin(12); }).find(list.string()), 0u) << damaged;
  };
  for (size_t length = 0; length + 1 < sound.size(); ++length) expect_error(sound.substr(0, length));
  for (size_t at = 0; at + 1 < sound.size(); ++at) {
    std::string flipped = sound;
    flipped[at] = static_cast<char>(flipped[at] ^ 1);
    expect_error(flipped);
  }
  EXPECT_EQ(read_bytes(list).size(), sound.size());  // the damaged list stays unchanged
}

TEST_F(KeptRoundsTest, ADamagedRoundIsAnErrorThatNamesItAndNothingIsLost) {
  const Soup soup = textured_sphere(300, 6, 32);
  const dag::FrozenDag one = build_soup(*test_engine(), soup, 300).dag;
  EXPECT_EQ(problem_of([&] { built(soup, 300, 2, 4); }), "ended");
  const std::vector<fs::path> kept = files();
  ASSERT_EQ(kept.size(), 4u);
  const std::string sound = read_bytes(kept[1]);
  const auto expect_error = [&](const std::string& damaged) {
    std::ofstream(kept[1], std::ios::binary) << damaged;
    const std::string problem = problem_of([&] { built(soup, 300, 2); });
    EXPECT_EQ(problem.find(kept[1].string()), 0u) << problem;
  };
  for (int i = 0; i < 12; ++i) expect_error(sound.substr(0, sound.size() * i / 12));
  for (size_t at = 0; at < sound.size(); at += at < 200 ? 9 : 1 + sound.size() / 12) {
    std::string flipped = sound;
    flipped[at] = static_cast<char>(flipped[at] ^ 2);
    expect_error(flipped);
  }
  expect_error(sound + "12345678");
  expect_error(read_bytes(kept[0]));
  fs::remove(kept[1]);  // as the message suggests
  vox::expect_equal(one, built(soup, 300, 2).dag);
}

// The round has only a few leaves, so that the test reaches all kinds of its bytes.
TEST_F(KeptRoundsTest, ADamagedByteOfASolidRoundIsAnError) {
  const voxelize::BuildOptions solid = {.solid = true};
  const Soup soup = cube(254.5, 258.5);
  built(soup, 512, 1, 1000, solid);
  const fs::path file = files()[0];
  const std::string sound = read_bytes(file);
  const auto expect_error = [&](const std::string& damaged) {
    std::ofstream(file, std::ios::binary) << damaged;
    const std::string problem = problem_of([&] { built(soup, 512, 1, 1000, solid); });
    EXPECT_EQ(problem.find(file.string()), 0u) << problem;
  };
  for (size_t length = 0; length < sound.size(); length += 72) expect_error(sound.substr(0, length));
  for (size_t at = 0; at < sound.size(); at += 11) {
    std::string flipped = sound;
    flipped[at] = static_cast<char>(flipped[at] ^ 4);
    expect_error(flipped);
  }
}

TEST_F(KeptRoundsTest, RoundsThatNothingSpeaksOfAreAnError) {
  const Soup soup = textured_sphere(300, 6, 33);
  EXPECT_EQ(problem_of([&] { built(soup, 300, 1, 2); }), "ended");
  fs::remove(folder / "scene.parts/rounds.txt");
  EXPECT_EQ(problem_of([&] { rounds().begin(12); }).find(files()[0].string()), 0u);
  BuildFacts other = kFacts;
  other[0].value = "601";
  const fs::path round = files()[0];
  fs::rename(round, folder / "aside");
  fs::remove(files()[0]);
  rounds(other).begin(12);
  fs::rename(folder / "aside", round);
  EXPECT_EQ(problem_of([&] { rounds(other).begin(12); }).find(round.string()), 0u);
}

TEST_F(KeptRoundsTest, WhatAKilledProcessWasWritingIsRemoved) {
  rounds().begin(12);
  for (const char* name : {"round-00003.bin.123-0.tmp", "rounds.txt.123-1.tmp"}) {
    std::ofstream(folder / "scene.parts" / name) << "half";
    rounds().begin(12);
    EXPECT_FALSE(fs::exists(folder / "scene.parts" / name));
  }
}

TEST_F(KeptRoundsTest, FilesThatAreNotNamedAsTheirsAreNeitherReadNorRemoved) {
  const Soup soup = textured_sphere(300, 6, 36);
  EXPECT_EQ(problem_of([&] { built(soup, 300, 1, 2); }), "ended");
  const std::vector<std::string> names = {"notes.txt",
                                          "round-notes.txt",
                                          "round-mine.tmp",
                                          "round-00003.bin.tmp",
                                          "round-3.bin",
                                          "round-000003.bin",
                                          "round-00003.bin.old",
                                          "round-00003.txt.1-2.tmp",
                                          "rounds.txt.tmp",
                                          "rounds.txt.mine.tmp",
                                          "rounds.text",
                                          "around-00003.bin",
                                          "round-99999999999999999999.bin"};
  for (const std::string& name : names) std::ofstream(folder / "scene.parts" / name) << "of somebody";
  EXPECT_EQ(rounds_beside(folder / "scene.h5"), 2u);
  EXPECT_EQ(rounds().begin(12).rounds.size(), 2u);
  rounds().remove();
  size_t count = 0;
  for (const auto& file : fs::directory_iterator(folder / "scene.parts")) count += file.exists() ? 1 : 0;
  EXPECT_EQ(count, names.size());
  for (const std::string& name : names) EXPECT_EQ(read_bytes(folder / "scene.parts" / name), "of somebody");
}

TEST_F(KeptRoundsTest, OfAProcessThatBuildsAreLeftAloneByAnother) {
  const fs::path unfinished = folder / "scene.parts/round-00003.bin.123-0.tmp";
  {
    KeptRounds first = rounds();
    first.begin(12);
    std::ofstream(unfinished) << "half";
    const std::string problem = problem_of([&] { rounds().begin(12); });
    EXPECT_EQ(
        problem.find((folder / "scene.parts/rounds.lock").string() + ": another run is writing this scene"),
        0u)
        << problem;
    EXPECT_TRUE(fs::exists(unfinished));
    EXPECT_NE(problem_of([&] { rounds().begin(12); }), "none");
  }
  EXPECT_FALSE(fs::exists(folder / "scene.parts/rounds.lock"));
  KeptRounds next = rounds();
  EXPECT_EQ(next.begin(12).pieces, 12u);
  EXPECT_FALSE(fs::exists(unfinished));
  next.remove();
  KeptRounds last = rounds();  // while the finished one still exists
  EXPECT_EQ(last.begin(12).pieces, 12u);
}

TEST_F(KeptRoundsTest, TheLockOfAKilledProcessIsNobodysAndGoesToo) {
  fs::create_directory(folder / "scene.parts");
  std::ofstream(folder / "scene.parts/rounds.lock") << "";
  KeptRounds kept = rounds();
  EXPECT_EQ(kept.begin(12).pieces, 12u);
  kept.remove();
  EXPECT_FALSE(fs::exists(folder / "scene.parts"));
}

}  // namespace
}  // namespace vox
