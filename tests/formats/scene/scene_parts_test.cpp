#include "formats/scene/scene_parts.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <set>

#include "formats/io/h5.h"
#include "formats/scene/scene_file.h"
#include "libvox/base/error.h"
#include "libvox/base/progress.h"
#include "tests/common/test_process.h"
#include "tests/dag/dense_dag.h"
#include "tests/formats/scene/scene_file_fixture.h"

namespace vox {
namespace {

namespace fs = std::filesystem;

dag::VoxelScene scene_of(const DenseGrid& grid, uint32_t resolution, bool materials) {
  dag::VoxelScene scene;
  scene.dag = dense_dag(resolution, materials, grid);
  scene.palette.count = 1;
  scene.voxel_size = 0.5;
  scene.source = "parts";
  return scene;
}

void expect_same_levels(const dag::FrozenDag& a, const dag::FrozenDag& b) {
  EXPECT_EQ(a.digest, b.digest);
  EXPECT_EQ(a.voxels, b.voxels);
  ASSERT_EQ(a.levels.size(), b.levels.size());
  for (size_t level = 0; level < a.levels.size(); ++level) {
    EXPECT_EQ(a.levels[level].words, b.levels[level].words);
    EXPECT_EQ(a.levels[level].nodes, b.levels[level].nodes);
    EXPECT_EQ(a.levels[level].svo_nodes, b.levels[level].svo_nodes);
  }
}

class SceneParts : public testing::Test {
 protected:
  void SetUp() override {
    const std::string name = testing::UnitTest::GetInstance()->current_test_info()->name();
    folder = fs::path(testing::TempDir()) / ("scene_parts_" + name + std::to_string(getpid()));
    fs::create_directories(folder);
    path = folder / "scene.h5";
  }
  void TearDown() override { fs::remove_all(folder); }

  std::vector<fs::path> write_in_parts(const dag::VoxelScene& scene, uint32_t count) const {
    return vox::write_in_parts(scene, path, count);
  }
  std::vector<uint64_t> write_parts(const std::vector<dag::DagPart>& parts, bool materials) const {
    return vox::write_parts(parts, path, materials);
  }

  std::set<fs::path> files_of_parts() const {
    std::set<fs::path> files;
    if (fs::exists(parts_folder(path)))
      for (const auto& file : fs::directory_iterator(parts_folder(path))) files.insert(file.path());
    return files;
  }

  static std::string problem(const fs::path& file) {
    try {
      dag::verify(read_scene(file).dag);
      return "none";
    } catch (const Error& error) {
      return error.what();
    }
  }

  // Returns the error of reading the scene as it is used, or "none".
  static std::string problem_as_used(const fs::path& file) {
    try {
      dag::compute_digest(read_paged_scene(file, std::make_shared<PagedBudget>(1)).value().dag);
      throw_late_error();
      return "none";
    } catch (const Error& error) {
      return error.what();
    }
  }

