// Compares all kinds of access to bricks with the dense volume, and tests readers without a compiler.

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <utility>

#include "libvox/base/error.h"
#include "libvox/bricks/frozen_bricks.h"
#include "libvox/bricks/jit/source.h"
#include "libvox/bricks/reader.h"
#include "libvox/bricks/sparse_root.h"
#include "libvox/render/volume_render.h"
#include "tests/bricks/brick_volumes.h"
#include "tests/common/test_engine.h"

namespace vox {
namespace {

using namespace testing_bricks;
namespace fs = std::filesystem;

constexpr bricks::Access kAccesses[] = {bricks::Access::Dense, bricks::Access::Direct, bricks::Access::KdTree,
                                        bricks::Access::Compiled};

// Each test has a cache of its own.
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

  bricks::FrozenBricks bricks_of(const volume::Volume& volume, uint32_t log2_side) const {
    return bricks::build_bricks(engine_->handle(), volume, {.log2_side = log2_side, .threshold = {}}).bricks;
  }
  // Returns the values that a reader reads for which everything can be compiled.
  template <class T>
  std::vector<T> compiled(const bricks::FrozenBricks& bricks, const bricks::JitOptions& options = {}) const {
    const auto reader = bricks::make_bricks_reader(engine_->handle(), bricks, options);
    EXPECT_TRUE(reader->compile().compiled);
    return read<T>(*reader, bricks, bricks::Access::Compiled, {});
  }
  template <class T>
  static std::vector<T> read(bricks::BricksReader& reader, const bricks::FrozenBricks& bricks,
                             bricks::Access access, const bricks::ReadQuery& query) {
    const bool gathers =
        query.loop == bricks::ReadLoop::RandomGather || query.loop == bricks::ReadLoop::MortonGather;
    std::vector<T> words(gathers ? query.gathers : bricks.info.box().voxels());
    reader.read(access, query);
    reader.last_words(words.data());
    return words;
  }

