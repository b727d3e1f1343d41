// The words of a scene in its file: how they are compressed, and that scenes read them when they are used.
#include <gtest/gtest.h>
#include <hdf5.h>
#include <tbb/parallel_for.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <numeric>
#include <random>
#include <string>

#include "formats/io/compression.h"
#include "formats/scene/groups.h"
#include "formats/scene/scene_file.h"
#include "libvox/base/error.h"
#include "libvox/base/progress.h"
#include "libvox/dag/walk.h"
#include "tests/common/random.h"
#include "tests/dag/dense_dag.h"
#include "tests/formats/scene/scene_file_fixture.h"

namespace vox {
namespace {

using Method = Compression::Method;

class CompressedFile : public testing::Test {
 protected:
  void SetUp() override {
    const std::string name = testing::UnitTest::GetInstance()->current_test_info()->name();
    folder_ = std::filesystem::path(testing::TempDir()) / ("compressed_" + name + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
    path_ = folder_ / "file.h5";
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path folder_, path_;
};

std::vector<Compression> own_compressions() {
  std::vector<Compression> all = {{.method = Method::None}};
  for (const int level : {kFastestDeflate, 2, 6, kSmallestDeflate}) all.push_back({.level = level});
  return all;
}

// Returns words for several chunks, of which the last one is not full. Some words have many zeros, others
// cannot be compressed.
template <class Array>
Array sample_words(uint64_t size) {
  Array words(size);
  std::mt19937_64 random(3);
  for (uint64_t i = 0; i < size; ++i) {
    const uint64_t word = random();
    words[i] = static_cast<typename Array::value_type>(i % 3 == 0 ? word : i < size / 2 ? i : 0);
  }
  return words;
}

// Writes the words and reads them with our own reader and with the library's filters.
template <class Array>
void expect_read_back(const std::filesystem::path& path, const Array& words, const Compression& compression,
                      hid_t type, Array (*read)(const h5::Object&)) {
  const h5::Quiet quiet;
  h5::Object file = h5::create_file(path, path.string());
  h5::write_words(file, "words", std::span<const typename Array::value_type>(words), compression);
  h5::close_file(std::move(file));
  const h5::Object again = h5::open_file(path);
  const h5::Object dataset = h5::open_dataset(again, "words");
  EXPECT_TRUE(read(dataset) == words);
  Array by_library(words.size());
  EXPECT_GE(H5Dread(dataset.id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, by_library.data()), 0);
  EXPECT_TRUE(by_library == words);
}

TEST_F(CompressedFile, EveryCompressionGivesTheWordsBackToUsAndToPlainReaders) {
  const Words words = sample_words<Words>(300'001);
  const LongWords long_words = sample_words<LongWords>(140'003);
  for (const Compression& compression : own_compressions()) {
    SCOPED_TRACE(testing::Message() << static_cast<int>(compression.method) << " " << compression.level);
    expect_read_back(path_, words, compression, H5T_NATIVE_UINT32, h5::read_words);
    expect_read_back(path_, long_words, compression, H5T_NATIVE_UINT64, h5::read_long_words);
  }
}

TEST_F(CompressedFile, ArraysOfAFewWordsAndOfNoneAreReadBack) {
  for (const uint64_t size : {0u, 1u, 2u, 17u})
    for (const Compression& compression : own_compressions())
      expect_read_back(path_, sample_words<Words>(size), compression, H5T_NATIVE_UINT32, h5::read_words);
}

// The checksum's sums may be multiples of 2^16 - 1, which must be distinguished from 0.
TEST_F(CompressedFile, ChecksumsOfAllKindsOfWordsAreTheLibrarys) {
  for (const uint32_t word : {0u, 0xffffffffu, 0x0000ffffu, 0xffff0000u, 1u, 0x01000000u, 0x80008000u})
    for (const uint64_t size : {1u, 2u, 180u, 65535u, 65536u})
      expect_read_back(path_, Words(size, word), {.method = Method::None}, H5T_NATIVE_UINT32, h5::read_words);
}

TEST_F(CompressedFile, ScenesOfAllCompressionsAreTheSameScene) {
  dag::VoxelScene scene;
  scene.dag = dense_dag(64, true, [](uint32_t x, uint32_t y, uint32_t z) {
    return (x + y * z) % 5 == 0 ? static_cast<int>((x / 5 + z) % 16) : dag::kEmptyVoxel;
  });
  for (const Compression& compression : own_compressions()) {
    write_scene(scene, path_, {}, compression);
    const dag::VoxelScene read = read_scene(path_);
    EXPECT_NO_THROW(dag::verify(read.dag));
    for (size_t level = 0; level < scene.dag.levels.size(); ++level)
      EXPECT_EQ(read.dag.levels[level].words, scene.dag.levels[level].words);
  }
}

TEST_F(CompressedFile, ZstandardWithoutItsPluginIsRefusedBeforeAnythingIsLeft) {
  if (H5Zfilter_avail(32015) > 0) GTEST_SKIP() << "HDF5 has the plugin here";
  dag::VoxelScene scene;
  scene.dag = dag::empty_dag(4, false);
  try {
    write_scene(scene, path_, {}, {.method = Method::Zstd});
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("HDF5 finds no plugin for Zstandard"), std::string::npos)
        << error.what();
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder_));
}

// A filter in place of the plug-in: it inverts every bit.
size_t turn_bits(unsigned, size_t, const unsigned*, size_t bytes, size_t*, void** buffer) {
  uint8_t* data = static_cast<uint8_t*>(*buffer);
  for (size_t i = 0; i < bytes; ++i) data[i] = static_cast<uint8_t>(~data[i]);
  return bytes;
}

TEST_F(CompressedFile, ZstandardIsThePluginsWork) {
  if (H5Zfilter_avail(32015) > 0) GTEST_SKIP() << "HDF5 has the plugin here";
  const H5Z_class2_t filter = {H5Z_CLASS_T_VERS, 32015, 1, 1, "turned bits", nullptr, nullptr, turn_bits};
  ASSERT_GE(H5Zregister(&filter), 0);
  for (const uint64_t size : {0u, 5u, 300'001u})
    expect_read_back(path_, sample_words<Words>(size), {.method = Method::Zstd}, H5T_NATIVE_UINT32,
                     h5::read_words);
  H5Zunregister(32015);
}

TEST_F(CompressedFile, WhatAFileSaysOfItselfIsReadWithoutItsWords) {
  dag::VoxelScene scene;
  scene.dag = dense_dag(32, true, [](uint32_t x, uint32_t y, uint32_t) {
    return x == y ? static_cast<int>(x % 16) : dag::kEmptyVoxel;
  });
  scene.source = "wall.obj";
  write_scene(scene, path_);
  const SceneInfo info = read_scene_info(path_);
  EXPECT_EQ(info.scene.source, "wall.obj");
  EXPECT_EQ(info.scene.dag.voxels, scene.dag.voxels);
  EXPECT_EQ(info.scene.dag.digest, scene.dag.digest);
  ASSERT_EQ(info.level_words.size(), scene.dag.levels.size());
  for (size_t level = 0; level < scene.dag.levels.size(); ++level) {
    EXPECT_EQ(info.level_words[level], scene.dag.levels[level].words.size());
    EXPECT_EQ(info.scene.dag.levels[level].nodes, scene.dag.levels[level].nodes);
    EXPECT_EQ(info.scene.dag.levels[level].svo_nodes, scene.dag.levels[level].svo_nodes);
    EXPECT_TRUE(info.scene.dag.levels[level].words.empty());
  }
}

TEST(Deflater, NoisyBytesStayBelowTheBoundThatReadersAllow) {
  std::mt19937 random(7);
  for (const size_t size : {1u, 100u, 65'536u, 1u << 20}) {
    Bytes noise(size);
    for (uint8_t& byte : noise) byte = static_cast<uint8_t>(random());
    for (const int level : {1, 6}) EXPECT_LE(Deflater(level).deflated(noise).size(), deflate_bound(size));
  }
}

// The library may have written the chunks of a dataset in any order, with other data between them.
TEST_F(CompressedFile, ChunksMayLieAnywhereInTheFile) {
  constexpr uint64_t kWords = 64, kChunks = 40;
  const h5::ChunkFormat format = {{.method = Method::Deflate}, kWords};
  std::mt19937 random(5);
  for (int order = 0; order < 4; ++order) {
    std::vector<uint32_t> words(kWords * kChunks);
    for (uint32_t& word : words) word = static_cast<uint32_t>(random() % 7);
    std::vector<hsize_t> chunks(kChunks);
    std::iota(chunks.begin(), chunks.end(), 0);
    if (order == 1) std::ranges::reverse(chunks);
    if (order > 1) std::ranges::shuffle(chunks, random);
    {
      h5::Object file = h5::create_file(path_, "file.h5");
      {
        const h5::Object dataset =
            h5::create_dataset(file, "words", H5T_STD_U32LE, {words.size()}, h5::chunked_properties(format));
        h5::ChunkCoder<uint32_t> coder(format);
        for (const hsize_t chunk : chunks) {
          const hsize_t first = chunk * kWords;
          const Bytes bytes = coder.encoded(std::span(words).subspan(first, kWords));
          ASSERT_GE(H5Dwrite_chunk(dataset.id, H5P_DEFAULT, 0, &first, bytes.size(), bytes.data()), 0);
          if (order == 3 && chunk % 5 == 0)
            h5::write_words(file, "between_" + std::to_string(chunk), std::span<const uint32_t>(words), {});
        }
      }
      h5::close_file(std::move(file));
    }
    const h5::Object file = h5::open_file(path_);
    const h5::Object dataset = h5::open_dataset(file, "words");
    EXPECT_TRUE(std::ranges::equal(h5::read_words(dataset), words)) << order;
    const auto reader = h5::WordReader::open(dataset, h5::file_of(dataset));
    ASSERT_TRUE(reader);
    std::vector<uint32_t> some(100);
    reader->read(1234, some);
    EXPECT_TRUE(std::ranges::equal(some, std::span(words).subspan(1234, some.size()))) << order;
    std::filesystem::remove(path_);
  }
}

// Tests scenes whose words are read from the file when they are used, against the same scenes read as wholes.

constexpr uint32_t kSide = 160;  // levels of several pieces, and of so few words that they are read at once

dag::VoxelScene noise(bool materials) {
  dag::VoxelScene scene = sample_scene(4, materials);
  Random random(7);
  scene.dag = dense_dag(kSide, materials, [&](uint32_t, uint32_t, uint32_t) {
    return random.below(3) == 0 ? static_cast<int>(random.below(16)) : dag::kEmptyVoxel;
  });
  return scene;
}

class PagedScene : public SceneFile {
 protected:
  // Returns the file's scene, of which at most this much is kept.
  std::optional<dag::VoxelScene> paged(uint64_t budget) {
    kept = std::make_shared<PagedBudget>(budget);
    return read_paged_scene(path, kept);
  }

  std::shared_ptr<PagedBudget> kept;
};

TEST_F(PagedScene, IsTheSceneThatIsReadAsAWhole) {
  for (const bool materials : {true, false}) {
    const dag::VoxelScene whole = noise(materials);
    for (const StoredForm form : kStoredForms) {
      write_as(form, whole, path);
      expect_equal_scenes(whole, read_scene(path));
      const SceneInfo info = read_scene_info(path);
      for (const uint64_t budget : {uint64_t{1}, uint64_t{2} << 20, uint64_t{1} << 30}) {
        const std::optional<dag::VoxelScene> scene = paged(budget);
        ASSERT_TRUE(scene);
        EXPECT_TRUE(scene->dag.paged);
        EXPECT_EQ(kept->filled(), 0u);
        expect_equal_scenes(whole, *scene);
        for (size_t level = 0; level < whole.dag.levels.size(); ++level) {
          EXPECT_EQ(whole.dag.levels[level].places.starts(), scene->dag.levels[level].places.starts());
          EXPECT_EQ(whole.dag.levels[level].words.size(), info.level_words[level]);
        }
        EXPECT_NO_THROW(throw_late_error());
        EXPECT_GT(kept->filled(), 0u);
        EXPECT_LE(kept->held(), std::max(budget, PagedBudget::kLeastPieces << 20));
      }
    }
  }
}

TEST_F(PagedScene, ManyReadItAtOnce) {
  const dag::VoxelScene whole = noise(true);
  for (const StoredForm form : kStoredForms) {
    write_as(form, whole, path);
    const std::optional<dag::VoxelScene> scene = paged(2 << 20);
    ASSERT_TRUE(scene);
    tbb::parallel_for(uint64_t{0}, uint64_t{64}, [&](uint64_t task) {
      Random random(task);
      for (int i = 0; i < 50; ++i) {
        const uint32_t x = random.below(kSide), y = random.below(kSide), z = random.below(kSide);
        ASSERT_EQ(dag::voxel_at(whole.dag, x, y, z), dag::voxel_at(scene->dag, x, y, z));
      }
    });
    EXPECT_NO_THROW(throw_late_error());
  }
}

TEST_F(PagedScene, SmallAndEmptyScenesAreReadToo) {
  dag::VoxelScene nothing = sample_scene(37);
  nothing.dag = dense_dag(37, true, nowhere);
  for (const dag::VoxelScene& whole : {sample_scene(), sample_scene(4), sample_scene(5, false), nothing})
    for (const StoredForm form : kStoredForms) {
      write_as(form, whole, path);
      const std::optional<dag::VoxelScene> scene = paged(1);
      ASSERT_TRUE(scene);
      expect_equal_scenes(whole, *scene);
      expect_equal_scenes(whole, read_scene(path));
    }
}

TEST_F(PagedScene, WhatMustBeReadAsAWholeIsNotPaged) {
  write_scene(sample_scene(), path, {}, {}, kOldestSceneVersion);
  EXPECT_FALSE(paged(1));
}

// Level 5 has two runs of nodes from start to start.
TEST_F(PagedScene, LongNumbersThatAreWrongAreErrors) {
  using Starts = std::vector<uint64_t>;
  const dag::VoxelScene whole = noise(false);
  ASSERT_GT(whole.dag.levels[5].nodes, dag::kStartEvery);
  const std::vector<std::pair<std::string, std::function<void(Words&, Starts&)>>> damages = {
      {"points to a node of level 6 that does not exist", [](Words& words, Starts&) { words[2] = 1; }},
      {"points to node 4294967295 of level 6", [](Words& words, Starts&) { words[1] = UINT32_MAX; }},
      {"", [](Words& words, Starts&) { words[0] ^= 1; }},
      {"", [](Words& words, Starts&) { words[0] = 0; }},
      {"", [](Words& words, Starts&) { words.back() = 0xff; }},
      {"cannot have", [](Words& words, Starts&) { words.pop_back(); }},
      {"", [](Words& words, Starts&) { words.resize(words.size() - 2); }},
      {"", [](Words& words, Starts&) { words.resize(words.size() + 2, 0); }},
      {"cannot end at", [](Words& words, Starts&) { words.resize(words.size() / 2); }},
      {"cannot start at", [](Words&, Starts& starts) { starts[1] += 1; }},
      {"", [](Words&, Starts& starts) { starts[1] -= 17; }},
      {"cannot end at", [](Words&, Starts& starts) { starts[1] = 0; }},
      {"cannot end at", [](Words&, Starts& starts) { starts[1] = UINT64_MAX - 1; }},
      {"cannot have these", [](Words&, Starts& starts) { starts[0] = 18; }},
      {"cannot have these", [](Words&, Starts& starts) { starts.pop_back(); }}};
  for (size_t i = 0; i < damages.size(); ++i) {
    write_long_numbers(whole, path, [&](uint32_t level, Words& words, Starts& starts) {
      if (level == 5) damages[i].second(words, starts);
    });
    const auto expect_error = [&](const auto& read) {
      try {
        read();
        ADD_FAILURE() << "damage " << i;
      } catch (const Error& error) {
        const std::string text = error.what();
        EXPECT_EQ(text.find(path.string()), 0u) << text;
        EXPECT_NE(text.find(damages[i].first), std::string::npos) << text;
      }
    };
    expect_error([&] { read_scene(path); });
    expect_error([&] {
      dag::compute_digest(paged(1)->dag);
      throw_late_error();
    });
  }
}

// Damage is an error, or it changes nothing that is read. It never leads a walk out of the scene.
TEST_F(PagedScene, DamagedBytesAreAnErrorOrTheSceneAsItWas) {
  const dag::VoxelScene whole = noise(true);
  for (const StoredForm form : kStoredForms) {
    write_as(form, whole, path);
    std::vector<fs::path> files = named_parts(path);
    if (files.empty()) files.push_back(path);
    Random random(11);
    int errors = 0;
    for (int round = 0; round < 20; ++round) {
      const fs::path& file = files[random.below(static_cast<uint32_t>(files.size()))];
      const std::string bytes = read_bytes(file);
      std::string damaged = bytes;
      damaged[random.below(static_cast<uint32_t>(damaged.size()))] ^=
          static_cast<char>(1 + random.below(255));
      write_bytes(file, damaged);
      try {
        const std::optional<dag::VoxelScene> scene = paged(1 << 20);
        ASSERT_TRUE(scene);
        uint64_t voxels = 0;
        dag::for_each_leaf(
            scene->dag, cube_at({0, 0, 0}, scene->dag.side()),
            [&](Int3, uint64_t mask, const uint32_t*) { voxels += static_cast<uint64_t>(popcount(mask)); });
        throw_late_error();
        EXPECT_EQ(voxels, whole.dag.voxels);
      } catch (const Error& error) {
        ++errors;
        EXPECT_NE(std::string(error.what()).find("/scene."), std::string::npos) << error.what();
      }
      write_bytes(file, bytes);
    }
    EXPECT_GT(errors, 10);
  }
}

}  // namespace
}  // namespace vox
