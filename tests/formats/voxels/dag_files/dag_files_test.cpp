#include "formats/voxels/dag_files/dag_files.h"

#include <fstream>
#include <string>

#include "formats/voxels/export.h"
#include "tests/formats/voxels/export_scenes.h"

namespace vox {
namespace {

using namespace testing_export;

constexpr uint32_t kAbsent = 0;

// Looks up voxels in the two files from the root down, as HashDAG itself does.
class HashDagLookup {
 public:
  HashDagLookup(const std::filesystem::path& nodes_path, const std::filesystem::path& colors_path)
      : nodes_(read_bytes(nodes_path)), colors_(read_bytes(colors_path)) {
    EXPECT_EQ(nodes_.size(), 60 + 4 * number_at<uint64_t>(nodes_, 52));
    first_color_ = 4 + 8 + 8 * number_at<uint64_t>(colors_, 4) + 8;
    EXPECT_EQ(colors_.size(), first_color_ + 4 * colors());
  }

  double bound(size_t i) const { return number_at<double>(nodes_, 8 * i); }
  uint32_t levels() const { return number_at<uint32_t>(nodes_, 48); }
  uint32_t top_levels() const { return number_at<uint32_t>(colors_, 0); }
  uint64_t colors() const { return number_at<uint64_t>(colors_, first_color_ - 8); }
  uint32_t node(uint64_t index) const { return number_at<uint32_t>(nodes_, 60 + 4 * index); }

  // Returns the number of voxels that the node's header states.
  uint64_t leaves(uint32_t level, uint64_t index) const {
    const uint32_t upper = node(index) >> 8;
    return level < top_levels() ? number_at<uint64_t>(colors_, 12 + 8 * upper) : upper;
  }

  // Returns the color of a voxel, or kAbsent if it is not filled.
  uint32_t operator()(uint32_t x, uint32_t y, uint32_t z) const {
    const auto slot_at = [&](uint32_t bit) {
      return (x >> bit & 1) << 2 | (y >> bit & 1) << 1 | (z >> bit & 1);
    };
    uint64_t index = 0, before = 0;
    for (uint32_t level = 0; level + 2 < levels(); ++level) {
      const uint32_t header = node(index), slot = slot_at(levels() - 1 - level);
      if ((header >> slot & 1) == 0) return kAbsent;
      uint64_t child = index;
      for (uint32_t s = 0; s <= slot; ++s) {
        if ((header >> s & 1) == 0) continue;
        ++child;
        if (s == slot) break;
        before += level + 3 == levels() ? leaf_count(node(child)) : leaves(level + 1, node(child));
      }
      index = node(child);
    }
    const uint32_t bit = slot_at(1) * 8 + slot_at(0);
    const uint64_t mask = leaf(index);
    if ((mask >> bit & 1) == 0) return kAbsent;
    before += static_cast<uint64_t>(std::popcount(mask & ((uint64_t{1} << bit) - 1)));
    return colors() == 1 ? number_at<uint32_t>(colors_, first_color_)
                         : number_at<uint32_t>(colors_, first_color_ + 4 * before);
  }

 private:
  uint64_t leaf(uint64_t index) const { return node(index) | uint64_t{node(index + 1)} << 32; }
  uint64_t leaf_count(uint64_t index) const { return static_cast<uint64_t>(std::popcount(leaf(index))); }

