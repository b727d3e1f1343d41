#include "formats/scene/scene_file.h"

#include <gtest/gtest.h>
#include <hdf5.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <random>
#include <string>

#include "formats/io/h5.h"
#include "formats/scene/h5_words.h"
#include "libvox/base/error.h"
#include "libvox/dag/word_offsets.h"
#include "tests/dag/dense_dag.h"
#include "tests/dag/same_dag.h"

namespace vox {
namespace {

namespace fs = std::filesystem;

dag::VoxelScene sample_scene(uint32_t resolution = 64, bool materials = true) {
  dag::VoxelScene scene;
  scene.dag = dense_dag(resolution, materials, [](uint32_t x, uint32_t y, uint32_t z) {
    uint32_t height = 20 + x * y % 7 + (x + z) / 5;
    return y == height || (x > 40 && y > 40) ? static_cast<int>((x / 7 + z / 9) % 16) : dag::kEmptyVoxel;
  });
  scene.palette.count = 3;
  for (size_t i = 0; i < scene::kPaletteSize; ++i) {
    auto c = static_cast<uint8_t>(i);
    scene.palette.colors[i] = {c, static_cast<uint8_t>(2 * c), static_cast<uint8_t>(255 - c)};
    scene.palette.names[i] = i < 3 ? "Dächer " + std::to_string(i) : "";
    scene.shares[i] = i < 3 ? 1.0 / 3 : 0;
  }
  scene.origin = {-1.5, 0.1, 1e9};
  scene.voxel_size = 0.1;
  scene.up = dag::UpAxis::Z;
  scene.coverage = scene::Coverage::Thin;
  scene.solid = true;
  scene.source = "village.obj";
  scene.generator = "vox 0.1.0";
  scene.command = "vox-convert village.obj --res 64";
  scene.created = "2024-05-06T07:08:09Z";
  scene.history = {{"fill sphere 1 2 3", "2024-05-06T07:08:10Z", {1, 2}},
                   {std::string(5000, 'x') + "\nsecond line", "2024-05-06T07:08:11Z", {UINT64_MAX, 3}}};
  return scene;
}

void expect_equal(const dag::VoxelScene& a, const dag::VoxelScene& b) {
  vox::expect_equal(a.dag, b.dag);
  EXPECT_EQ(a.palette.count, b.palette.count);
  EXPECT_EQ(a.palette.colors, b.palette.colors);
  EXPECT_EQ(a.palette.names, b.palette.names);
  EXPECT_EQ(a.shares, b.shares);
  EXPECT_EQ(a.origin, b.origin);
  EXPECT_EQ(a.voxel_size, b.voxel_size);
  EXPECT_EQ(a.up, b.up);
  EXPECT_EQ(a.coverage, b.coverage);
  EXPECT_EQ(a.solid, b.solid);
  EXPECT_EQ(a.source, b.source);
  EXPECT_EQ(a.generator, b.generator);
  EXPECT_EQ(a.command, b.command);
  EXPECT_EQ(a.created, b.created);
  ASSERT_EQ(a.history.size(), b.history.size());
  for (size_t i = 0; i < a.history.size(); ++i) {
    EXPECT_EQ(a.history[i].script, b.history[i].script);
    EXPECT_EQ(a.history[i].time, b.history[i].time);
    EXPECT_EQ(dag::to_string(a.history[i].digest), dag::to_string(b.history[i].digest));
  }
}

std::string file_bytes(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write_bytes(const fs::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

class SceneFile : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::UnitTest::GetInstance()->current_test_info()->name();
    folder = fs::path(testing::TempDir()) / ("scene_file_" + name + std::to_string(getpid()));
    fs::create_directories(folder);
    path = folder / "scene.h5";
  }
  void TearDown() override { fs::remove_all(folder); }

  std::string problem() const {
    try {
      dag::verify(read_scene(path).dag);
      return "none";
    } catch (const Error& error) {
      return error.what();
    }
  }

  // Returns the error after a change of the file through the HDF5 library.
  template <class Change>
  std::string problem_after(Change change) const {
    write_scene(sample_scene(), path);
    hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
    change(file);
    H5Fclose(file);
    return problem();
  }

  size_t files_in_folder() const {
    return static_cast<size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
  }

  fs::path folder, path;
};

TEST_F(SceneFile, GivesBackWhatWasWritten) {
  for (bool materials : {false, true})
    for (uint32_t resolution : {4u, 5u, 60u, 64u}) {
      dag::VoxelScene scene = sample_scene(resolution, materials);
      write_scene(scene, path);
      dag::VoxelScene read = read_scene(path);
      expect_equal(scene, read);
      EXPECT_NO_THROW(dag::verify(read.dag));
    }
}

TEST_F(SceneFile, AnEmptySceneIsAScene) {
  dag::VoxelScene scene;
  scene.dag = dag::empty_dag(1000, true);
  write_scene(scene, path);
  expect_equal(scene, read_scene(path));
  EXPECT_EQ(problem(), "none");
}

TEST_F(SceneFile, LongTextsAndManyEditsFit) {
  dag::VoxelScene scene = sample_scene();
  scene.command = std::string(100'000, 'c');
  scene.source = std::string(70'000, 's');
  for (int i = 0; i < 300; ++i) scene.history.push_back({"step " + std::to_string(i), "now", {5, 6}});
  scene.history.push_back({std::string(3'000'000, 'h'), "now", {7, 8}});
  write_scene(scene, path);
  expect_equal(scene, read_scene(path));
}

// A level has more than one chunk, and the last one is not full. The words are random and not a DAG:
// write_scene() does not check this, but read_scene() would, so only the dataset is read.
TEST_F(SceneFile, LevelsOfSeveralChunksAreReadBack) {
  dag::VoxelScene scene;
  scene.dag = dag::empty_dag(4, false);
  Words& words = scene.dag.levels[0].words;
  words.resize(700'001);
  std::mt19937 random(1);
  for (uint32_t& word : words) word = static_cast<uint32_t>(random());
  write_scene(scene, path);
  h5::Object file = h5::open_file(path);
  h5::Object dataset = h5::open_dataset(h5::open_group(h5::open_group(file, "svdag"), "level_00"), "words");
  EXPECT_EQ(h5::read_words(dataset), words);
  Words read(words.size());  // read by the library's own filters
  EXPECT_GE(H5Dread(dataset.id, H5T_NATIVE_UINT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, read.data()), 0);
  EXPECT_EQ(read, words);
}

TEST_F(SceneFile, EqualScenesGiveEqualBytes) {
  const Compression same_bytes = {.level = kFastestDeflate + 1};  // formats/io/deflate.h
  write_scene(sample_scene(), path, {}, same_bytes);
  std::string first = file_bytes(path);
  write_scene(sample_scene(), folder / "again.h5", {}, same_bytes);
  EXPECT_EQ(first, file_bytes(folder / "again.h5"));
}

TEST_F(SceneFile, IsKnownByItsContent) {
  write_scene(sample_scene(), path);
  EXPECT_TRUE(is_scene_file(path));
  write_bytes(folder / "mesh.h5", "v 0 0 0\n");
  EXPECT_FALSE(is_scene_file(folder / "mesh.h5"));
  EXPECT_FALSE(is_scene_file(folder / "missing"));
  EXPECT_FALSE(is_scene_file(folder));
}

TEST_F(SceneFile, WhatIsNoSceneFileIsRefusedByName) {
  auto message = [&](const fs::path& file) -> std::string {
    try {
      read_scene(file);
      return "none";
    } catch (const Error& error) {
      return error.what();
    }
  };
  EXPECT_EQ(message(path), path.string() + ": no such file");
  EXPECT_EQ(message(folder), folder.string() + ": is a folder, expected a scene file");
  write_bytes(path, "");
  EXPECT_EQ(message(path), path.string() + ": is no HDF5 file, so no scene file");
  H5Fclose(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
  EXPECT_EQ(message(path), path.string() + ": is an HDF5 file, but no vox scene");
}

template <class T>
void replace_attribute(hid_t file, const char* object, const char* name, hid_t type, T value) {
  H5Adelete_by_name(file, object, name, H5P_DEFAULT);
  hid_t space = H5Screate(H5S_SCALAR);
  hid_t attribute = H5Acreate_by_name(file, object, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  hid_t memory = std::is_same_v<T, double> ? H5T_NATIVE_DOUBLE : H5T_NATIVE_UINT64;
  H5Awrite(attribute, memory, &value);
  H5Aclose(attribute);
  H5Sclose(space);
}

TEST_F(SceneFile, AttributesAreChecked) {
  struct Case {
    const char *object, *name;
    hid_t type;
    uint64_t value;
    const char* expected;
  };
  const Case cases[] = {
      {"/", "version", H5T_STD_U32LE, 3, "is a scene file of version 3, this program reads versions 1 to 2"},
      {"/", "digest", H5T_STD_U32LE, 2, "attribute digest: expected a text"},
      {"/scene", "resolution", H5T_STD_U32LE, 3, "the resolution is 3, expected 4 to 1048576"},
      {"/scene", "resolution", H5T_STD_U32LE, 1048577, "the resolution is 1048577"},
      {"/scene", "resolution", H5T_STD_U32LE, 32, "the depth is 4, expected 3"},
      {"/scene", "resolution", H5T_STD_U64LE, 64, "/scene, attribute resolution: has another type"},
      {"/scene", "material_bits", H5T_STD_U32LE, 8, "8 bits for each material"},
      {"/scene", "solid", H5T_STD_U8LE, 2, "solid is 2"},
      {"/scene", "voxels", H5T_STD_U64LE, 12, "the number of voxels is 12, but"},
      {"/scene", "origin", H5T_IEEE_F64LE, 0, "attribute origin: has 1 values, expected 3"},
      {"/palette", "count", H5T_STD_U32LE, 17, "17 colours"},
      {"/svdag/level_01/words", "nodes", H5T_STD_U64LE, 9, "/svdag: level 1: "},
  };
  for (const Case& c : cases) {
    std::string message =
        problem_after([&](hid_t file) { replace_attribute(file, c.object, c.name, c.type, c.value); });
    EXPECT_NE(message.find(c.expected), std::string::npos) << c.name << ": " << message;
  }
  for (double size : {0.0, -1.0, HUGE_VAL, std::nan("")}) {
    std::string message = problem_after(
        [&](hid_t file) { replace_attribute(file, "/scene", "voxel_size", H5T_IEEE_F64LE, size); });
    EXPECT_NE(message.find("the voxel size is"), std::string::npos) << message;
  }
  EXPECT_NE(problem_after([](hid_t file) {
              H5Adelete_by_name(file, "/scene", "up", H5P_DEFAULT);
            }).find("/scene, attribute up: is missing"),
            std::string::npos);
}

// Replaces the words of a level by others, in a dataset with these properties.
void replace_words(hid_t file, const char* name, hid_t type, std::vector<hsize_t> dims, hid_t properties,
                   const Words& words) {
  hid_t old = H5Dopen2(file, name, H5P_DEFAULT);
  uint64_t counts[2] = {};
  const char* attributes[2] = {"nodes", "svo_nodes"};
  for (int i : {0, 1}) {
    hid_t attribute = H5Aopen(old, attributes[i], H5P_DEFAULT);
    H5Aread(attribute, H5T_NATIVE_UINT64, &counts[i]);
    H5Aclose(attribute);
  }
  H5Dclose(old);
  H5Ldelete(file, name, H5P_DEFAULT);
  hid_t space = H5Screate_simple(static_cast<int>(dims.size()), dims.data(), nullptr);
  hid_t dataset = H5Dcreate2(file, name, type, space, H5P_DEFAULT, properties, H5P_DEFAULT);
  if (!words.empty()) H5Dwrite(dataset, H5T_NATIVE_UINT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, words.data());
  H5Dclose(dataset);
  H5Sclose(space);
  for (int i : {0, 1}) {
    hid_t scalar = H5Screate(H5S_SCALAR);
    hid_t attribute = H5Acreate_by_name(file, name, attributes[i], H5T_STD_U64LE, scalar, H5P_DEFAULT,
                                        H5P_DEFAULT, H5P_DEFAULT);
    H5Awrite(attribute, H5T_NATIVE_UINT64, &counts[i]);
    H5Aclose(attribute);
    H5Sclose(scalar);
  }
  replace_attribute(file, name, "child_bytes", H5T_STD_U32LE, uint64_t{4});
}

constexpr const char* kLevel3 = "/svdag/level_03/words";

TEST_F(SceneFile, OtherLayoutsAndFiltersAreRead) {
  Words words = sample_scene().dag.levels[3].words;
  for (std::string layout :
       {"contiguous", "compact", "chunked", "deflate", "fletcher32", "shuffle + deflate"}) {
    hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
    hsize_t chunk = 100;
    if (layout == "contiguous") H5Pset_layout(properties, H5D_CONTIGUOUS);
    if (layout == "compact") H5Pset_layout(properties, H5D_COMPACT);
    if (layout != "contiguous" && layout != "compact") H5Pset_chunk(properties, 1, &chunk);
    if (layout == "shuffle + deflate") H5Pset_shuffle(properties);
    if (layout.ends_with("deflate")) H5Pset_deflate(properties, 9);
    if (layout == "fletcher32") H5Pset_fletcher32(properties);
    EXPECT_EQ(problem_after([&](hid_t file) {
                replace_words(file, kLevel3, H5T_STD_U32LE, {words.size()}, properties, words);
              }),
              "none")
        << layout;
    EXPECT_EQ(read_scene(path).dag.levels[3].words, words) << layout;
    H5Pclose(properties);
  }
}

TEST_F(SceneFile, WordsOfWrongTypeShapeOrSizeAreRefused) {
  Words words = sample_scene().dag.levels[3].words;
  hid_t chunked = H5Pcreate(H5P_DATASET_CREATE);
  hsize_t chunk = 100;
  H5Pset_chunk(chunked, 1, &chunk);
  H5Pset_deflate(chunked, 1);
  auto message = [&](hid_t type, std::vector<hsize_t> dims, hid_t properties, Words data) {
    return problem_after([&](hid_t file) { replace_words(file, kLevel3, type, dims, properties, data); });
  };
  auto contains = [](const std::string& text, const char* part) {
    return text.find(part) != std::string::npos ? testing::AssertionSuccess()
                                                : testing::AssertionFailure() << text;
  };
  const char* other = "level_03/words: expected one dimension of 32-bit unsigned words";
  EXPECT_TRUE(contains(message(H5T_STD_U64LE, {words.size()}, H5P_DEFAULT, words), other));
  EXPECT_TRUE(contains(message(H5T_STD_I32LE, {words.size()}, H5P_DEFAULT, words), other));
  EXPECT_TRUE(contains(message(H5T_STD_U32BE, {words.size()}, H5P_DEFAULT, words), other));
  EXPECT_TRUE(contains(message(H5T_STD_U32LE, {words.size(), 1}, H5P_DEFAULT, words), other));
  EXPECT_TRUE(contains(message(H5T_STD_U32LE, {0}, H5P_DEFAULT, {}), "/svdag: level 3: has"));
  // The dataset claims 16 TiB that were never written.
  EXPECT_TRUE(contains(message(H5T_STD_U32LE, {uint64_t{1} << 42}, chunked, {}),
                       "level_03/words: 4398046511104 values cannot be stored in 0 bytes"));
  EXPECT_TRUE(
      contains(message(H5T_STD_U32LE, {UINT64_MAX / 4}, chunked, {}), "values cannot be stored in 0 bytes"));
  words.back() ^= 1;
  EXPECT_FALSE(contains(message(H5T_STD_U32LE, {words.size()}, chunked, words), "none"));
  H5Pclose(chunked);
  EXPECT_TRUE(contains(problem_after([](hid_t file) { H5Ldelete(file, kLevel3, H5P_DEFAULT); }),
                       "/svdag/level_03/words: cannot be read"));
}

TEST_F(SceneFile, APointerOutOfRangeIsFoundOnReading) {
  dag::VoxelScene scene = sample_scene();
  scene.dag.levels[1].words[1] = 1'000'000;
  write_scene(scene, path);
  EXPECT_EQ(problem(), path.string() +
                           ": /svdag: level 1, word 1: points to node 1000000 of level 2, which has only " +
                           std::to_string(scene.dag.levels[2].nodes));
}

TEST_F(SceneFile, TruncatedFilesAreRefused) {
  for (const uint32_t version : {1u, 2u}) {
    write_scene(sample_scene(), path, {}, {}, version);
    std::string bytes = file_bytes(path);
    for (size_t length = 0; length < bytes.size(); length += 1 + bytes.size() / 100) {
      write_bytes(path, bytes.substr(0, length));
      EXPECT_NE(problem(), "none") << length;
    }
  }
}

TEST_F(SceneFile, OfVersion1GivesBackTheSameScene) {
  for (const uint32_t resolution : {4u, 37u, 64u})
    for (const bool materials : {false, true}) {
      const dag::VoxelScene scene = sample_scene(resolution, materials);
      write_scene(scene, path, {}, {}, 1);
      expect_equal(read_scene(path), scene);
      EXPECT_EQ(problem(), "none");
      EXPECT_EQ(read_scene_info(path).version, 1u);
      write_scene(scene, path);
      expect_equal(read_scene(path), scene);
      EXPECT_EQ(read_scene_info(path).version, 2u);
    }
}

// Level 2 of the sample begins with a node, and its second word is not the start of a node.
TEST_F(SceneFile, OfVersion1WithAPointerIntoANodeIsRefused) {
  const dag::VoxelScene scene = sample_scene();
  write_scene(scene, path, {}, {}, 1);
  Words words = dag::words_with_offsets(scene.dag, 1);
  words[1] = 1;
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  replace_words(file, "/svdag/level_01/words", H5T_STD_U32LE, {words.size()}, H5P_DEFAULT, words);
  H5Fclose(file);
  EXPECT_EQ(problem(),
            path.string() + ": /svdag: level 1, word 1: points to word 1 of level 2, where no node starts");
}

TEST_F(SceneFile, StartsAndChildBytesThatAreWrongAreRefused) {
  const auto with_starts = [&](const std::vector<uint64_t>& starts) {
    return problem_after([&](hid_t file) {
      H5Ldelete(file, "/svdag/level_03/starts", H5P_DEFAULT);
      const hsize_t count = starts.size();
      const hid_t space = H5Screate_simple(1, &count, nullptr);
      const hid_t dataset = H5Dcreate2(file, "/svdag/level_03/starts", H5T_STD_U64LE, space, H5P_DEFAULT,
                                       H5P_DEFAULT, H5P_DEFAULT);
      H5Dwrite(dataset, H5T_STD_U64LE, H5S_ALL, H5S_ALL, H5P_DEFAULT, starts.data());
      H5Dclose(dataset);
      H5Sclose(space);
    });
  };
  EXPECT_EQ(with_starts({0}), "none");
  const std::string level = path.string() + ": /svdag: level 3: ";
  EXPECT_EQ(with_starts({1}), level + "its first node starts at word 1, expected 0");
  EXPECT_EQ(with_starts({0, 3}).find(level + "has 2 starts, expected 1 for"), 0u);
  EXPECT_EQ(with_starts({}).find(level + "has 0 starts, expected 1 for"), 0u);
  EXPECT_EQ(problem_after([](hid_t file) {
              H5Ldelete(file, "/svdag/level_03/starts", H5P_DEFAULT);
            }).find(path.string() + ": /svdag/level_03/starts: cannot be read"),
            0u);
  const auto with_child_bytes = [&](uint64_t bytes) {
    return problem_after(
        [&](hid_t file) { replace_attribute(file, kLevel3, "child_bytes", H5T_STD_U32LE, bytes); });
  };
  const std::string words = path.string() + ": " + kLevel3 + ": ";
  EXPECT_EQ(with_child_bytes(4), "none");
  EXPECT_EQ(with_child_bytes(5), words + "child_bytes is 5, expected 4");
  EXPECT_EQ(
      with_child_bytes(8),
      words + "its child pointers have 8 bytes, which this program does not read (a newer vox may read it)");
}

// Returns the places in the file at which the raw data of a dataset lies.
std::vector<std::pair<haddr_t, hsize_t>> chunks_of(const fs::path& path, const std::string& name) {
  std::vector<std::pair<haddr_t, hsize_t>> chunks;
  hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  hid_t dataset = H5Dopen2(file, name.c_str(), H5P_DEFAULT), space = H5Dget_space(dataset);
  hsize_t count = 0, offset[2], size = 0;
  H5Dget_num_chunks(dataset, space, &count);
  for (hsize_t i = 0; i < count; ++i) {
    haddr_t address = 0;
    unsigned mask = 0;
    H5Dget_chunk_info(dataset, space, i, offset, &mask, &address, &size);
    chunks.emplace_back(address, size);
  }
  H5Sclose(space);
  H5Dclose(dataset);
  H5Fclose(file);
  return chunks;
}

// Reads and verifies: returns true for an error, and false if the result is `scene`.
bool is_found_damaged(const fs::path& path, const dag::VoxelScene& scene) {
  try {
    dag::VoxelScene read = read_scene(path);
    dag::verify(read.dag);
    expect_equal(scene, read);
    return false;
  } catch (const Error&) {
    return true;
  }
}

// VOX_TEST_FLIPS can set a larger number than 200 flips.
TEST_F(SceneFile, FlippedBytesGiveAnErrorOrTheSameContent) {
  const dag::VoxelScene scene = sample_scene();
  write_scene(scene, path);
  const std::string bytes = file_bytes(path);
  const char* more = std::getenv("VOX_TEST_FLIPS");
  size_t found = 0, flips = more ? std::stoul(more) : 200;
  std::mt19937 random(7);
  for (size_t i = 0; i < flips; ++i) {
    std::string damaged = bytes;
    size_t at = random() % bytes.size();
    damaged[at] = static_cast<char>(damaged[at] ^ static_cast<char>(1 + random() % 255));
    write_bytes(path, damaged);
    found += is_found_damaged(path, scene);
    ASSERT_FALSE(HasFailure()) << "byte " << at;
  }
  EXPECT_GT(found, flips / 4);  // the other flips fell on unused bytes
}

TEST_F(SceneFile, FlippedBytesOfRawDataAreFound) {
  const dag::VoxelScene scene = sample_scene();
  write_scene(scene, path);
  const std::string bytes = file_bytes(path);
  std::vector<std::string> datasets = {"/palette/colors",    "/palette/names",  "/palette/share",
                                       "/history/script",    "/history/digest", "/history/time",
                                       "/history/script_end"};
  for (int level = 0; level < 5; ++level)
    for (const char* name : {"/words", "/starts"})
      datasets.push_back("/svdag/level_0" + std::to_string(level) + name);
  for (const std::string& name : datasets) {
    write_bytes(path, bytes);
    auto [address, size] = chunks_of(path, name).back();
    hsize_t flips = 0, found = 0;
    for (hsize_t i = 0; i < size; i += 1 + size / 20, ++flips) {
      std::string damaged = bytes;
      damaged[address + i] ^= 0x10;
      write_bytes(path, damaged);
      found += is_found_damaged(path, scene);
      ASSERT_FALSE(HasFailure()) << name << ", byte " << i << " of " << size;
    }
    EXPECT_GE(found + 2, flips) << name;  // a deflated stream has a few unused bits
  }
}

TEST_F(SceneFile, ATargetThatCannotBeWrittenIsAnError) {
  EXPECT_THROW(write_scene(sample_scene(), folder / "missing" / "scene.h5"), Error);
  EXPECT_THROW(write_scene(sample_scene(), folder), Error);
  EXPECT_EQ(files_in_folder(), 0u);
}

// Returns the error of write_scene() in a child process whose files may not exceed `limit` bytes.
std::string problem_on_small_disk(const dag::VoxelScene& scene, const fs::path& path, rlim_t limit) {
  int ends[2];
  if (pipe(ends) != 0) return "no pipe";
  pid_t child = fork();
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    rlimit small = {limit, limit};
    setrlimit(RLIMIT_FSIZE, &small);
    std::string message = "none";
    try {
      write_scene(scene, path);
    } catch (const Error& error) {
      message = error.what();
    }
    [[maybe_unused]] ssize_t written = write(ends[1], message.data(), message.size());
    std::exit(0);  // also runs the HDF5 library's clean-up
  }
  close(ends[1]);
  std::string message(4096, '\0');
  ssize_t length = read(ends[0], message.data(), message.size());
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) return "crashed";
  return message.substr(0, static_cast<size_t>(std::max<ssize_t>(length, 0)));
}

TEST_F(SceneFile, AFullDiskLeavesTheOldFile) {
  dag::VoxelScene scene = sample_scene();
  write_scene(scene, path);
  uint64_t size = fs::file_size(path);
  write_bytes(path, "old");
  for (uint64_t limit : {uint64_t{0}, uint64_t{100}, size / 4, size / 2, size - 1000, size - 1}) {
    std::string message = problem_on_small_disk(scene, path, limit);
    EXPECT_TRUE(message.starts_with(path.string())) << message;
    EXPECT_NE(message.find("File too large"), std::string::npos) << limit << ": " << message;
    EXPECT_EQ(file_bytes(path), "old");
    EXPECT_EQ(files_in_folder(), 1u) << limit;
  }
  EXPECT_EQ(problem_on_small_disk(scene, path, size + 65536), "none");
}

TEST_F(SceneFile, PlainH5pyReadsIt) {
  if (std::system("/usr/bin/python3 -c 'import h5py' > /dev/null 2>&1") != 0) GTEST_SKIP() << "no h5py";
  dag::VoxelScene scene = sample_scene();
  write_scene(scene, path);
  write_bytes(folder / "read.py", R"(
import sys, h5py
f = h5py.File(sys.argv[1])
s = f['scene'].attrs
print(f.attrs['format'].decode(), f.attrs['version'], f.attrs['digest'].decode(), f.attrs['created'].decode())
print(s['resolution'], s['depth'], list(s['origin']), s['voxel_size'], s['up'].decode(),
      s['coverage'].decode(), s['solid'], s['material_bits'], s['voxels'], s['source'].decode())
p = f['palette']
print(p.attrs['count'], p['colors'].shape, p['colors'][2].tolist(), p['names'][2].decode(), p['share'][1])
for name in sorted(f['svdag']):
    w = f['svdag'][name]['words']
    print(name, f['svdag'][name]['starts'][:].tolist(), w.attrs['child_bytes'], w.dtype, w.shape[0], w.attrs['nodes'], w.attrs['svo_nodes'], int(w[:].astype('u8').sum()))
h = f['history']
print(len(h['time']), h['script'][:h['script_end'][0]].tobytes().decode(), h['digest'][1].decode())
)");
  std::string out = (folder / "out").string();
  ASSERT_EQ(
      std::system(
          ("/usr/bin/python3 " + (folder / "read.py").string() + " " + path.string() + " > " + out).c_str()),
      0);
  std::string expected = "vox-scene 2 " + dag::to_string(scene.dag.digest) + " 2024-05-06T07:08:09Z\n" +
                         "64 4 [-1.5, 0.1, 1000000000.0] 0.1 z thin 1 4 " + std::to_string(scene.dag.voxels) +
                         " village.obj\n3 (16, 3) [2, 4, 253] Dächer 2 0.3333333333333333\n";
  for (size_t i = 0; i < 5; ++i) {
    const dag::DagLevel& level = scene.dag.levels[i];
    uint64_t sum = 0;
    for (uint32_t word : level.words) sum += word;
    expected += "level_0" + std::to_string(i) + " [0] 4 uint32 " + std::to_string(level.words.size()) + " " +
                std::to_string(level.nodes) + " " + std::to_string(level.svo_nodes) + " " +
                std::to_string(sum) + "\n";
  }
  expected += "2 fill sphere 1 2 3 0000000000000003ffffffffffffffff\n";
  EXPECT_EQ(file_bytes(out), expected);
}

}  // namespace
}  // namespace vox
