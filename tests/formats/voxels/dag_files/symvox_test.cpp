#include "formats/voxels/dag_files/symvox_writer.h"

#include "formats/voxels/export.h"
#include "tests/formats/voxels/export_scenes.h"
#include "tests/formats/voxels/file_bytes.h"

namespace vox {
namespace {

using namespace testing_export;

// Looks up voxels in a file from the root down, as SymVox itself does: a point is mirrored when it enters a
// mirrored node, and stays so.
class SymVoxLookup {
 public:
  SymVoxLookup(const std::filesystem::path& path, SymVoxKind kind) : bytes_(read_all(path)), kind_(kind) {
    EXPECT_EQ(bytes_.size(), 44 + 4 * uint64_t{number_at<uint32_t>(bytes_, 40)});
  }

  float bound(size_t i) const { return number_at<float>(bytes_, 4 * i); }
  float root_side() const { return number_at<float>(bytes_, 24); }
  uint32_t levels() const { return number_at<uint32_t>(bytes_, 28); }
  uint32_t nodes() const { return number_at<uint32_t>(bytes_, 32); }
  uint32_t first_leaf() const { return number_at<uint32_t>(bytes_, 36); }
  uint32_t words() const { return number_at<uint32_t>(bytes_, 40); }

  bool operator()(uint32_t x, uint32_t y, uint32_t z) const {
    uint32_t node = 0;
    for (uint32_t level = 0;; ++level) {
      const uint32_t bit = levels() - 1 - level;
      const uint32_t slot = (x >> bit & 1) << 2 | (y >> bit & 1) << 1 | (z >> bit & 1);
      const uint32_t header = word(node);
      if ((header >> slot & 1) == 0) return false;
      if (bit == 0) return node >= first_leaf();
      EXPECT_LT(node, first_leaf());
      node = word(node + static_cast<uint32_t>(std::popcount((header & 0xff) >> slot)));
      if (kind_ == SymVoxKind::Plain) continue;
      if ((header >> (slot + 8) & 1) != 0) x = ~x;
      if ((header >> (slot + 16) & 1) != 0) y = ~y;
      if ((header >> (slot + 24) & 1) != 0) z = ~z;
    }
  }

 private:
  uint32_t word(uint32_t index) const { return number_at<uint32_t>(bytes_, 44 + 4 * size_t{index}); }

