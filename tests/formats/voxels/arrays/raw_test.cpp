// Raw values in both orders and all sizes, and scenes in pieces, compared voxel by voxel.

#include <fmt/format.h>

#include "formats/voxels/arrays/arrays.h"
#include "formats/voxels/export.h"
#include "formats/voxels/pieces/pieces.h"
#include "libvox/base/error.h"
#include "tests/common/random.h"
#include "tests/formats/voxels/export_scenes.h"

namespace vox {
namespace {

using namespace testing_export;

class RawValues : public ExportTest {};

// Returns the value of a voxel, at a place in the region, from the bytes of a file.
int raw_value(const std::string& bytes, const Int3& size, const Int3& at, const RawLayout& layout) {
  const bool z_fastest = layout.fastest == RawLayout::Fastest::Z;
  const auto row = static_cast<size_t>(z_fastest ? size.z : size.x);
  const auto fast = static_cast<size_t>(z_fastest ? at.z : at.x),
             slow = static_cast<size_t>(z_fastest ? at.x : at.z);
  const size_t rows = slow * static_cast<size_t>(size.y) + static_cast<size_t>(at.y);
  const auto byte = [&](size_t i) { return static_cast<int>(static_cast<uint8_t>(bytes.at(i))); };
  if (layout.bits == 1) return byte(rows * ((row + 7) / 8) + fast / 8) >> fast % 8 & 1;
  const size_t value = rows * row + fast;
  return layout.bits == 8 ? byte(value) : byte(2 * value) | byte(2 * value + 1) << 8;
}

void expect_raw(const std::string& bytes, const KnownScene& known, const VoxelBox& region,
                const RawLayout& layout) {
  const Int3 size = region.size();
  Int3 at;
  for (at.z = 0; at.z < size.z; ++at.z)
    for (at.y = 0; at.y < size.y; ++at.y)
      for (at.x = 0; at.x < size.x; ++at.x) {
        const int value = known.value(region.min + at);
        ASSERT_EQ(raw_value(bytes, size, at, layout), layout.bits == 1 ? value != 0 : value)
            << at.x << ' ' << at.y << ' ' << at.z << ", " << layout.bits << " bits";
      }
}

TEST_F(RawValues, HoldEveryVoxelInEachOrderAndSize) {
  using enum RawLayout::Fastest;
  for (const Materials materials : {Materials::None, Materials::Sixteen}) {
    const KnownScene known = known_scene(45, materials, noise_grid(1));
    for (const RawLayout layout : {RawLayout{X, 8}, {Z, 8}, {X, 16}, {Z, 16}, {X, 1}, {Z, 1}})
      for (const std::optional<VoxelBox>& clip : {std::optional<VoxelBox>(), {{{3, 8, 11}, {44, 20, 30}}}}) {
        export_scene(known.scene, path("a.raw"), clip, {.raw = layout});
        const VoxelBox region = clip.value_or(cube_at({0, 0, 0}, 45));
        const std::string bytes = read_bytes(path("a.raw"));
        const auto row = static_cast<uint64_t>(layout.fastest == Z ? region.size().z : region.size().x);
        EXPECT_EQ(bytes.size(), region.voxels() / row * ((row * layout.bits + 7) / 8));
        expect_raw(bytes, known, region, layout);
      }
  }
}

// Rows of 1 M voxels: a piece of the file is a part of a layer.
TEST_F(RawValues, OfLongRowsAreWhole) {
  const KnownScene known = repeated(known_scene(64, Materials::Sixteen, noise_grid(4)), 0b11, 14);
  const VoxelBox region = {{5, 8, 3}, {(1 << 20) - 3, 28, 4}};
  const RawLayout layout = {RawLayout::Fastest::X, 1};
  export_scene(known.scene, path("a.raw"), region, {.raw = layout});
  const std::string bytes = read_bytes(path("a.raw"));
  Random random(6);
  for (int i = 0; i < 20'000; ++i) {
    const Int3 at = {static_cast<int32_t>(random.below(uint32_t(region.size().x))),
                     static_cast<int32_t>(random.below(20)), 0};
    ASSERT_EQ(raw_value(bytes, region.size(), at, layout), known.value(region.min + at) != 0)
        << at.x << ' ' << at.y;
  }
}

class InPieces : public ExportTest {
 protected:
  static ExportOptions options(uint32_t side) { return {.pieces = {.side = side}}; }
};

TEST_F(InPieces, EveryVoxelIsInOnePieceAndEmptyOnesAreLeftOut) {
  KnownScene known = known_scene(70, Materials::Sixteen, [](uint32_t x, uint32_t y, uint32_t z) {
    return x < 32 && y >= 32 && z < 60 ? noise_grid(2)(x, y, z) : dag::kEmptyVoxel;
  });
  known.scene.voxel_size = 0.5;
  for (const std::optional<VoxelBox>& clip : {std::optional<VoxelBox>(), {{{3, 8, 11}, {70, 60, 70}}}}) {
    const VoxelBox region = clip.value_or(cube_at({0, 0, 0}, 70));
    export_scene(known.scene, path("cells/part.raw"), clip, options(32));
    const std::string list = read_bytes(path("cells/pieces.json"));
    uint64_t found = 0, empty = 0;
    for (int32_t z = 0; region.min.z + 32 * z < region.max.z; ++z)
      for (int32_t y = 0; region.min.y + 32 * y < region.max.y; ++y)
        for (int32_t x = 0; region.min.x + 32 * x < region.max.x; ++x) {
          const VoxelBox box = intersection(cube_at(region.min + Int3{32 * x, 32 * y, 32 * z}, 32), region);
          const std::string file = fmt::format("part_{}_{}_{}.raw", x, y, z);
          const bool exists = std::filesystem::exists(path("cells/" + file));
          EXPECT_EQ(exists, known.count(box) > 0) << file;
          EXPECT_EQ(list.find('"' + file + '"') != std::string::npos, exists) << file;
          if (exists) expect_raw(read_bytes(path("cells/" + file)), known, box, {});
          exists ? ++found : ++empty;
        }
    EXPECT_GT(found, 2u);
    EXPECT_NE(list.find(fmt::format("\"empty_pieces\": {},", empty)), std::string::npos) << list;
    EXPECT_NE(list.find("\"name\": \"color 3\""), std::string::npos);
    EXPECT_EQ(written_bytes(path("cells/part.raw"), options(32)) > list.size(), true);
  }
}

TEST_F(InPieces, AreFilesOfAllTheseFormats) {
  const KnownScene known = known_scene(40, Materials::Sixteen, noise_grid(3));
  for (const char* ending : {".nrrd", ".npy", ".npz", ".schem", ".nvdb", ".vdb", ".vtkhdf"}) {
    const std::string file = std::string("cells/a") + ending;
    EXPECT_TRUE(is_format_of_pieces(file));
    export_scene(known.scene, path(file), std::nullopt, options(32));
    EXPECT_TRUE(std::filesystem::exists(path(std::string("cells/a_1_0_1") + ending))) << ending;
    EXPECT_FALSE(std::filesystem::exists(path(std::string("cells/a_2_0_0") + ending))) << ending;
  }
  for (const char* other : {"a.vox", "a.gprmax.h5", "a.h5", "a/%d.png"})
    EXPECT_FALSE(is_format_of_pieces(other));
}

TEST_F(InPieces, AppearTogetherAndReplaceOnlyWhatVoxWrote) {
  const KnownScene known = known_scene(40, Materials::None, noise_grid(3));
  export_scene(known.scene, path("cells/a.raw"), std::nullopt, options(16));
  export_scene(known.scene, path("cells/a.raw"), std::nullopt, options(32));
  EXPECT_FALSE(std::filesystem::exists(path("cells/a_2_2_2.raw")));
  write_bytes(path("cells/notes.txt"), "mine");
  EXPECT_THROW(export_scene(known.scene, path("cells/a.raw"), std::nullopt, options(16)), Error);
  EXPECT_THROW(check_pieces_writable(path("cells/a.raw"), Overwrite::OwnFiles), Error);
  EXPECT_TRUE(std::filesystem::exists(path("cells/a_1_1_1.raw")));
  EXPECT_THROW(check_pieces_writable("a.raw", Overwrite::OwnFiles), UsageError);
  {
    const FileSizeLimit limit(1000);
    EXPECT_THROW(export_scene(known.scene, path("more/a.raw"), std::nullopt, options(16)), Error);
  }
  EXPECT_FALSE(std::filesystem::exists(path("more")));
}

}  // namespace
}  // namespace vox
