#include "formats/io/compression.h"

#include <gtest/gtest.h>
#include <hdf5.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <numeric>
#include <random>
#include <string>

#include "formats/scene/h5_words.h"
#include "formats/scene/scene_file.h"
#include "libvox/base/error.h"
#include "tests/dag/dense_dag.h"

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

}  // namespace
}  // namespace vox