  fs::path folder, path;
};

TEST_F(SceneParts, LieBesideTheFileThatALinkLeadsTo) {
  const dag::VoxelScene scene = scene_of(shell, 64, true);
  const fs::path real = folder / "elsewhere" / "real.h5";
  fs::create_directories(real.parent_path());
  fs::create_symlink("elsewhere/real.h5", path);
  for (int round = 0; round < 2; ++round) {  // the link leads nowhere at first
    write_in_parts(scene, 2);
    EXPECT_TRUE(fs::is_symlink(path));
    EXPECT_FALSE(fs::exists(folder / "scene.parts"));
    EXPECT_TRUE(fs::is_directory(real.parent_path() / "real.parts"));
    expect_same_levels(read_scene(real).dag, scene.dag);
    expect_same_levels(read_scene(path).dag, scene.dag);
  }
}

TEST_F(SceneParts, AreReadAndPackedAsTheSceneInOneFile) {
  for (const bool materials : {false, true})
    for (const uint32_t count : {1u, 2u, 5u})
      for (const DenseGrid& grid : {DenseGrid(shell), DenseGrid(everywhere), DenseGrid(nowhere)}) {
        const dag::VoxelScene scene = scene_of(grid, 37, materials);
        write_in_parts(scene, count);
        const dag::VoxelScene read = read_scene(path);
        expect_same_levels(read.dag, scene.dag);
        EXPECT_EQ(problem(path), "none");
        const SceneInfo info = read_scene_info(path);
        for (size_t level = 0; level < scene.dag.levels.size(); ++level)
          EXPECT_EQ(info.level_words[level], scene.dag.levels[level].words.size());
        const Compression same_bytes = {.level = kFastestDeflate + 1};  // formats/io/compression.h
        write_scene(scene, folder / "whole.h5", {}, same_bytes);
        write_scene(read, folder / "packed.h5", {}, same_bytes);
        EXPECT_EQ(read_bytes(folder / "packed.h5"), read_bytes(folder / "whole.h5"));
      }
}

TEST_F(SceneParts, MoveWithTheHead) {
  const dag::VoxelScene scene = scene_of(shell, 64, true);
  write_in_parts(scene, 3);
  fs::create_directories(folder / "elsewhere");
  fs::rename(path, folder / "elsewhere/other.h5");
  fs::rename(folder / "scene.parts", folder / "elsewhere/scene.parts");
  expect_same_levels(read_scene(folder / "elsewhere/other.h5").dag, scene.dag);
}

TEST_F(SceneParts, ThatAreMissingOrOthersAreNamed) {
  const dag::VoxelScene scene = scene_of(shell, 64, true);
  const std::vector<fs::path> parts = write_in_parts(scene, 3);
  const fs::path& part = parts[1];
  EXPECT_EQ(part.string().find((folder / "scene.parts/001-").string()), 0u);
  const std::string sound = read_bytes(part);
  const auto damaged = [&](const std::string& bytes) {
    std::ofstream(part, std::ios::binary) << bytes;
    EXPECT_EQ(problem_as_used(path), problem(path));
    return problem(path);
  };
  EXPECT_EQ(damaged(read_bytes(parts[2])),
            part.string() + ": is not the part for which the scene's head was written");
  EXPECT_EQ(damaged(read_bytes(path)), part.string() + ": is no part of a vox scene");
  for (size_t length = 0; length < sound.size(); length += 1 + sound.size() / 50)
    EXPECT_EQ(damaged(sound.substr(0, length)).find(part.string()), 0u) << length;
  EXPECT_EQ(damaged(sound), "none");
  fs::remove(part);
  EXPECT_EQ(problem(path).find(part.string() + ": this part of the scene is missing"), 0u) << problem(path);
  EXPECT_EQ(problem(parts[0]), parts[0].string() + ": is an HDF5 file, but no vox scene");
}

TEST_F(SceneParts, WithFlippedBytesGiveAnErrorOrTheSameScene) {
  const dag::VoxelScene scene = scene_of(shell, 37, true);
  const std::vector<fs::path> parts = write_in_parts(scene, 2);
  uint64_t found = 0, flips = 0;
  for (const fs::path& file : {path, parts[0], parts[1]}) {
    const std::string sound = read_bytes(file);
    for (size_t at = 0; at < sound.size(); at += 1 + sound.size() / 60, ++flips) {
      std::string bytes = sound;
      bytes[at] = static_cast<char>(bytes[at] ^ 0x21);
      std::ofstream(file, std::ios::binary) << bytes;
      problem_as_used(path);  // without a crash
      if (problem(path) != "none")
        ++found;
      else
        expect_same_levels(read_scene(path).dag, scene.dag);
    }
    std::ofstream(file, std::ios::binary) << sound;
  }
  EXPECT_GT(found, flips / 4);
}

TEST_F(SceneParts, WhoseWordsHaveChangedAreNotRead) {
  const dag::VoxelScene scene = scene_of(shell, 64, true);
  std::vector<dag::DagPart> parts = parts_of(scene.dag, 2);
  const std::vector<uint64_t> checks = write_parts(parts, true);
  write_scene_head(without_words(scene), checks, path);
  parts[1].levels.back().words.back() ^= 1u << 4;  // a material, in a file that is sound
  const WrittenPart changed = write_scene_part(parts[1], {.scene = folder / "other.h5", .number = 1});
  const fs::path file = scene_part_path(path, 1, checks[1]);
  fs::rename(scene_part_path(folder / "other.h5", 1, changed.check), file);
  EXPECT_NE(problem(path).find("is not the part"), std::string::npos) << problem(path);
  {
    h5::Quiet quiet;
    const h5::Handle opened(H5Fopen(file.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose);
    const h5::Handle check(H5Aopen(opened, "check", H5P_DEFAULT), H5Aclose);
    ASSERT_GE(H5Awrite(check, H5T_NATIVE_UINT64, &checks[1]), 0);
  }
  EXPECT_NE(problem(path).find("this part is damaged"), std::string::npos) << problem(path);
}

TEST_F(SceneParts, ThatDoNotFollowOnEachOtherAreNotRead) {
  const std::vector<fs::path> parts = write_in_parts(scene_of(shell, 64, true), 3);
  const std::string sound = read_bytes(parts[1]);
  const auto expect_problem = [&](const std::string& text, const auto& change) {
    change(open_to_change(parts[1]));
    for (const std::string& found : {problem(path), problem_as_used(path)})
      EXPECT_NE(found.find(text), std::string::npos) << found;
    std::ofstream(parts[1], std::ios::binary) << sound;
  };
  constexpr const char* kWords = "/svdag/level_04/words";
  for (const char* name : {"first", "nodes"})
    expect_problem(kWords + std::string(": begins with node"), [&](const h5::Object& part) {
      replace_attribute(part.id, kWords, name, H5T_STD_U64LE, uint64_t{3});
    });
  expect_problem("but its parts", [&](const h5::Object& part) {
    const h5::Object level = h5::open_group(h5::open_group(part, "svdag"), "level_04");
    const h5::Object old = h5::open_dataset(level, "words");
    Words words = h5::read_words(old);
    words.pop_back();
    H5Ldelete(level.id, "words", H5P_DEFAULT);
    const h5::Object shorter = h5::write_words(level, "words", words, {});
    for (const char* name : {"first", "nodes"})
      h5::write_attribute(shorter, name, h5::read_attribute<uint64_t>(old, name));
  });
  EXPECT_EQ(problem_as_used(path), "none");
}

TEST_F(SceneParts, ThatDoNotFollowOnEachOtherGetNoHead) {
  const dag::VoxelScene scene = scene_of(shell, 64, true);
  std::vector<dag::DagPart> parts = parts_of(scene.dag, 3);
  const std::vector<uint64_t> checks = write_parts(parts, true);
  EXPECT_THROW(write_scene_head(scene, std::span(checks).first(2), path), Error);
  fs::rename(scene_part_path(path, 2, checks[2]), folder / "last");
  EXPECT_THROW(write_scene_head(scene, checks, path), Error);
  fs::copy(scene_part_path(path, 1, checks[1]), scene_part_path(path, 2, checks[2]));
  EXPECT_THROW(write_scene_head(scene, checks, path), Error);
  fs::rename(folder / "last", scene_part_path(path, 2, checks[2]));
  std::swap(parts[0], parts[1]);
  EXPECT_THROW(write_scene_head(scene, write_parts(parts, true), path), Error);
  EXPECT_FALSE(fs::exists(path));
  EXPECT_NO_THROW(write_scene_head(scene, checks, path));
}

TEST_F(SceneParts, OfAnOlderSceneStayUntilTheNewOneIsWhole) {
  const dag::VoxelScene older = scene_of(shell, 64, true), newer = scene_of(everywhere, 64, true);
  const std::vector<fs::path> old_parts = write_in_parts(older, 3);
  const std::vector<uint64_t> checks = write_parts(parts_of(newer.dag, 2), true);
  expect_same_levels(read_scene(path).dag, older.dag);
  EXPECT_EQ(files_of_parts().size(), 5u);
  std::ofstream(parts_folder(path) / "notes.txt") << "of somebody";
  write_scene_head(without_words(newer), checks, path);
  expect_same_levels(read_scene(path).dag, newer.dag);
  for (const fs::path& part : old_parts) EXPECT_FALSE(fs::exists(part));
  EXPECT_EQ(files_of_parts().size(), 3u);
  write_scene(older, path);
  EXPECT_EQ(files_of_parts(), std::set<fs::path>{parts_folder(path) / "notes.txt"});
}

TEST_F(SceneParts, OfProcessesThatWereKilledGoWithTheNextHeadAndNothingElseDoes) {
  const std::vector<std::string> left = {"003-0123456789abcdef.h5", "000-0123456789abcdef.h5.77-3.tmp"};
  const std::vector<std::string> of_others = {"notes.txt",
                                              "03-0123456789abcdef.h5",
                                              "003-0123456789abcde.h5",
                                              "003-0123456789abcdeg.h5",
                                              "round-00003.bin",
                                              "003-0123456789abcdef.vox",
                                              "003_0123456789abcdef.h5",
                                              "003-0123456789ABCDEF.h5",
                                              "x003-0123456789abcdef.h5",
                                              "003-0123456789abcdef.h5.tmp",
                                              "003-0123456789abcdef.h5.mine.tmp"};
  const auto leave = [&](const std::vector<std::string>& names) {
    for (const std::string& name : names) std::ofstream(parts_folder(path) / name) << "something";
  };
  fs::create_directories(parts_folder(path) / "009-0123456789abcdef.h5");  // a folder is not one of our parts
  for (const uint32_t parts : {3u, 2u}) {
    leave(left);
    leave(of_others);
    const std::vector<fs::path> named = write_in_parts(scene_of(shell, 64, true), parts);
    std::set<fs::path> expected(named.begin(), named.end());
    expected.insert(parts_folder(path) / "009-0123456789abcdef.h5");
    for (const std::string& name : of_others) expected.insert(parts_folder(path) / name);
    EXPECT_EQ(files_of_parts(), expected);
  }
  leave(left);
  write_scene(scene_of(shell, 64, true), path);
  EXPECT_EQ(files_of_parts().size(), of_others.size() + 1);
}

TEST_F(SceneParts, OfASceneThatHasANewNameStayWhenTheOldNameIsWrittenAgain) {
  const dag::VoxelScene older = scene_of(shell, 64, true), newer = scene_of(everywhere, 64, true);
  write_in_parts(older, 3);
  fs::rename(path, folder / "older.h5");
  std::ofstream empty(folder / "empty.h5");
  empty.close();
  write_in_parts(newer, 2);
  expect_same_levels(read_scene(path).dag, newer.dag);
  expect_same_levels(read_scene(folder / "older.h5").dag, older.dag);
  write_scene(newer, path);
  expect_same_levels(read_scene(folder / "older.h5").dag, older.dag);
  EXPECT_EQ(files_of_parts().size(), 3u);
}

TEST_F(SceneParts, AllStayIfAFileThatMayNeedThemCannotBeRead) {
  const dag::VoxelScene older = scene_of(shell, 64, true), newer = scene_of(everywhere, 64, true);
  write_in_parts(older, 3);
  const std::string head = read_bytes(path);
  std::ofstream(folder / "copy.h5", std::ios::binary) << head.substr(0, head.size() / 2);
  write_scene(newer, path);
  EXPECT_EQ(files_of_parts().size(), 3u);
  std::ofstream(folder / "copy.h5", std::ios::binary) << head;
  expect_same_levels(read_scene(folder / "copy.h5").dag, older.dag);
  fs::remove(folder / "copy.h5");
  write_scene(newer, path);
  EXPECT_FALSE(fs::exists(parts_folder(path)));
}

TEST_F(SceneParts, OfARunThatHoldsTheLockStayWhenAnotherWritesTheScene) {
  const dag::VoxelScene first = scene_of(shell, 64, true), second = scene_of(everywhere, 64, true);
  {
    const PartsLock lock(path);
    EXPECT_THROW(const PartsLock other(path), Error);
    const std::vector<uint64_t> checks = write_parts(parts_of(first.dag, 3), true);
    write_scene(second, path);
    EXPECT_EQ(files_of_parts().size(), 4u);  // and the lock's file
    expect_same_levels(read_scene(path).dag, second.dag);
    write_scene_head(without_words(first), checks, path);
  }
  expect_same_levels(read_scene(path).dag, first.dag);
  EXPECT_EQ(files_of_parts().size(), 3u);
  write_scene(second, path);
  EXPECT_FALSE(fs::exists(parts_folder(path)));
}

TEST_F(SceneParts, ThatStayTheSameArePartsOfTheNewScene) {
  const dag::VoxelScene scene = scene_of(shell, 64, true);
  const std::vector<fs::path> before = write_in_parts(scene, 3);
  const std::vector<dag::DagPart> parts = parts_of(scene.dag, 3);
  for (uint32_t i = 0; i < 3; ++i)
    EXPECT_FALSE(write_scene_part(parts[i], {.scene = path, .number = i}).is_new);
  EXPECT_EQ(write_in_parts(scene, 3), before);
  expect_same_levels(read_scene(path).dag, scene.dag);
}

TEST_F(SceneParts, OfAHeadThatIsNotWrittenAreRemoved) {
  const dag::VoxelScene scene = scene_of(shell, 64, true);
  for (const bool kept : {false, true}) {
    NewParts parts;
    uint32_t number = 0;
    for (const uint64_t check : write_parts(parts_of(scene.dag, 2), true))
      parts.add(scene_part_path(path, number++, check));
    if (kept) parts.keep();
    { const NewParts gone = std::move(parts); }
    EXPECT_EQ(fs::exists(parts_folder(path)), kept);
  }
}

TEST_F(SceneParts, WantAFolder) {
  EXPECT_NO_THROW(check_parts_folder(path));
  std::ofstream(parts_folder(path)) << "in the way";
  EXPECT_THROW(check_parts_folder(path), Error);
}

TEST_F(SceneParts, PlainH5pyReadsThemAsOneArray) {
  if (std::system("/usr/bin/python3 -c 'import h5py' > /dev/null 2>&1") != 0) GTEST_SKIP() << "no h5py";
  const dag::VoxelScene scene = scene_of(shell, 64, true);
  write_in_parts(scene, 3);
  std::ofstream(folder / "read.py") << R"(
import sys, h5py
svdag = h5py.File(sys.argv[1])['svdag']
for level in range(5):
    group = svdag[f'level_{level:02}']
    print(group['words'].is_virtual, sum((i + 1) * word for i, word in enumerate(group['words'][:].tolist())),
          group['starts'][:].tolist())
)";
  const std::string out = (folder / "out").string();
  ASSERT_EQ(std::system(("cd / && /usr/bin/python3 " + (folder / "read.py").string() + " " + path.string() +
                         " > " + out)
                            .c_str()),
            0);
  std::string expected;
  for (const dag::DagLevel& level : scene.dag.levels) {
    uint64_t sum = 0;
    for (uint64_t i = 0; i < level.words.size(); ++i) sum += (i + 1) * level.words[i];
    expected += "True " + std::to_string(sum) + " [0]\n";
  }
  EXPECT_EQ(read_bytes(out), expected);
}

}  // namespace
}  // namespace vox
