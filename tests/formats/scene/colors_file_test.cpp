// Scene files that hold more than an SVDAG: colors, and the symmetric form.
#include <gtest/gtest.h>
#include <hdf5.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>

#include "formats/scene/any_scene.h"
#include "formats/scene/scene_file.h"
#include "formats/script/scripts.h"
#include "libvox/attributes/octahedral.h"
#include "libvox/base/error.h"
#include "libvox/base/paged_memory.h"
#include "libvox/dag/colors.h"
#include "libvox/dag/digests.h"
#include "tests/common/random.h"
#include "tests/common/test_engine.h"
#include "tests/common/test_process.h"
#include "tests/dag/dense_dag.h"
#include "tests/measure/dense_cubes.h"

namespace vox {
namespace {

class ColorsFile : public testing::Test {
 protected:
  void SetUp() override {
    const std::string name = testing::UnitTest::GetInstance()->current_test_info()->name();
    folder_ = std::filesystem::path(testing::TempDir()) / ("colors_" + name + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
    path_ = folder_ / "scene.h5";
    scene_.dag = dense_dag(64, false, shell);
    std::vector<uint32_t> colors(scene_.dag.voxels);
    for (size_t i = 0; i < colors.size(); ++i) colors[i] = static_cast<uint32_t>(mix64(i / 20)) & 0x3f3fff;
    scene_.colors = attributes::packed_values(colors);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path folder_, path_;
  dag::VoxelScene scene_;
};

TEST_F(ColorsFile, GivesBackWhatWasWrittenInEqualBytes) {
  write_scene(scene_, path_);
  const dag::VoxelScene read = read_scene(path_);
  EXPECT_EQ(read.dag.digest, scene_.dag.digest);
  EXPECT_EQ(read.colors, scene_.colors);
  EXPECT_TRUE(scene_file_parts(path_).colors);
  const std::optional<AttributeInfo> info = read_scene_info(path_).colors;
  ASSERT_TRUE(info);
  EXPECT_EQ(info->bytes, scene_.colors->bytes());
  EXPECT_EQ(info->digest, dag::digest_of(*scene_.colors));
  const std::string bytes = read_bytes(path_);
  write_scene(read, path_);
  EXPECT_EQ(read_bytes(path_), bytes);
  EXPECT_NO_THROW(verify_written(scene_, path_, {.device = "cpu"}));
}

TEST_F(ColorsFile, IsReadAsAWholeByAllReaders) {
  write_scene(scene_, path_);
  for (const Loading loading : {Loading::Whole, Loading::InParts, Loading::ByChunks})
    EXPECT_EQ(read_any_scene(path_, {.device = "cpu", .memory_limit = 64 << 20}, SceneForm::Any,
                             Damage::Refused, loading)
                  .colors,
              scene_.colors);
}

TEST_F(ColorsFile, StayInTheFileUntilTheyAreUsed) {
  for (const Compression::Method method : {Compression::Method::None, Compression::Method::Deflate}) {
    write_scene(scene_, path_, {}, {.method = method});
    const auto budget = std::make_shared<PagedBudget>(1 << 20);
    const std::optional<dag::VoxelScene> read = read_paged_scene(path_, budget);
    ASSERT_TRUE(read && read->colors);
    EXPECT_TRUE(read->colors->words.get_allocator().paged());
    EXPECT_FALSE(read->dag.paged);
    EXPECT_EQ(read->colors, scene_.colors);
    EXPECT_GE(budget->filled(), scene_.colors->words.size() * sizeof(uint32_t));
    write_scene(*read, folder_ / "again.h5", {}, {.method = method});
    EXPECT_EQ(read_bytes(folder_ / "again.h5"), read_bytes(path_));
  }
  write_scene(scene_, path_, {}, {.method = Compression::Method::Deflate});
  for (const Loading loading : {Loading::InParts, Loading::ByChunks, Loading::AsUsed}) {
    const dag::VoxelScene read =
        read_any_scene(path_, {.device = "cpu", .memory_limit = 1}, SceneForm::Any, Damage::Refused, loading);
    EXPECT_TRUE(read.colors->words.get_allocator().paged());
    EXPECT_EQ(read.colors, scene_.colors);
  }
}

TEST_F(ColorsFile, OfAnEmptySceneHasNone) {
  scene_.dag = dag::empty_dag(64, false);
  scene_.dag.digest = dag::compute_digest(scene_.dag);
  scene_.colors = attributes::packed_values({});
  write_scene(scene_, path_);
  EXPECT_EQ(read_scene(path_).colors, scene_.colors);
}

TEST_F(ColorsFile, OfOtherColorsThanTheScenesIsFoundByVerify) {
  write_scene(scene_, path_);
  std::vector<uint32_t> colors(scene_.colors->count);
  attributes::read_values(*scene_.colors, 0, colors);
  colors.back() ^= 1;
  scene_.colors = attributes::packed_values(colors);
  EXPECT_THROW(verify_written(scene_, path_, {.device = "cpu"}), Error);
}

TEST_F(ColorsFile, ThatIsDamagedIsNoBrushOfASceneWithMaterials) {
  ++scene_.dag.digest.low;
  write_scene(scene_, path_);
  dag::VoxelScene edited;
  edited.dag = dag::empty_dag(64, true);
  const edit::Script script =
      parse_edit_script("stamp scene.h5 at 0,0,0 keep-filled\n", folder_ / "script", frame_of(edited));
  EXPECT_THROW(read_script_scenes(script, edited, Damage::Refused), Error);
  EXPECT_EQ(read_script_scenes(script, edited, Damage::Accepted).size(), 1u);
}

TEST_F(ColorsFile, HoldsNormalsBesideColorsOrAlone) {
  std::vector<uint32_t> codes(scene_.dag.voxels);
  for (size_t i = 0; i < codes.size(); ++i) codes[i] = static_cast<uint32_t>(mix64(i / 30)) & 0xffff;
  const attributes::PackedValues normals = attributes::packed_values(codes, attributes::kDirectionBits);
  for (const bool with_colors : {true, false}) {
    if (!with_colors) scene_.colors.reset();
    write_scene(scene_, path_, {.normals = &normals});
    EXPECT_EQ(read_normals(path_, scene_.dag), normals);
    EXPECT_EQ(read_scene(path_).colors, scene_.colors);
    const SceneFileParts parts = scene_file_parts(path_);
    EXPECT_TRUE(parts.normals);
    EXPECT_EQ(parts.colors, with_colors);
    EXPECT_EQ(read_scene_info(path_).normals->bytes, normals.bytes());
    EXPECT_NO_THROW(verify_written(scene_, path_, {.device = "cpu"}, &normals));
    codes.back() ^= 1;
    const attributes::PackedValues others = attributes::packed_values(codes, attributes::kDirectionBits);
    EXPECT_THROW(verify_written(scene_, path_, {.device = "cpu"}, &others), Error);
    codes.back() ^= 1;
    EXPECT_THROW(read_normals(path_, dense_dag(64, false, blocks)), Error);
  }
  write_scene(scene_, path_);
  EXPECT_FALSE(read_normals(path_, scene_.dag));
  const attributes::PackedValues colors = attributes::packed_values(codes);
  write_scene(scene_, path_, {.normals = &colors});
  EXPECT_THROW(read_normals(path_, scene_.dag), Error);
}

// A file may state as many voxels as there are colors, and hold more voxels.
TEST_F(ColorsFile, WithFewerColorsThanVoxelsIsRefused) {
  std::vector<uint32_t> colors(scene_.colors->count - 1);
  scene_.colors = attributes::packed_values(colors);
  --scene_.dag.voxels;
  write_scene(scene_, path_);
  EXPECT_THROW(read_scene(path_), Error);
}

// Colors that can be read, but are not packed as vox packs them, have their own digest and are refused by verify alone.
TEST_F(ColorsFile, ThatIsPackedDifferentlyIsReadAndNotVerified) {
  attributes::PackedValues& colors = *scene_.colors;
  colors.words.push_back(0);
  colors.byte_count += 4;
  write_scene(scene_, path_);
  const dag::VoxelScene read = read_scene(path_);
  EXPECT_EQ(read.colors, scene_.colors);
  EXPECT_THROW(verify_scene(read, {}, path_, {.device = "cpu"}), Error);
}

void set_attribute(const std::filesystem::path& path, const char* name, uint64_t value) {
  const bool is_short = std::string(name) == "value_bits";
  const auto short_value = static_cast<uint32_t>(value);
  const hid_t type = is_short ? H5T_NATIVE_UINT32 : H5T_NATIVE_UINT64;
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), space = H5Screate(H5S_SCALAR);
  H5Adelete_by_name(file, "/attributes/colors", name, H5P_DEFAULT);
  const hid_t attribute =
      H5Acreate_by_name(file, "/attributes/colors", name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  ASSERT_GE(H5Awrite(attribute, type, is_short ? static_cast<const void*>(&short_value) : &value), 0);
  H5Aclose(attribute);
  H5Sclose(space);
  H5Fclose(file);
}

TEST_F(ColorsFile, RefusesAttributesThatCannotBe) {
  for (const char* name : {"count", "value_bits", "bytes"}) {
    for (const uint64_t value : {uint64_t{0}, uint64_t{1}, uint64_t{2} << 30, UINT64_MAX}) {
      write_scene(scene_, path_);
      set_attribute(path_, name, value);
      EXPECT_THROW(read_scene(path_), Error) << name << ' ' << value;
    }
  }
  scene_.colors->words.clear();  // of which no number of bytes is a part
  write_scene(scene_, path_);
  set_attribute(path_, "bytes", UINT64_MAX);
  EXPECT_THROW(read_scene(path_), Error);
}

TEST_F(ColorsFile, WithAFlippedBitIsAnErrorOrAsBefore) {
  write_scene(scene_, path_);
  const std::string bytes = read_bytes(path_);
  Random random(1);
  for (uint32_t round = 0; round < 30 * kThoroughness; ++round) {
    std::string damaged = bytes;
    damaged[random.below(static_cast<uint32_t>(damaged.size()))] ^= static_cast<char>(1 << random.below(8));
    std::ofstream(path_, std::ios::binary) << damaged;
    for (const bool stays : {false, true}) {
      try {
        const std::optional<dag::VoxelScene> read =
            stays ? read_paged_scene(path_, std::make_shared<PagedBudget>(1 << 20)) : read_scene(path_);
        if (read && read->colors) {
          EXPECT_EQ(read->colors, scene_.colors);
        }
      } catch (const Error&) {
      }
    }
  }
}

// Scene files with the symmetric form of a scene.

class SymmetricFile : public testing::Test {
 protected:
  void SetUp() override {
    const std::string name = testing::UnitTest::GetInstance()->current_test_info()->name();
    folder_ = std::filesystem::path(testing::TempDir()) / ("symmetric_" + name + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
    path_ = folder_ / "scene.h5";
    scene_.dag = dense_dag(64, false, turned_pieces(8, 4));
    dag::count_octree(scene_.dag);
    symmetric_ = dag::symmetric_dag(engine_->handle(), scene_.dag);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void add_colors() {
    std::vector<uint32_t> colors(scene_.dag.voxels);
    for (size_t i = 0; i < colors.size(); ++i) colors[i] = static_cast<uint32_t>(mix64(i / 20)) & 0x3f3fff;
    scene_.colors = attributes::packed_values(colors);
  }

  void write_alone() { write_scene_without_dag(scene_, path_, {.symmetric = &symmetric_}); }

  // Replaces a word of a level in the file.
  void set_word(const char* dataset, uint64_t at, uint32_t value) {
    const hid_t file = H5Fopen(path_.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
    const hid_t words = H5Dopen2(file, dataset, H5P_DEFAULT);
    const hid_t all = H5Dget_space(words);
    std::vector<uint32_t> values(static_cast<size_t>(H5Sget_simple_extent_npoints(all)));
    H5Dread(words, H5T_NATIVE_UINT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
    values[at] = value;
    H5Dwrite(words, H5T_NATIVE_UINT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
    H5Sclose(all);
    H5Dclose(words);
    H5Fclose(file);
  }

  const std::unique_ptr<Engine> engine_ = test_engine();
  std::filesystem::path folder_, path_;
  dag::VoxelScene scene_;
  dag::SymmetricDag symmetric_;
};

void expect_same(const dag::FrozenDag& a, const dag::FrozenDag& b) {
  EXPECT_EQ(a.digest, b.digest);
  for (size_t level = 0; level < b.levels.size(); ++level)
    EXPECT_TRUE(a.levels[level].words == b.levels[level].words);
}

TEST_F(SymmetricFile, AloneIsReadAsTheSvdagByAllReaders) {
  add_colors();
  write_alone();
  const SceneFileParts parts = scene_file_parts(path_);
  EXPECT_TRUE(parts.dag && parts.symmetric && !parts.svdag);
  expect_same(read_scene(path_).dag, scene_.dag);
  for (const SceneForm form : {SceneForm::Any, SceneForm::Svdag, SceneForm::Symmetric})
    for (const Loading loading : {Loading::Whole, Loading::InParts, Loading::ByChunks}) {
      const dag::VoxelScene read =
          read_any_scene(path_, {.device = "cpu", .memory_limit = 64 << 20}, form, Damage::Refused, loading);
      expect_same(read.dag, scene_.dag);
      EXPECT_EQ(read.colors, scene_.colors);
    }
  EXPECT_THROW(read_any_scene(path_, {.device = "cpu"}, SceneForm::Hash, Damage::Refused), Error);
}

TEST_F(SymmetricFile, GivesBackItsWordsInEqualBytes) {
  write_alone();
  const std::string bytes = read_bytes(path_);
  const dag::SymmetricDag read = read_symmetric(path_);
  for (size_t level = 0; level < read.levels.size(); ++level)
    EXPECT_TRUE(read.levels[level].words == symmetric_.levels[level].words);
  write_scene_without_dag(read_scene(path_), path_, {.symmetric = &read});
  EXPECT_EQ(read_bytes(path_), bytes);
}

TEST_F(SymmetricFile, StatesTheCountsOfBothForms) {
  write_alone();
  const SceneInfo info = read_scene_info(path_);
  ASSERT_TRUE(info.symmetric);
  EXPECT_EQ(info.symmetric->nodes, symmetric_.nodes());
  EXPECT_EQ(info.symmetric->bytes, symmetric_.bytes());
  for (size_t level = 0; level < scene_.dag.levels.size(); ++level) {
    EXPECT_EQ(info.level_words[level], scene_.dag.levels[level].words.size());
    EXPECT_EQ(info.scene.dag.levels[level].nodes, scene_.dag.levels[level].nodes);
    EXPECT_EQ(info.scene.dag.levels[level].svo_nodes, scene_.dag.levels[level].svo_nodes);
  }
}

TEST_F(SymmetricFile, StandsBesideTheSvdag) {
  write_scene(scene_, path_, {.symmetric = &symmetric_});
  const SceneFileParts parts = scene_file_parts(path_);
  EXPECT_TRUE(parts.svdag && parts.symmetric);
  expect_same(read_scene(path_).dag, scene_.dag);
  EXPECT_NO_THROW(verify_written(scene_, path_, {.device = "cpu"}));
}

TEST_F(SymmetricFile, OfAnEmptySceneIsEmpty) {
  scene_.dag = dag::empty_dag(64, false);
  scene_.dag.digest = dag::compute_digest(scene_.dag);
  symmetric_ = dag::symmetric_dag(engine_->handle(), scene_.dag);
  write_alone();
  EXPECT_TRUE(read_scene(path_).dag.empty());
  EXPECT_NO_THROW(verify_written(scene_, path_, {.device = "cpu"}));
}

// Files without the form have none, and say so.
TEST_F(SymmetricFile, IsMissedWhereThereIsNone) {
  write_scene(scene_, path_);
  EXPECT_THROW(read_symmetric(path_), Error);
  EXPECT_THROW(read_any_scene(path_, {.device = "cpu"}, SceneForm::Symmetric, Damage::Refused), Error);
  EXPECT_FALSE(read_scene_info(path_).symmetric);
}

TEST_F(SymmetricFile, OfAnotherSceneIsFoundByVerify) {
  dag::FrozenDag other = dense_dag(64, false, shell);
  dag::count_octree(other);
  other.digest = scene_.dag.digest;
  other.voxels = scene_.dag.voxels;
  symmetric_ = dag::symmetric_dag(engine_->handle(), other);
  write_scene(scene_, path_, {.symmetric = &symmetric_});
  EXPECT_THROW(verify_written(scene_, path_, {.device = "cpu"}), Error);
  write_alone();
  EXPECT_THROW(read_any_scene(path_, {.device = "cpu"}, SceneForm::Any, Damage::Refused), Error);
}

TEST_F(SymmetricFile, WithAWrongWordIsRefused) {
  write_alone();
  const auto damaged = [&](const char* level, uint64_t at, uint32_t value) {
    write_alone();
    set_word((std::string("symmetric/") + level + "/words").c_str(), at, value);
    EXPECT_THROW(read_any_scene(path_, {.device = "cpu"}, SceneForm::Any, Damage::Refused), Error)
        << level << ' ' << at;
  };
  damaged("level_00", 0, 0);                                         // no children
  damaged("level_00", 0, symmetric_.levels[0].words[0] | 48u << 8);  // no such symmetry
  damaged("level_00", 1, symmetric_.levels[0].words[1] | 1u << 31);  // a bit without meaning
  damaged("level_00", 1, symmetric_.levels[0].words[1] | 1u << 24);  // not full
  damaged("level_00", 2, 1u << 30);                                  // no such node
  damaged("level_01", 0, symmetric_.levels[1].words[0] ^ 1);         // another size
  damaged("level_04", 0, symmetric_.levels[4].words[0] ^ 1);         // another leaf
  damaged("level_00", 0, symmetric_.levels[0].words[0] ^ 1u << 8);   // another turn
}

// A level that states fewer nodes than it becomes is not read on.
TEST_F(SymmetricFile, WithWrongCountsIsRefused) {
  for (uint64_t dag::SymmetricLevel::*count :
       {&dag::SymmetricLevel::nodes, &dag::SymmetricLevel::plain_nodes, &dag::SymmetricLevel::plain_words})
    for (const uint64_t value : {uint64_t{0}, uint64_t{1}, uint64_t{1} << 31, UINT64_MAX}) {
      dag::SymmetricDag wrong = symmetric_;
      wrong.levels[2].*count = value;
      write_scene_without_dag(scene_, path_, {.symmetric = &wrong});
      EXPECT_THROW(read_scene(path_), Error) << value;
    }
}

TEST_F(SymmetricFile, ThatIsTruncatedIsRefused) {
  write_alone();
  const auto size = std::filesystem::file_size(path_);
  for (uint32_t i = 1; i <= 2 * kThoroughness; ++i) {
    write_alone();
    std::filesystem::resize_file(path_, size * i / (2 * kThoroughness + 1));
    EXPECT_THROW(read_scene(path_), Error);
  }
}

TEST_F(SymmetricFile, OfASceneWithMaterialsIsRefused) {
  dag::VoxelScene with_materials;
  with_materials.dag = dense_dag(64, true, shell);
  write_scene_without_dag(with_materials, path_, {.symmetric = &symmetric_});
  EXPECT_THROW(read_scene(path_), Error);
}

}  // namespace
}  // namespace vox