  std::string bytes_;
  SymVoxKind kind_;
};

// Noise in one corner, and its mirror images in the others.
int symmetric_grid(uint32_t x, uint32_t y, uint32_t z) {
  const auto folded = [](uint32_t v) { return v < 32 ? v : 63 - v; };
  return noise_grid(11)(folded(x) + 40, folded(y) + 40, folded(z) + 40) == dag::kEmptyVoxel ? dag::kEmptyVoxel
                                                                                            : 0;
}

class SymVox : public ExportTest {
 protected:
  std::filesystem::path file(SymVoxKind kind) const {
    return path(kind == SymVoxKind::Plain ? "a.svdag" : "a.ussvdag");
  }
  SymVoxLookup written(const dag::VoxelScene& scene, SymVoxKind kind) const {
    write_symvox(scene, file(kind), std::nullopt, kind);
    return {file(kind), kind};
  }
};
constexpr std::array kSymVoxKinds = {SymVoxKind::Plain, SymVoxKind::Mirrored};

void expect_voxels(const SymVoxLookup& file, const KnownScene& known) {
  const auto side = static_cast<int32_t>(known.scene.dag.side());
  for (int32_t z = 0; z < side; ++z)
    for (int32_t y = 0; y < side; ++y)
      for (int32_t x = 0; x < side; ++x)
        ASSERT_EQ(file(uint32_t(x), uint32_t(y), uint32_t(z)), known.value({x, y, z}) != 0);
}

TEST_F(SymVox, HoldsEveryVoxel) {
  for (const SymVoxKind kind : kSymVoxKinds)
    for (const uint32_t resolution : {4u, 8u, 20u})
      for (const Materials materials : {Materials::None, Materials::Sixteen})
        for (const DenseGrid& grid : {noise_grid(resolution), DenseGrid(empty_grid), DenseGrid(full_grid),
                                      DenseGrid(symmetric_grid)}) {
          const KnownScene known = known_scene(resolution, materials, grid);
          expect_voxels(written(known.scene, kind), known);
        }
}

TEST_F(SymVox, MirrorImagesAreStoredOnce) {
  const KnownScene known = known_scene(64, Materials::None, symmetric_grid);
  const SymVoxLookup plain = written(known.scene, SymVoxKind::Plain);
  const SymVoxLookup mirrored = written(known.scene, SymVoxKind::Mirrored);
  // The root's eight children are the same node, whose children are stored once.
  EXPECT_LT(mirrored.nodes() * 4, plain.nodes());
  EXPECT_EQ(read_voxels(file(SymVoxKind::Mirrored)).scene.dag.digest, known.scene.dag.digest);
}

// There are 255 blocks of 2³ voxels that are not empty, and 45 of them are not mirror images of each other.
TEST_F(SymVox, NoTwoBlocksAreMirrorImages) {
  const auto all_blocks = [](uint32_t x, uint32_t y, uint32_t z) {
    const uint32_t block = x / 2 + 16 * (y / 2);
    return z < 2 && block < 256 && (block >> (x % 2 + y % 2 * 2 + z % 2 * 4) & 1) != 0 ? 0 : dag::kEmptyVoxel;
  };
  const KnownScene known = known_scene(32, Materials::None, all_blocks);
  const SymVoxLookup plain = written(known.scene, SymVoxKind::Plain);
  EXPECT_EQ(plain.words() - plain.first_leaf(), 255u);
  const SymVoxLookup mirrored = written(known.scene, SymVoxKind::Mirrored);
  EXPECT_EQ(mirrored.words() - mirrored.first_leaf(), 45u);
}

TEST_F(SymVox, ARoundTripKeepsVoxelsAndPlace) {
  for (const SymVoxKind kind : kSymVoxKinds)
    for (const uint32_t resolution : {4u, 32u}) {
      KnownScene known = known_scene(resolution, Materials::None, noise_grid(resolution));
      known.scene.origin = {-1.5, 2.25, 0.125};
      known.scene.voxel_size = 0.375;
      written(known.scene, kind);
      const dag::VoxelScene read = read_voxels(file(kind)).scene;
      EXPECT_NO_THROW(dag::verify(read.dag));
      EXPECT_EQ(read.dag.digest, known.scene.dag.digest);
      EXPECT_EQ(read.origin, known.scene.origin);
      EXPECT_EQ(read.voxel_size, known.scene.voxel_size);
    }
}

TEST_F(SymVox, VoxelsOutsideOfTheClipBoxAreEmpty) {
  const KnownScene known = known_scene(64, Materials::Sixteen, noise_grid(1));
  const VoxelBox clip = {{3, 5, 7}, {42, 21, 30}};
  write_symvox(known.scene, path("a.svdag"), clip, SymVoxKind::Plain);
  EXPECT_EQ(read_voxels(path("a.svdag")).scene.dag.voxels, known.count(clip));
}

TEST_F(SymVox, AFileOfOneLevelIsACubeOfTwoVoxels) {
  std::string bytes(48, '\0');
  const float side = 2;
  for (const size_t at : {12u, 16u, 20u, 24u}) std::memcpy(&bytes[at], &side, 4);
  bytes[28] = 1;
  bytes[32] = 1;
  bytes[40] = 1;
  bytes[44] = 0b00010010;  // slots 1 and 4: (0, 0, 1) and (1, 0, 0)
  write_bytes(path("a.svdag"), bytes);
  const dag::VoxelScene scene = read_voxels(path("a.svdag")).scene;
  EXPECT_EQ(scene.dag.voxels, 2u);
  EXPECT_EQ(dag::voxel_at(scene.dag, 0, 0, 1), 0);
  EXPECT_EQ(dag::voxel_at(scene.dag, 1, 0, 0), 0);
  EXPECT_EQ(scene.voxel_size, 1);
}

TEST_F(SymVox, TruncatedFilesAreRefused) {
  for (const SymVoxKind kind : kSymVoxKinds) {
    written(known_scene(8, Materials::None, diagonal_grid).scene, kind);
    expect_truncations_refused(file(kind), file(kind), {});
  }
}

TEST_F(SymVox, DamagedFilesAreRefusedOrReadAsScenes) {
  for (const SymVoxKind kind : kSymVoxKinds) {
    written(known_scene(16, Materials::None, noise_grid(4)).scene, kind);
    expect_damage_survived(file(kind), file(kind), {}, 100);
  }
}

TEST_F(SymVox, APlaceThatSinglePrecisionCannotSayIsRefused) {
  KnownScene known = known_scene(8, Materials::None, noise_grid(4));
  known.scene.origin = {1e300, 0, 0};
  EXPECT_THROW(write_symvox(known.scene, path("a.svdag"), std::nullopt, SymVoxKind::Plain), Error);
  EXPECT_TRUE(folder_is_empty());
}

}  // namespace
}  // namespace vox