  fs::path folder_;
  std::unique_ptr<Engine> engine_ = test_engine();
};

template <class T>
std::vector<T> dense_of(const volume::Volume& volume) {
  const std::vector<uint32_t> words = dense_words(volume, {.type = volume.info.type});
  return {words.begin(), words.end()};
}

size_t place(Int3 at, Int3 size) {
  return size_t(at.x) + size_t(size.x) * (size_t(at.y) + size_t(size.y) * size_t(at.z));
}

// Returns the means of numbers in the order in which the filter adds them. Numbers outside the volume count as 0.
std::vector<double> means_of_numbers(const std::vector<double>& dense, Int3 size, int32_t radius) {
  std::vector<double> result;
  for (int32_t z = 0; z < size.z; ++z)
    for (int32_t y = 0; y < size.y; ++y)
      for (int32_t x = 0; x < size.x; ++x) {
        double sum = 0;
        for (int32_t c = std::max(0, z - radius); c <= std::min(size.z - 1, z + radius); ++c)
          for (int32_t b = std::max(0, y - radius); b <= std::min(size.y - 1, y + radius); ++b)
            for (int32_t a = std::max(0, x - radius); a <= std::min(size.x - 1, x + radius); ++a)
              sum += dense[place({a, b, c}, size)];
        const int32_t side = 2 * radius + 1;
        result.push_back(sum / (side * side * side));
      }
  return result;
}

// The same for u8 values, rounded down.
std::vector<uint8_t> mean_of(const std::vector<uint8_t>& dense, Int3 size, int32_t radius) {
  const std::vector<double> means = means_of_numbers({dense.begin(), dense.end()}, size, radius);
  return {means.begin(), means.end()};
}

TEST_F(Jit, GivesEveryVoxelWithAnyNumberOfLeaves) {
  const volume::Volume volume = mixed_volume({40, 25, 30}, volume::ValueType::U8, 1);
  const bricks::FrozenBricks bricks = bricks_of(volume, 2);
  for (const uint32_t leaves : {1u, 2u, 33u, 4096u})
    EXPECT_TRUE(compiled<uint8_t>(bricks, {.leaves = leaves, .compiler = {}}) == dense_of<uint8_t>(volume))
        << leaves;
}

TEST_F(Jit, ReadsASparseRootToo) {
  const volume::Volume volume = mixed_volume({70, 45, 66}, volume::ValueType::U8, 1);
  const bricks::FrozenBricks bricks = bricks::with_sparse_root(bricks_of(volume, 2));
  EXPECT_TRUE(compiled<uint8_t>(bricks, {.compiler = {}}) == dense_of<uint8_t>(volume));
  const auto reader = bricks::make_bricks_reader(engine_->handle(), bricks, {});
  EXPECT_TRUE(read<uint8_t>(*reader, bricks, bricks::Access::Direct, {}) == dense_of<uint8_t>(volume));
  EXPECT_THROW(bricks::build_kd_tree(bricks, 2), Error);
}

TEST_F(Jit, GivesEveryVoxelWithPlacesInTheCode) {
  const volume::Volume volume = mixed_volume({40, 25, 30}, volume::ValueType::U8, 1);
  const bricks::FrozenBricks bricks = bricks_of(volume, 2);
  for (const auto& [split, leaves] : {std::pair{bricks::KdSplit::Entropy, 1u},
                                      {bricks::KdSplit::Entropy, 4096u},
                                      {bricks::KdSplit::Median, 33u}}) {
    const bricks::JitOptions options = {
        .leaves = leaves, .split = split, .places = bricks::LeafPlaces::Code, .compiler = {}};
    EXPECT_TRUE(compiled<uint8_t>(bricks, options) == dense_of<uint8_t>(volume)) << leaves;
  }
}

TEST_F(Jit, GivesEveryVoxelOfAllTypesOfValuesAndSizesOfBricks) {
  for (const auto& [type, log2_side] :
       {std::pair{volume::ValueType::U16, 3u}, {volume::ValueType::F32, 5u}, {volume::ValueType::U16, 6u}}) {
    const volume::Volume volume = mixed_volume({71, 45, 66}, type, 2);
    volume::with_word_type(type, [&, side = log2_side]<class T>() {
      EXPECT_TRUE(compiled<T>(bricks_of(volume, side)) == dense_of<T>(volume)) << side;
    });
  }
}

TEST_F(Jit, GivesVolumesOfOneKindOfBrick) {
  for (const volume::Volume& volume : {constant_volume({64, 64, 64}, volume::ValueType::U8, 0),
                                       constant_volume({64, 64, 64}, volume::ValueType::U8, 9),
                                       one_voxel_volume({20, 30, 40}, volume::ValueType::U8, {19, 29, 39})})
    EXPECT_TRUE(compiled<uint8_t>(bricks_of(volume, 4)) == dense_of<uint8_t>(volume));
}

TEST_F(Jit, TakesLongEntries) {
  const volume::Volume volume = mixed_volume({40, 25, 30}, volume::ValueType::U8, 4);
  bricks::FrozenBricks bricks = bricks_of(volume, 2);
  Words root;
  for (const uint32_t entry : bricks.root) root.insert(root.end(), {entry, 0});
  bricks.root = root;
  bricks.entry_words = 2;
  for (const uint32_t leaves : {10u, 2000u})
    EXPECT_TRUE(compiled<uint8_t>(bricks, {.leaves = leaves, .compiler = {}}) == dense_of<uint8_t>(volume))
        << leaves;
}

TEST_F(Jit, EveryAccessFiltersAsTheDenseVolumeDoes) {
  const volume::Volume volume = mixed_volume({40, 25, 30}, volume::ValueType::U8, 3);
  const bricks::FrozenBricks bricks = bricks_of(volume, 3);
  const auto reader = bricks::make_bricks_reader(engine_->handle(), bricks, {.leaves = 50, .compiler = {}});
  for (const int32_t radius : {0, 1, 2, 3}) {
    const std::vector<uint8_t> expected = mean_of(dense_of<uint8_t>(volume), volume.info.size, radius);
    for (const bricks::Access access : kAccesses)
      EXPECT_TRUE(read<uint8_t>(*reader, bricks, access,
                                {.loop = bricks::ReadLoop::Mean, .radius = radius}) == expected)
          << radius << ", " << int(access);
  }
}

TEST_F(Jit, FiltersNumbersWhateverTheirType) {
  for (const volume::ValueType type :
       {volume::ValueType::U16, volume::ValueType::I16, volume::ValueType::F32}) {
    const volume::Volume volume = signed_volume({30, 25, 20}, type, 3);
    const bricks::FrozenBricks bricks = bricks_of(volume, 3);
    const auto reader = bricks::make_bricks_reader(engine_->handle(), bricks, {.leaves = 50, .compiler = {}});
    std::vector<double> numbers;
    bool negative = false;
    for (const uint32_t word : dense_words(volume, {.type = type})) {  // of which the bits are the value's
      numbers.push_back(volume::value_number(type, word));
      negative = negative || numbers.back() < 0;
    }
    EXPECT_EQ(negative, type != volume::ValueType::U16);
    const std::vector<double> means = means_of_numbers(numbers, volume.info.size, 2);
    volume::with_word_type(type, [&]<class T>() {
      for (const bricks::Access access : kAccesses) {
        const std::vector<T> words =
            read<T>(*reader, bricks, access, {.loop = bricks::ReadLoop::Mean, .radius = 2});
        for (size_t i = 0; i < words.size(); ++i)
          ASSERT_EQ(
              volume::value_number(type, words[i] ^ bricks.background),
              type == volume::ValueType::F32 ? double{static_cast<float>(means[i])} : std::floor(means[i]))
              << int(access) << ", " << i;
      }
    });
  }
}

TEST_F(Jit, FiltersLargerThanTheVolumeReadItAll) {
  const volume::Volume volume = mixed_volume({9, 6, 5}, volume::ValueType::U8, 3);
  const bricks::FrozenBricks bricks = bricks_of(volume, 2);
  const auto reader = bricks::make_bricks_reader(engine_->handle(), bricks, {});
  const std::vector<uint8_t> expected = mean_of(dense_of<uint8_t>(volume), volume.info.size, 11);
  for (const bricks::Access access : kAccesses)
    EXPECT_TRUE(read<uint8_t>(*reader, bricks, access, {.loop = bricks::ReadLoop::Mean, .radius = 11}) ==
                expected);
}

TEST_F(Jit, EveryAccessGathersTheSameFromAllOverTheVolume) {
  const volume::Volume volume = mixed_volume({40, 25, 30}, volume::ValueType::U16, 3);
  const bricks::FrozenBricks bricks = bricks_of(volume, 4);
  const std::vector<uint16_t> dense = dense_of<uint16_t>(volume);
  const Int3 size = volume.info.size;
  const auto reader = bricks::make_bricks_reader(engine_->handle(), bricks, {});
  constexpr uint64_t kCount = 300000;  // ten times the number of voxels
  for (const bricks::ReadLoop loop : {bricks::ReadLoop::RandomGather, bricks::ReadLoop::MortonGather}) {
    std::vector<uint16_t> expected;
    std::vector<bool> met(dense.size());
    for (uint64_t i = 0; i < kCount; ++i) {
      const Int3 at = loop == bricks::ReadLoop::RandomGather
                          ? bricks::RandomGather<bricks::DenseRef, uint16_t>::voxel(i, size)
                          : bricks::MortonGather<bricks::DenseRef, uint16_t>::voxel(i, kCount, size);
      const size_t index = place(at, size);
      met.at(index) = true;
      expected.push_back(dense[index]);
    }
    EXPECT_GT(std::ranges::count(met, true), std::ptrdiff_t(0.99 * double(dense.size())));
    for (const bricks::Access access : kAccesses)
      EXPECT_TRUE(read<uint16_t>(*reader, bricks, access, {.loop = loop, .gathers = kCount}) == expected)
          << int(loop) << ", " << int(access);
  }
}

TEST_F(Jit, EveryAccessCastsTheSamePicture) {
  const bricks::FrozenBricks bricks = bricks_of(mixed_volume({40, 25, 30}, volume::ValueType::U8, 3), 3);
  const auto reader = bricks::make_bricks_reader(engine_->handle(), bricks, {.leaves = 50, .compiler = {}});
  render::VolumeRenderOptions options;
  options.size = {61, 43};
  options.pose = {.eye = {-30, -20, -50}, .target = {3, 12, 15}};
  const bricks::CastView view = render::cast_view(bricks, render::color_range(bricks), options);
  const std::vector<bricks::CastColor> colors = render::cast_colors(options);
  std::vector<std::array<uint8_t, 4>> expected(61 * 43), seen(61 * 43);
  for (const bricks::Access access : kAccesses) {
    const bricks::ReadResult read =
        reader->read(access, {.loop = bricks::ReadLoop::Cast, .view = &view, .colors = &colors});
    EXPECT_EQ(read.lookups, seen.size());
    reader->last_words(seen.data());
    if (access == bricks::Access::Dense) expected = seen;
    EXPECT_TRUE(seen == expected) << int(access);
  }
  const render::Picture picture = render::make_volume_renderer(engine_->handle(), bricks)->render(options);
  for (size_t i = 0; i < seen.size(); ++i) {
    const scene::Rgba8 pixel = picture.image.pixels[i];
    ASSERT_EQ(seen[i], (std::array{pixel.r, pixel.g, pixel.b, pixel.a})) << i;
  }
  EXPECT_NE(seen.front(), seen[61 * 21 + 30]);  // the volume is visible
}

TEST_F(Jit, ChecksumsTellWhatWasRead) {
  const bricks::FrozenBricks bricks = bricks_of(mixed_volume({40, 25, 30}, volume::ValueType::U8, 3), 3);
  const bricks::FrozenBricks others = bricks_of(mixed_volume({40, 25, 30}, volume::ValueType::U8, 4), 3);
  const bricks::ReadResult one =
      bricks::make_bricks_reader(engine_->handle(), bricks, {})->read(bricks::Access::Direct, {});
  EXPECT_EQ(
      one.checksum,
      bricks::make_bricks_reader(engine_->handle(), bricks, {})->read(bricks::Access::Dense, {}).checksum);
  EXPECT_NE(
      one.checksum,
      bricks::make_bricks_reader(engine_->handle(), others, {})->read(bricks::Access::Direct, {}).checksum);
  EXPECT_EQ(one.lookups, 40u * 25 * 30);
}

TEST_F(Jit, CountsTheLookupsOfAFilter) {
  for (const Int3 size : {Int3{9, 4, 7}, Int3{2, 1, 3}})
    for (const int32_t radius : {1, 2, 3}) {
      uint64_t expected = 0;
      for (int32_t z = 0; z < size.z; ++z)
        for (int32_t y = 0; y < size.y; ++y)
          for (int32_t x = 0; x < size.x; ++x)
            for (int32_t c = z - radius; c <= z + radius; ++c)
              for (int32_t b = y - radius; b <= y + radius; ++b)
                for (int32_t a = x - radius; a <= x + radius; ++a)
                  expected += a >= 0 && b >= 0 && c >= 0 && a < size.x && b < size.y && c < size.z ? 1 : 0;
      EXPECT_EQ(bricks::filter_lookups(size, radius), expected);
    }
}

TEST_F(Jit, InterpretsWithOneWarningWhereTheCompilerIsMissingOrFails) {
  if (test_device() != "cpu") GTEST_SKIP() << "of the compiler for processors";
  const volume::Volume volume = ball_volume({30, 30, 30}, volume::ValueType::U8);
  const bricks::FrozenBricks bricks = bricks_of(volume, 2);
  for (const char* compiler : {"no-such-compiler", "false", "true"}) {
    const auto reader = bricks::make_bricks_reader(engine_->handle(), bricks, {.compiler = compiler});
    testing::internal::CaptureStderr();
    EXPECT_FALSE(reader->compile().compiled);
    EXPECT_TRUE(read<uint8_t>(*reader, bricks, bricks::Access::Compiled, {}) == dense_of<uint8_t>(volume));
    const std::string text = testing::internal::GetCapturedStderr();
    EXPECT_NE(text.find("interpreted, not compiled"), std::string::npos) << text;
    EXPECT_EQ(std::ranges::count(text, '\n'), 1) << text;
  }
  EXPECT_TRUE(kept().empty());
}

TEST_F(Jit, KeepsItsImageAndCompilesADamagedOneAgain) {
  int compiled = 0;
  const auto image = [&](const char* source) {
    return bricks::cached_image(source, "compiler", [&] {
      ++compiled;
      return bricks::JitImage(100, std::byte(7));
    });
  };
  EXPECT_EQ(image("a"), bricks::JitImage(100, std::byte(7)));
  EXPECT_EQ(image("a"), bricks::JitImage(100, std::byte(7)));
  EXPECT_EQ(compiled, 1);
  ASSERT_EQ(kept().size(), 1u);
  const fs::path path = kept()[0];
  const auto size = fs::file_size(path);
  for (const uint64_t shorter : {size - 1, uint64_t{50}, uint64_t{3}, uint64_t{0}}) {
    fs::resize_file(path, shorter);
    EXPECT_EQ(image("a"), bricks::JitImage(100, std::byte(7)));
    EXPECT_EQ(fs::file_size(path), size);
  }
  EXPECT_EQ(compiled, 5);
  std::fstream(path, std::ios::in | std::ios::out | std::ios::binary).put('x');
  EXPECT_EQ(image("a"), bricks::JitImage(100, std::byte(7)));
  EXPECT_EQ(compiled, 6);
  image("b");
  EXPECT_EQ(compiled, 7);
  EXPECT_EQ(kept().size(), 2u);
}

TEST_F(Jit, TakesNoImageThatOthersMayHaveWritten) {
  int compiled = 0;
  const auto image = [&] {
    return bricks::cached_image("a", "compiler", [&] {
      ++compiled;
      return bricks::JitImage(100, std::byte(7));
    });
  };
  image();
  const fs::path path = kept().at(0);
  EXPECT_EQ(fs::status(path.parent_path()).permissions(), fs::perms::owner_all);
  image();
  EXPECT_EQ(compiled, 1);
  for (const fs::path& loose : {path, path.parent_path()})
    for (const fs::perms others : {fs::perms::group_write, fs::perms::others_write}) {
      const int before = compiled;
      fs::permissions(loose, others, fs::perm_options::add);
      image();
      EXPECT_EQ(compiled, before + 1) << loose;
      image();  // the image has been kept again, for this user alone
      EXPECT_EQ(compiled, before + 1) << loose;
    }
  fs::rename(path, folder_ / "elsewhere");
  fs::create_symlink(folder_ / "elsewhere", path);
  const int before = compiled;
  image();
  EXPECT_EQ(compiled, before + 1);
}

TEST_F(Jit, LeavesTheFolderOfAnotherUserAlone) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can make such a folder";
  fs::create_directory(folder_ / "vox");
  ASSERT_EQ(chown((folder_ / "vox").c_str(), 12345, 12345), 0);
  int compiled = 0;
  for (int i = 0; i < 2; ++i)
    bricks::cached_image("a", "compiler", [&] {
      ++compiled;
      return bricks::JitImage(100, std::byte(7));
    });
  EXPECT_EQ(compiled, 2);
  EXPECT_TRUE(kept().empty());
}