  std::string nodes_, colors_;
  size_t first_color_ = 0;
};

uint32_t color_word_of(const dag::VoxelScene& scene, int value) {
  if (value == 0) return kAbsent;
  if (!scene.dag.materials) return 0xffffffff;
  const scene::Rgb8 c = scene.palette.colors[static_cast<size_t>(value - 1)];
  return 0xff000000 | uint32_t{c.b} << 16 | uint32_t{c.g} << 8 | c.r;
}

template <class Body>
void for_each_place(uint32_t side, Body body) {
  for (uint32_t z = 0; z < side; ++z)
    for (uint32_t y = 0; y < side; ++y)
      for (uint32_t x = 0; x < side; ++x) body(x, y, z);
}

class HashDag : public ExportTest {
 protected:
  std::filesystem::path nodes() const { return path("a.basic_dag.dag.bin"); }
  std::filesystem::path colors() const { return path("a.basic_dag.uncompressed_colors.bin"); }
  HashDagLookup lookup() const { return HashDagLookup(nodes(), colors()); }
};

TEST_F(HashDag, HoldsEveryVoxelWithItsColor) {
  for (const uint32_t resolution : {4u, 8u, 20u})
    for (const Materials materials : {Materials::None, Materials::Sixteen})
      for (const DenseGrid& grid : {noise_grid(resolution), DenseGrid(empty_grid), DenseGrid(full_grid)}) {
        const KnownScene known = known_scene(resolution, materials, grid);
        write_hash_dag(known.scene, nodes(), std::nullopt);
        const HashDagLookup file = lookup();
        EXPECT_EQ(file.levels(), known.scene.dag.depth() + 2);
        for_each_place(known.scene.dag.side(), [&](uint32_t x, uint32_t y, uint32_t z) {
          ASSERT_EQ(file(x, y, z),
                    color_word_of(known.scene, known.value({int32_t(x), int32_t(y), int32_t(z)})));
        });
      }
}

// A kill between two renames leaves such files. Without the sum that tells them apart the colors would be of other voxels.
TEST_F(HashDag, ColorsOfOtherNodesAreRefused) {
  write_hash_dag(known_scene(20, Materials::Sixteen, noise_grid(20)).scene, nodes(), std::nullopt);
  EXPECT_NO_THROW(read_hash_dag(nodes(), {}));
  std::string bytes = read_bytes(nodes());
  bytes[bytes.size() - 1] = static_cast<char>(bytes[bytes.size() - 1] ^ 1);  // a voxel of the last leaf
  std::ofstream(nodes(), std::ios::binary) << bytes;
  try {
    read_hash_dag(nodes(), {});
    FAIL() << "read";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("the colors of other nodes"), std::string::npos) << error.what();
  }
}

TEST_F(HashDag, AxesAreTurnedSoThatYIsUp) {
  KnownScene known = known_scene(8, Materials::Sixteen, noise_grid(2));
  known.scene.origin = {1, 2, 3};
  known.scene.up = dag::UpAxis::Z;
  write_hash_dag(known.scene, nodes(), std::nullopt);
  HashDagLookup file = lookup();
  EXPECT_EQ(Vec3d(file.bound(0), file.bound(1), file.bound(2)), (Vec3d{2, 3, 1}));
  for_each_place(8, [&](uint32_t x, uint32_t y, uint32_t z) {
    ASSERT_EQ(file(y, z, x), color_word_of(known.scene, known.value({int32_t(x), int32_t(y), int32_t(z)})));
  });
  known.scene.up = dag::UpAxis::X;
  write_hash_dag(known.scene, nodes(), std::nullopt);
  file = lookup();
  for_each_place(8, [&](uint32_t x, uint32_t y, uint32_t z) {
    ASSERT_EQ(file(z, x, y), color_word_of(known.scene, known.value({int32_t(x), int32_t(y), int32_t(z)})));
  });
}

TEST_F(HashDag, VoxelsOutsideOfTheClipBoxAreEmpty) {
  const KnownScene known = known_scene(50, Materials::Sixteen, noise_grid(1));
  const VoxelBox clip = {{3, 5, 7}, {42, 21, 30}};
  write_hash_dag(known.scene, nodes(), clip);
  const HashDagLookup file = lookup();
  EXPECT_EQ(file.colors(), known.count(clip));
  for_each_place(64, [&](uint32_t x, uint32_t y, uint32_t z) {
    const Int3 voxel = {int32_t(x), int32_t(y), int32_t(z)};
    const bool inside = !intersection(cube_at(voxel, 1), clip).empty();
    ASSERT_EQ(file(x, y, z), inside ? color_word_of(known.scene, known.value(voxel)) : kAbsent);
  });
}

TEST_F(HashDag, NumbersOfVoxelsThatAHeaderCannotHoldAreBesideTheColors) {
  // The scene has 1024³ full voxels, so a node of 256³ has 2^24 of them.
  const KnownScene known = repeated(known_scene(64, Materials::None, full_grid), 0xff, 4);
  write_hash_dag(known.scene, nodes(), std::nullopt);
  const HashDagLookup file = lookup();
  EXPECT_EQ(file.top_levels(), 3u);
  uint64_t index = 0;
  for (uint32_t level = 0; level + 2 < file.levels(); ++level) {
    EXPECT_EQ(file.leaves(level, index), uint64_t{1} << (30 - 3 * level));
    index = file.node(index + 1);
  }
}

TEST_F(HashDag, ARoundTripKeepsVoxelsColorsAndPlace) {
  for (const uint32_t resolution : {4u, 32u, 40u})
    for (const Materials materials : {Materials::None, Materials::Sixteen})
      for (const DenseGrid& grid : {noise_grid(resolution), DenseGrid(empty_grid)}) {
        KnownScene known = known_scene(resolution, materials, grid);
        known.scene.origin = {-1.5, 2.25, 0.125};
        known.scene.voxel_size = 0.375;
        write_hash_dag(known.scene, nodes(), std::nullopt);
        const dag::VoxelScene read = read_voxels(nodes()).scene;
        ASSERT_NO_THROW(dag::verify(read.dag));
        EXPECT_EQ(read.dag.voxels, known.scene.dag.voxels);
        EXPECT_EQ(read.dag.resolution, known.scene.dag.side());
        EXPECT_EQ(read.origin, known.scene.origin);
        EXPECT_EQ(read.voxel_size, known.scene.voxel_size);
        for_each_place(resolution, [&](uint32_t x, uint32_t y, uint32_t z) {
          const int expected = dag::voxel_at(known.scene.dag, x, y, z),
                    found = dag::voxel_at(read.dag, x, y, z);
          ASSERT_EQ(found < 0, expected < 0);
          if (expected >= 0 && materials == Materials::Sixteen) {
            ASSERT_EQ(read.palette.colors[static_cast<size_t>(found)],
                      known.scene.palette.colors[static_cast<size_t>(expected)]);
          }
        });
      }
}

TEST_F(HashDag, NodesAloneAreASceneWithoutMaterials) {
  const KnownScene known = known_scene(64, Materials::Sixteen, noise_grid(6));
  write_hash_dag(known.scene, nodes(), std::nullopt);
  std::filesystem::remove(colors());
  const dag::VoxelScene read = read_voxels(nodes()).scene;
  EXPECT_FALSE(read.dag.materials);
  EXPECT_EQ(read.dag.digest, known_scene(64, Materials::None, noise_grid(6)).scene.dag.digest);
}

TEST_F(HashDag, MaterialsAreLeftOutWithinTheMemoryLimit) {
  const KnownScene known = known_scene(64, Materials::Sixteen, noise_grid(6));
  constexpr uint64_t kTooLittle = 1 << 10, kEnough = uint64_t{8} << 30;
  EXPECT_THROW(write_hash_dag(known.scene, nodes(), std::nullopt, kTooLittle), OutOfMemory);
  EXPECT_FALSE(std::filesystem::exists(nodes()) || std::filesystem::exists(colors()));
  EXPECT_NO_THROW(write_hash_dag(known.scene, nodes(), std::nullopt, kEnough));
}

TEST_F(HashDag, ColorsOfAnotherSceneAreRefused) {
  write_hash_dag(known_scene(16, Materials::Sixteen, noise_grid(1)).scene, nodes(), std::nullopt);
  const std::string others = read_bytes(colors());
  write_hash_dag(known_scene(16, Materials::Sixteen, noise_grid(2)).scene, nodes(), std::nullopt);
  write_bytes(colors(), others);
  EXPECT_THROW(read_voxels(nodes()), Error);
  EXPECT_NO_THROW(read_voxels(nodes(), {.materials = false}));
}

TEST_F(HashDag, TruncatedFilesAreRefused) {
  write_hash_dag(known_scene(8, Materials::Sixteen, diagonal_grid).scene, nodes(), std::nullopt);
  expect_truncations_refused(nodes(), nodes(), {});
  expect_truncations_refused(nodes(), colors(), {});
}

TEST_F(HashDag, DamagedFilesAreRefusedOrReadAsScenes) {
  write_hash_dag(known_scene(16, Materials::Sixteen, noise_grid(4)).scene, nodes(), std::nullopt);
  expect_damage_survived(nodes(), nodes(), {.materials = false}, 200);
  expect_damage_survived(nodes(), nodes(), {}, 10);
  expect_damage_survived(nodes(), colors(), {}, 10);
}

// The node that points to itself counts once on each level, but the tree below it exceeds any memory.
TEST_F(HashDag, ACircleOfNodesIsASceneOrRefusedAtOnce) {
  std::string file(60, '\0');
  const double corner = 1;
  for (size_t i = 3; i < 6; ++i) std::memcpy(&file[8 * i], &corner, 8);
  file[48] = 20;
  file[52] = 9;
  file += std::string("\xff\0\0\0", 4) + std::string(32, '\0');
  write_bytes(nodes(), file);
  is_refused(nodes(), {});
  const uint64_t voxels = uint64_t{1} << 40;
  write_bytes(colors(), std::string(12, '\0') + std::string(reinterpret_cast<const char*>(&voxels), 8));
  EXPECT_TRUE(is_refused(nodes(), {}));
}

TEST_F(HashDag, NothingIsLeftOfFilesThatCannotBeWritten) {
  const KnownScene known = known_scene(64, Materials::Sixteen, noise_grid(9));
  {
    const FileSizeLimit limit(20000);
    EXPECT_THROW(write_hash_dag(known.scene, nodes(), std::nullopt), Error);
  }
  EXPECT_TRUE(folder_is_empty());
}

// Looks up voxels in a file from the root down, as SymVox itself does: a point is mirrored when it enters a
// mirrored node, and stays so.
class SymVoxLookup {
 public:
  SymVoxLookup(const std::filesystem::path& path, SymVoxKind kind) : bytes_(read_bytes(path)), kind_(kind) {
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
