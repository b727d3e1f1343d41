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
#include <memory>
#include <random>
#include <string>

#include "formats/io/h5.h"
#include "formats/scene/any_scene.h"
#include "formats/scene/groups.h"
#include "libvox/base/error.h"
#include "libvox/base/paged_memory.h"
#include "libvox/dag/frozen_dag.h"
#include "libvox/ranks/ranks.h"
#include "tests/dag/dense_dag.h"
#include "tests/formats/scene/scene_file_fixture.h"

namespace vox {
namespace {

TEST_F(SceneFile, GivesBackWhatWasWritten) {
  for (bool materials : {false, true})
    for (uint32_t resolution : {4u, 5u, 60u, 64u}) {
      dag::VoxelScene scene = sample_scene(resolution, materials);
      write_scene(scene, path);
      dag::VoxelScene read = read_scene(path);
      expect_equal_scenes(scene, read);
      EXPECT_NO_THROW(dag::verify(read.dag));
    }
}

TEST_F(SceneFile, AnEmptySceneIsAScene) {
  dag::VoxelScene scene;
  scene.dag = dag::empty_dag(1000, true);
  write_scene(scene, path);
  expect_equal_scenes(scene, read_scene(path));
  EXPECT_EQ(problem(), "none");
}

// The sample has all 16 materials.
TEST_F(SceneFile, WithMaterialsThatThePaletteLacksIsFoundByVerify) {
  dag::VoxelScene scene = sample_scene();
  for (const uint32_t count : {0u, 3u, 15u, 16u}) {
    scene.palette.count = count;
    write_scene(scene, path);
    const std::string expected =
        count == 0 || count == 16
            ? "none"
            : path.string() + ": a leaf has the material 15, but the palette has only the entries 0 to " +
                  std::to_string(count - 1);
    for (const bool is_paged : {false, true}) {
      const dag::VoxelScene read =
          is_paged ? *read_paged_scene(path, std::make_shared<PagedBudget>(1 << 20)) : read_scene(path);
      EXPECT_EQ(read.dag.paged, is_paged);
      for (const uint32_t rank_count : {1u, 3u}) {
        std::string found = "none";
        try {
          ranks::run_thread_ranks(rank_count, [&](ranks::Ranks& ranks) {
            verify_scene(read, {}, path, {.device = "cpu"}, ranks);
          });
        } catch (const Error& error) {
          found = error.what();
        }
        EXPECT_EQ(found, expected) << count << ' ' << is_paged << ' ' << rank_count;
      }
    }
  }
}

TEST_F(SceneFile, LongTextsAndManyEditsFit) {
  dag::VoxelScene scene = sample_scene();
  scene.command = std::string(100'000, 'c');
  scene.source = std::string(70'000, 's');
  for (int i = 0; i < 300; ++i) scene.history.push_back({"step " + std::to_string(i), "now", {5, 6}});
  scene.history.push_back({std::string(3'000'000, 'h'), "now", {7, 8}});
  write_scene(scene, path);
  expect_equal_scenes(scene, read_scene(path));
}

TEST_F(SceneFile, NamesOfTheMeshAreKept) {
  dag::VoxelScene scene = sample_scene();
  scene.palette.members = {{"wall", 2}, {"", 0}, {std::string(100'000, 'n'), 15}, {"wänd", 2}};
  write_scene(scene, path);
  EXPECT_EQ(read_scene(path).palette.members, scene.palette.members);
  scene.palette.members = {{std::string("a\0b", 3), 1}};
  write_scene(scene, path);
  EXPECT_EQ(read_scene(path).palette.members, (std::vector<scene::NamedEntry>{{"a b", 1}}));
}

TEST_F(SceneFile, NamesOfColorsAreKept) {
  dag::VoxelScene scene = sample_scene();
  scene.named_colors = {{"wall", {1, 2, 3}, {"north", "south"}},
                        {"", {0, 0, 0}},
                        {std::string(100'000, 'n'), {255, 0, 9}, {"x"}}};
  write_scene(scene, path);
  const auto read = read_scene(path).named_colors;
  ASSERT_EQ(read.size(), 3u);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(read[i].name, scene.named_colors[i].name);
    EXPECT_EQ(read[i].color, scene.named_colors[i].color);
    EXPECT_EQ(read[i].members, scene.named_colors[i].members);
  }
  scene.named_colors[1].color = {1, 2, 3};
  write_scene(scene, path);
  try {
    read_scene(path);
    FAIL() << "a color of two materials was read";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("the color #010203 twice"), std::string::npos) << error.what();
  }
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
  const Compression same_bytes = {.level = kFastestDeflate + 1};  // formats/io/compression.h
  write_scene(sample_scene(), path, {}, same_bytes);
  std::string first = read_bytes(path);
  write_scene(sample_scene(), folder / "again.h5", {}, same_bytes);
  EXPECT_EQ(first, read_bytes(folder / "again.h5"));
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
  EXPECT_EQ(message(path), path.string() + ": the file is empty");
  write_bytes(path, "text");
  EXPECT_EQ(message(path), path.string() + ": is no HDF5 file, so no scene file");
  H5Fclose(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
  EXPECT_EQ(message(path), path.string() + ": is an HDF5 file, but no vox scene");
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
      {"/palette", "count", H5T_STD_U32LE, 17, "17 colors"},
      {"/svdag/level_01/words", "nodes", H5T_STD_U64LE, 9, "/svdag: level 1, word "},
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

}  // namespace
}  // namespace vox