TEST_F(Jit, ProcessesThatShareTheCacheGetWholeImages) {
  constexpr int kProcesses = 3, kRounds = 100;
  std::vector<pid_t> children;
  for (int process = 0; process < kProcesses; ++process) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      bool sound = true;
      for (int round = 0; round < kRounds; ++round) {
        const bricks::JitImage expected(100000, std::byte(round));
        const std::string source = "round " + std::to_string(round);
        sound &=
            bricks::cached_image(source, "compiler", [&] { return bricks::JitImage(expected); }) == expected;
        std::error_code ignored;
        if (round % 10 == 9) fs::remove_all(folder_ / "vox", ignored);  // from under the others
      }
      _exit(sound ? 0 : 1);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  for (const fs::path& path : kept()) EXPECT_EQ(path.extension(), ".jit");
}

TEST_F(Jit, WorksWhereNothingCanBeKept) {
  std::ofstream(folder_ / "vox") << "a file, where a folder should be";
  const volume::Volume volume = ball_volume({30, 30, 30}, volume::ValueType::U8);
  EXPECT_TRUE(compiled<uint8_t>(bricks_of(volume, 3)) == dense_of<uint8_t>(volume));
}

TEST_F(Jit, SourceIsTheSameEveryTimeAndReadsNothingOfWhatIsEmpty) {
  const bricks::FrozenBricks bricks = bricks_of(mixed_volume({70, 45, 66}, volume::ValueType::U8, 1), 3);
  const bricks::KdTree tree = bricks::build_kd_tree(bricks, 100);
  EXPECT_EQ(bricks::jit_source(bricks, tree), bricks::jit_source(bricks, tree));
  const bricks::FrozenBricks empty = bricks_of(constant_volume({70, 45, 66}, volume::ValueType::U8, 0), 3);
  const std::string text = bricks::jit_tree_text(empty, bricks::build_kd_tree(empty, 100));
  for (const char* split : {"if (x", "if (y", "if (z"}) EXPECT_EQ(text.find(split), std::string::npos);
  EXPECT_EQ(text.find("kInRoot <<"), std::string::npos);
}

TEST_F(Jit, CompilesForGpusWithAnyNumberOfLeaves) {
  if (!bricks::has_nvrtc()) GTEST_SKIP() << "NVRTC is not installed";
  const bricks::FrozenBricks bricks = bricks_of(mixed_volume({40, 25, 30}, volume::ValueType::U8, 1), 2);
  for (const uint32_t leaves : {1u, 33u, 4096u}) {
    const std::string source = bricks::jit_source(bricks, bricks::build_kd_tree(bricks, leaves));
    EXPECT_GT(bricks::compile_for_gpu(source, 90).size(), 1000u) << leaves;
  }
  EXPECT_THROW(bricks::compile_for_gpu("no code", 90), Error);
}

// Tests the replacement of bricks by dense ones for speed.

}  // namespace
}  // namespace vox
