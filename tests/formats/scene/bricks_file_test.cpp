// Tests bricks in scene files: reading gives back what was written, and damaged bricks are refused.
#include <hdf5.h>

#include "formats/scene/any_scene.h"
#include "formats/scene/scene_file.h"
#include "libvox/base/error.h"
#include "libvox/bricks/sparse_root.h"
#include "libvox/dag/walk.h"
#include "tests/bricks/brick_volumes.h"
#include "tests/common/random.h"
#include "tests/common/test_engine.h"
#include "tests/formats/voxels/export_scenes.h"

namespace vox {
namespace {

using namespace testing_bricks;
using testing_export::ExportTest;

const FileOrigin kOrigin = {"vox 0.1.0", "vox-convert x.raw", "2024-05-06T07:08:09Z"};

bricks::FrozenBricks mixed_bricks(volume::ValueType type) {
  volume::Volume volume = mixed_volume({40, 25, 30}, type, 1);
  volume.info.spacing = {0.5, -1, 2};
  volume.info.origin = {1e9, -3, 0.1};
  return bricks::build_bricks(test_engine()->handle(), volume, {.log2_side = 3, .threshold = {}}).bricks;
}

void expect_equal(const bricks::FrozenBricks& a, const bricks::FrozenBricks& b) {
  EXPECT_EQ(a.info.size, b.info.size);
  EXPECT_EQ(a.info.type, b.info.type);
  EXPECT_EQ(a.info.spacing, b.info.spacing);
  EXPECT_EQ(a.info.origin, b.info.origin);
  EXPECT_EQ(a.info.source, b.info.source);
  EXPECT_EQ(a.background, b.background);
  EXPECT_EQ(a.log2_side, b.log2_side);
  EXPECT_EQ(a.entry_words, b.entry_words);
  EXPECT_EQ(a.filled, b.filled);
  EXPECT_EQ(a.root, b.root);
  EXPECT_EQ(a.place_log2, b.place_log2);
  EXPECT_EQ(a.groups.top, b.groups.top);
  EXPECT_EQ(a.groups.blocks, b.groups.blocks);
  EXPECT_EQ(a.groups.lists, b.groups.lists);
  EXPECT_EQ(a.data, b.data);
  EXPECT_EQ(a.counts, b.counts);
  EXPECT_EQ(a.allowed_types, b.allowed_types);
  EXPECT_EQ(a.slope, b.slope);
}

class BricksFile : public ExportTest {
 protected:
  std::string problem() const {
    try {
      read_bricks(path("a.h5"));
      return "none";
    } catch (const Error& error) {
      return error.what();
    }
  }
  // Returns the error after a change of the file through the HDF5 library.
  template <class Change>
  std::string problem_after(const Change& change) const {
    write_bricks(mixed_bricks(volume::ValueType::U8), kOrigin, path("a.h5"));
    const hid_t file = H5Fopen(path("a.h5").c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
    change(file);
    H5Fclose(file);
    return problem();
  }
  template <class T>
  static auto attribute(const char* name, hid_t type, std::vector<T> values) {
    return [=](hid_t file) {
      H5Adelete_by_name(file, "/bricks", name, H5P_DEFAULT);
      const hsize_t count = values.size();
      const hid_t space = count == 1 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &count, nullptr);
      const hid_t attribute =
          H5Acreate_by_name(file, "/bricks", name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
      H5Awrite(attribute, type, values.data());
      H5Aclose(attribute);
      H5Sclose(space);
    };
  }
  static std::vector<uint32_t> words_of(hid_t dataset) {
    const hid_t space = H5Dget_space(dataset);
    std::vector<uint32_t> words(static_cast<size_t>(H5Sget_simple_extent_npoints(space)));
    H5Sclose(space);
    H5Dread(dataset, H5T_NATIVE_UINT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, words.data());
    return words;
  }
  // Returns a change of a file that calls change(words) with the words of a dataset.
  template <class Change>
  static auto dataset(const std::string& name, const Change& change) {
    return [=](hid_t file) {
      const hid_t dataset = H5Dopen2(file, ("/bricks/" + name).c_str(), H5P_DEFAULT);
      std::vector<uint32_t> words = words_of(dataset);
      change(words);
      H5Dwrite(dataset, H5T_NATIVE_UINT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, words.data());
      H5Dclose(dataset);
    };
  }
};

TEST_F(BricksFile, GivesBackWhatWasWrittenInEqualBytes) {
  for (const volume::ValueType type :
       {volume::ValueType::U8, volume::ValueType::U16, volume::ValueType::I16, volume::ValueType::F32}) {
    const bricks::FrozenBricks bricks = mixed_bricks(type);
    write_bricks(bricks, kOrigin, path("a.h5"));
    expect_equal(read_bricks(path("a.h5")), bricks);
    const std::string bytes = read_bytes(path("a.h5"));
    write_bricks(bricks, kOrigin, path("a.h5"));
    EXPECT_TRUE(read_bytes(path("a.h5")) == bytes);
  }
}

TEST_F(BricksFile, KeepsASparseRoot) {
  bricks::FrozenBricks bricks = bricks::with_sparse_root(mixed_bricks(volume::ValueType::I16));
  write_bricks(bricks, kOrigin, path("a.h5"));
  expect_equal(read_bricks(path("a.h5")), bricks);
  bricks.groups.top[0] = 2;
  write_bricks(bricks, kOrigin, path("a.h5"));
  EXPECT_NE(problem().find("level 0 of the groups has no block 2"), std::string::npos) << problem();
}

TEST_F(BricksFile, SaysHowTheBricksWereMade) {
  bricks::FrozenBricks bricks = mixed_bricks(volume::ValueType::U8);
  bricks.allowed_types = bricks::kThesisBrickTypes;
  bricks.slope = 0.25;
  write_bricks(bricks, kOrigin, path("a.h5"));
  expect_equal(read_bricks(path("a.h5")), bricks);
  bricks.slope = -1;
  write_bricks(bricks, kOrigin, path("a.h5"));
  EXPECT_NE(problem().find("slope is not 0 or more"), std::string::npos);
}

TEST_F(BricksFile, FromBeforeThatWasSaidAreOfAllTypesOrForSpeed) {
  const auto forget = [](hid_t file) { H5Adelete_by_name(file, "/bricks", "allowed_types", H5P_DEFAULT); };
  EXPECT_EQ(problem_after(forget), "none");
  EXPECT_EQ(read_bricks(path("a.h5")).allowed_types, bricks::kAllBrickTypes);
  const volume::Volume volume = mixed_volume({40, 25, 30}, volume::ValueType::U8, 1);
  const bricks::BricksOptions fast = {.log2_side = 3, .types = bricks::kFastBrickTypes, .threshold = {}};
  write_bricks(bricks::build_bricks(test_engine()->handle(), volume, fast).bricks, kOrigin, path("a.h5"));
  const hid_t file = H5Fopen(path("a.h5").c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  forget(file);
  H5Fclose(file);
  EXPECT_EQ(read_bricks(path("a.h5")).allowed_types, bricks::kFastBrickTypes);
}

TEST_F(BricksFile, KeepsTheBackgroundAndLongEntries) {
  bricks::FrozenBricks bricks = mixed_bricks(volume::ValueType::I16);
  bricks.background = 0xfc00;  // -1024
  Words wide;
  for (const uint32_t entry : bricks.root) {
    wide.push_back(entry);
    wide.push_back(0);
  }
  bricks.root = wide;
  bricks.entry_words = 2;
  write_bricks(bricks, kOrigin, path("a.h5"));
  expect_equal(read_bricks(path("a.h5")), bricks);
}

TEST_F(BricksFile, LiesBesideTheSceneOrAlone) {
  const dag::VoxelScene scene =
      testing_export::known_scene(37, testing_export::Materials::Sixteen, testing_export::noise_grid(1))
          .scene;
  const bricks::FrozenBricks bricks = bricks::build_bricks(test_engine()->handle(), dag::scene_volume(scene),
                                                           {.log2_side = 3, .threshold = {}})
                                          .bricks;
  write_scene(scene, path("a.h5"), {.bricks = &bricks});
  expect_equal(read_bricks(path("a.h5")), bricks);
  EXPECT_EQ(read_scene(path("a.h5")).dag.digest, scene.dag.digest);
  EXPECT_TRUE(scene_file_parts(path("a.h5")).dag && scene_file_parts(path("a.h5")).bricks);

  write_scene(scene, path("a.h5"));
  EXPECT_NE(problem().find("holds no bricks"), std::string::npos) << problem();
  write_bricks(bricks, kOrigin, path("a.h5"));
  EXPECT_FALSE(scene_file_parts(path("a.h5")).dag);
  try {
    read_scene(path("a.h5"));
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("holds the bricks of a volume"), std::string::npos);
  }
}

TEST_F(BricksFile, OfASceneAloneGiveTheSceneBack) {
  dag::VoxelScene scene =
      testing_export::known_scene(37, testing_export::Materials::Sixteen, testing_export::noise_grid(1))
          .scene;
  scene.up = dag::UpAxis::Z;
  scene.unit = scene::LengthUnit::Meter;
  scene.origin = {1, 2, 3};
  scene.voxel_size = {1, 2, 100};
  const bricks::FrozenBricks bricks = bricks::build_bricks(test_engine()->handle(), dag::scene_volume(scene),
                                                           {.log2_side = 3, .threshold = {}})
                                          .bricks;
  for (const bricks::FrozenBricks& form : {bricks, bricks::with_sparse_root(bricks)}) {
    write_bricks(form, kOrigin, path("a.h5"), &scene);
    const dag::VoxelScene read =
        read_any_scene(path("a.h5"), {.device = "cpu"}, SceneForm::Any, Damage::Refused);
    EXPECT_EQ(read.dag.digest, scene.dag.digest);
    EXPECT_EQ(read.dag.voxels, scene.dag.voxels);
    EXPECT_EQ(read.up, scene.up);
    EXPECT_EQ(read.unit, scene.unit);
    EXPECT_EQ(read.origin, scene.origin);
    EXPECT_EQ(read.voxel_size, scene.voxel_size);
    EXPECT_EQ(read.palette.colors, scene.palette.colors);
    EXPECT_EQ(read.command, kOrigin.command);
  }
  scene.palette.count = 3;  // fewer than the materials
  write_bricks(bricks, kOrigin, path("a.h5"), &scene);
  EXPECT_THROW(read_any_scene(path("a.h5"), {.device = "cpu"}, SceneForm::Any, Damage::Refused), Error);
  write_bricks(bricks, kOrigin, path("a.h5"));
  EXPECT_THROW(read_any_scene(path("a.h5"), {.device = "cpu"}, SceneForm::Any, Damage::Refused), Error);
  EXPECT_THROW(read_any_scene(path("a.h5"), {.device = "cpu"}, SceneForm::Bricks, Damage::Refused), Error);
}

TEST_F(BricksFile, WithMaterialsThatThePaletteLacksIsFoundByVerify) {
  dag::VoxelScene scene =
      testing_export::known_scene(37, testing_export::Materials::Sixteen, testing_export::noise_grid(1))
          .scene;
  const bricks::FrozenBricks bricks = bricks::build_bricks(test_engine()->handle(), dag::scene_volume(scene),
                                                           {.log2_side = 3, .threshold = {}})
                                          .bricks;
  for (const uint32_t count : {0u, 16u}) {
    scene.palette.count = count;
    write_bricks(bricks, kOrigin, path("a.h5"), &scene);
    EXPECT_NO_THROW(verify_bricks(bricks, path("a.h5"))) << count;
  }
  scene.palette.count = 3;
  write_bricks(bricks, kOrigin, path("a.h5"), &scene);
  EXPECT_THROW(verify_bricks(bricks, path("a.h5")), Error);
}

TEST_F(BricksFile, RefusesAttributesThatCannotBe) {
  const auto u32 = [](const char* name, std::vector<uint32_t> values) {
    return attribute(name, H5T_NATIVE_UINT32, std::move(values));
  };
  const auto f64 = [](const char* name, std::vector<double> values) {
    return attribute(name, H5T_NATIVE_DOUBLE, std::move(values));
  };
  const std::vector<std::pair<std::string, std::string>> cases = {
      {problem_after(u32("brick_side", {12})), "bricks of 12 voxels a side"},
      {problem_after(u32("brick_side", {1024})), "bricks of 1024 voxels a side"},
      {problem_after(u32("brick_side", {16})), "words for the"},
      {problem_after(u32("entry_words", {3})), "words for the"},
      {problem_after(u32("entry_words", {0})), "words for the"},
      {problem_after(u32("size", {0, 25, 30})), "the size is 0 x 25 x 30"},
      {problem_after(u32("size", {0xffffffff, 25, 30})), "expected 1 to 1048576"},
      {problem_after(u32("size", {1 << 20, 1 << 20, 1 << 20})), "words for the"},
      {problem_after(f64("background", {0.5})), "which no u8 is"},
      {problem_after(f64("background", {1e300})), "which no u8 is"},
      {problem_after(f64("spacing", {1, NAN, 1})), "spacing is not finite"},
      {problem_after([](hid_t file) { H5Adelete_by_name(file, "/bricks", "filled", H5P_DEFAULT); }),
       "attribute filled: is missing"},
      {problem_after([](hid_t file) { H5Ldelete(file, "/bricks/root", H5P_DEFAULT); }), "/bricks/root"},
      {problem_after([](hid_t file) { H5Ldelete(file, "/bricks/masked", H5P_DEFAULT); }), "/bricks/masked"}};
  for (const auto& [found, expected] : cases)
    EXPECT_NE(found.find(expected), std::string::npos) << found << ", not " << expected;
}

TEST_F(BricksFile, RefusesTypesAndPlacesThatCannotBe) {
  const auto root = [](auto change) { return dataset("root", change); };
  EXPECT_NE(problem_after(root([](auto& words) { words[3] |= 0xf; })).find("of type 15"), std::string::npos);
  EXPECT_NE(problem_after(root([](auto& words) { words[3] |= 0xfffffff0; })).find("does not stay inside"),
            std::string::npos);
}

// Damaged words must be refused, or every voxel must be readable. The sanitizer checks that reading stays
// inside the words.
TEST_F(BricksFile, DamagedWordsAreRefusedOrHarmless) {
  Random random(1);
  for (int i = 0; i < 60; ++i) {
    const uint32_t type = random.below(bricks::kBrickTypeCount);
    const std::string name = type == 0 ? "root" : std::string(bricks::BrickTypes::kNames[type]);
    problem_after(dataset(name, [&](auto& words) {
      for (int k = 0; k < 5 && !words.empty(); ++k)
        words[random.below(static_cast<uint32_t>(words.size()))] ^= 1u << random.below(32);
    }));
    try {
      all_values(bricks::bricks_volume(read_bricks(path("a.h5"))));
    } catch (const Error&) {
    }
  }
}

TEST_F(BricksFile, NumbersOfTypesAreThoseOfTheFile) {
  write_bricks(mixed_bricks(volume::ValueType::U8), kOrigin, path("a.h5"));
  const bricks::FrozenBricks before = read_bricks(path("a.h5"));
  // In the file, the names of types 1 and 2 are exchanged, and so are these numbers in its root grid.
  problem_after([](hid_t file) {
    const hid_t names = H5Dopen2(file, "/bricks/types", H5P_DEFAULT), type = H5Dget_type(names);
    const size_t length = H5Tget_size(type);
    std::string texts(length * bricks::kBrickTypeCount, '\0');
    H5Dread(names, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, texts.data());
    std::swap_ranges(texts.begin() + long(length), texts.begin() + long(2 * length),
                     texts.begin() + long(2 * length));
    H5Dwrite(names, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, texts.data());
    H5Tclose(type);
    H5Dclose(names);
    dataset("root", [](auto& words) {
      for (uint32_t& word : words)
        if ((word & 15) == 1 || (word & 15) == 2) word ^= 3;
    })(file);
  });
  expect_equal(read_bricks(path("a.h5")), before);
}

}  // namespace
}  // namespace vox
