// Generated access to bricks against the dense volume, and what happens without a compiler.
#include "libvox/bricks/jit.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "libvox/base/error.h"
#include "libvox/bricks/jit_compile.h"
#include "tests/bricks/brick_volumes.h"
#include "tests/common/test_engine.h"

namespace vox {
namespace {

using namespace testing_bricks;
namespace fs = std::filesystem;

// A cache of its own for each test.
class Jit : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) / "vox-jit-test-XXXXXX";
    std::string name = folder_.string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
    setenv("XDG_CACHE_HOME", name.c_str(), 1);
  }
  void TearDown() override {
    unsetenv("XDG_CACHE_HOME");
    fs::remove_all(folder_);
  }
  std::vector<fs::path> kept() const {
    std::vector<fs::path> paths;
    if (fs::exists(folder_ / "vox"))
      for (const auto& entry : fs::directory_iterator(folder_ / "vox")) paths.push_back(entry.path());
    return paths;
  }
  fs::path folder_;
};

FrozenBricks bricks_of(const Volume& volume, uint32_t log2_side) {
  return test_engine()->build_bricks(volume, {.log2_side = log2_side, .threshold = {}}).bricks;
}

template <class T>
std::vector<T> dense_of(const Volume& volume) {
  const std::vector<uint32_t> words = dense_words(volume, {.type = volume.info.type});
  return {words.begin(), words.end()};
}

// Of u8 values; what lies outside counts 0.
std::vector<uint8_t> mean_of(const std::vector<uint8_t>& dense, Int3 size, int32_t radius) {
  std::vector<uint8_t> result;
  for (int32_t z = 0; z < size.z; ++z)
    for (int32_t y = 0; y < size.y; ++y)
      for (int32_t x = 0; x < size.x; ++x) {
        uint32_t sum = 0;
        for (int32_t c = std::max(0, z - radius); c <= std::min(size.z - 1, z + radius); ++c)
          for (int32_t b = std::max(0, y - radius); b <= std::min(size.y - 1, y + radius); ++b)
            for (int32_t a = std::max(0, x - radius); a <= std::min(size.x - 1, x + radius); ++a)
              sum += dense[size_t(a + size.x * (b + size.y * c))];
        const int32_t side = 2 * radius + 1;
        result.push_back(uint8_t(sum / uint32_t(side * side * side)));
      }
  return result;
}

TEST_F(Jit, GivesEveryVoxelWithAnyNumberOfLeaves) {
  const Volume volume = mixed_volume({70, 45, 66}, ValueType::U8, 1);
  const FrozenBricks bricks = bricks_of(volume, 2);
  for (const uint32_t leaves : {1u, 2u, 33u, 512u, 4096u})
    for (const uint32_t table : {0u, 8192u}) {
      const CpuJit jit(bricks, {.source = {.leaves = leaves, .table_entries = table}, .compiler = {}});
      ASSERT_TRUE(jit.compiled());
      std::vector<uint8_t> words(volume.info.box().voxels());
      jit.copy_volume(words.data());
      EXPECT_TRUE(words == dense_of<uint8_t>(volume)) << leaves << ", " << table;
    }
}

TEST_F(Jit, GivesEveryVoxelOfAllTypesOfValuesAndSizesOfBricks) {
  for (const ValueType type : {ValueType::U16, ValueType::F32})
    for (const uint32_t log2_side : {3u, 5u, 6u}) {
      const Volume volume = mixed_volume({71, 45, 66}, type, 2);
      const FrozenBricks bricks = bricks_of(volume, log2_side);
      const CpuJit jit(bricks);
      ASSERT_TRUE(jit.compiled());
      with_word_type(type, [&]<class T>() {
        std::vector<T> words(volume.info.box().voxels());
        jit.copy_volume(words.data());
        EXPECT_TRUE(words == dense_of<T>(volume)) << log2_side;
      });
    }
}

TEST_F(Jit, GivesVolumesOfOneKindOfBrick) {
  for (const Volume& volume :
       {constant_volume({64, 64, 64}, ValueType::U8, 0), constant_volume({64, 64, 64}, ValueType::U8, 9),
        one_voxel_volume({20, 30, 40}, ValueType::U8, {19, 29, 39})}) {
    const FrozenBricks bricks = bricks_of(volume, 4);
    const CpuJit jit(bricks);
    ASSERT_TRUE(jit.compiled());
    std::vector<uint8_t> words(volume.info.box().voxels());
    jit.copy_volume(words.data());
    EXPECT_TRUE(words == dense_of<uint8_t>(volume));
  }
}

TEST_F(Jit, TakesLongEntries) {
  const Volume volume = mixed_volume({40, 25, 30}, ValueType::U8, 4);
  FrozenBricks bricks = bricks_of(volume, 2);
  Words root;
  for (const uint32_t entry : bricks.root) root.insert(root.end(), {entry, 0});
  bricks.root = root;
  bricks.entry_words = 2;
  for (const uint32_t leaves : {10u, 2000u}) {
    const CpuJit jit(bricks, {.source = {.leaves = leaves}, .compiler = {}});
    ASSERT_TRUE(jit.compiled());
    std::vector<uint8_t> words(volume.info.box().voxels());
    jit.copy_volume(words.data());
    EXPECT_TRUE(words == dense_of<uint8_t>(volume)) << leaves;
  }
}

TEST_F(Jit, FiltersAsTheDenseVolumeDoes) {
  const Volume volume = mixed_volume({40, 25, 30}, ValueType::U8, 3);
  const FrozenBricks bricks = bricks_of(volume, 3);
  for (const char* compiler : {"", "no-such-compiler"}) {
    const CpuJit jit(bricks, {.source = {}, .compiler = compiler});
    for (const int32_t radius : {1, 2, 3}) {
      std::vector<uint8_t> words(volume.info.box().voxels());
      jit.mean_filter(radius, words.data());
      EXPECT_TRUE(words == mean_of(dense_of<uint8_t>(volume), volume.info.size, radius)) << radius;
    }
  }
}

TEST_F(Jit, InterpretsWithOneWarningWhereTheCompilerIsMissingOrFails) {
  const Volume volume = ball_volume({30, 30, 30}, ValueType::U8);
  const FrozenBricks bricks = bricks_of(volume, 2);
  for (const char* compiler : {"no-such-compiler", "false", "true"}) {
    testing::internal::CaptureStderr();
    const CpuJit jit(bricks, {.source = {}, .compiler = compiler});
    const std::string text = testing::internal::GetCapturedStderr();
    EXPECT_NE(text.find("interpreted, not compiled"), std::string::npos) << text;
    EXPECT_EQ(std::ranges::count(text, '\n'), 1) << text;
    EXPECT_FALSE(jit.compiled());
    std::vector<uint8_t> words(volume.info.box().voxels());
    jit.copy_volume(words.data());
    EXPECT_TRUE(words == dense_of<uint8_t>(volume));
  }
  EXPECT_TRUE(kept().empty());
}

TEST_F(Jit, KeepsItsImageAndCompilesADamagedOneAgain) {
  int compiled = 0;
  const auto image = [&](const char* source) {
    return cached_image(source, "compiler", [&] {
      ++compiled;
      return JitImage(100, std::byte(7));
    });
  };
  EXPECT_EQ(image("a"), JitImage(100, std::byte(7)));
  EXPECT_EQ(image("a"), JitImage(100, std::byte(7)));
  EXPECT_EQ(compiled, 1);
  ASSERT_EQ(kept().size(), 1u);
  const fs::path path = kept()[0];
  const auto size = fs::file_size(path);
  for (const uint64_t shorter : {size - 1, uint64_t{50}, uint64_t{3}, uint64_t{0}}) {
    fs::resize_file(path, shorter);
    EXPECT_EQ(image("a"), JitImage(100, std::byte(7)));
    EXPECT_EQ(fs::file_size(path), size);
  }
  EXPECT_EQ(compiled, 5);
  std::fstream(path, std::ios::in | std::ios::out | std::ios::binary).put('x');
  EXPECT_EQ(image("a"), JitImage(100, std::byte(7)));
  EXPECT_EQ(compiled, 6);
  image("b");
  EXPECT_EQ(compiled, 7);
  EXPECT_EQ(kept().size(), 2u);
}

TEST_F(Jit, WorksWhereNothingCanBeKept) {
  std::ofstream(folder_ / "vox") << "a file, where a folder should be";
  const Volume volume = ball_volume({30, 30, 30}, ValueType::U8);
  const FrozenBricks bricks = bricks_of(volume, 3);
  EXPECT_TRUE(CpuJit(bricks).compiled());
}

TEST_F(Jit, SourceIsTheSameEveryTimeAndReadsNothingOfWhatIsEmpty) {
  const FrozenBricks bricks = bricks_of(mixed_volume({70, 45, 66}, ValueType::U8, 1), 3);
  const KdTree tree = build_kd_tree(bricks, 100);
  EXPECT_EQ(jit_source(bricks, tree), jit_source(bricks, tree));
  const FrozenBricks empty = bricks_of(constant_volume({70, 45, 66}, ValueType::U8, 0), 3);
  const std::string text = jit_tree_text(empty, build_kd_tree(empty, 100));
  for (const char* split : {"if (x", "if (y", "if (z"}) EXPECT_EQ(text.find(split), std::string::npos);
  EXPECT_EQ(text.find("kEntries"), std::string::npos);
}

TEST_F(Jit, CompilesForGpusWithAnyNumberOfLeaves) {
  if (!has_nvrtc()) GTEST_SKIP() << "NVRTC is not installed";
  const FrozenBricks bricks = bricks_of(mixed_volume({70, 45, 66}, ValueType::U8, 1), 2);
  for (const uint32_t leaves : {1u, 2u, 33u, 1024u, 4096u}) {
    const JitOptions options = {.leaves = leaves};
    const std::string source = jit_source(bricks, build_kd_tree(bricks, leaves), options);
    EXPECT_GT(compile_for_gpu(source, 90).size(), 1000u) << leaves;
  }
  EXPECT_THROW(compile_for_gpu("no code", 90), Error);
}

}  // namespace
}  // namespace vox
