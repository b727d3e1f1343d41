// Compares scenes made from volumes with a loop over all values.
#include "formats/voxels/voxel_file.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <map>

#include "libvox/base/bits.h"
#include "libvox/base/error.h"
#include "libvox/dag/walk.h"
#include "libvox/volume/volume.h"
#include "tests/common/random.h"
#include "tests/common/test_engine.h"

namespace vox {
namespace {

using Kind = VolumeMaterials::Kind;

template <class T>
StoredVolume stored_volume(StoredType type, Int3 size, const std::function<T(Int3)>& value) {
  StoredInfo info;
  info.size = size;
  info.type = type;
  info.source = "memory";
  return {info, [value](const VoxelBox& box, std::byte* to) {
            for (int32_t z = box.min.z; z < box.max.z; ++z)
              for (int32_t y = box.min.y; y < box.max.y; ++y)
                for (int32_t x = box.min.x; x < box.max.x; ++x, to += sizeof(T)) {
                  const T number = value({x, y, z});
                  std::memcpy(to, &number, sizeof(T));
                }
          }};
}

uint64_t noise(Int3 v) {
  return mix64(static_cast<uint64_t>(v.x) | static_cast<uint64_t>(v.y) << 20 |
               static_cast<uint64_t>(v.z) << 40);
}

// The scene as bytes: 0 for empty voxels, otherwise the entry + 1.
struct DenseScene {
  dag::VoxelScene scene;
  std::vector<uint8_t> values;

  explicit DenseScene(const StoredVolume& stored, const ValueEntries& entries)
      : scene(scene_of_voxels(voxels_of_volume(stored, entries), {}, "memory").scene) {
    dag::verify(scene.dag);
    const VoxelBox box = cube_at({0, 0, 0}, scene.dag.resolution);
    values.resize(box.voxels());
    dag::write_dense(scene.dag, box, values.data());
  }
  int at(Int3 v) const {
    const size_t side = scene.dag.resolution;
    return values[(static_cast<size_t>(v.z) * side + static_cast<size_t>(v.y)) * side +
                  static_cast<size_t>(v.x)];
  }
  // Compares all voxels. expected(v) is called only for voxels below `size`; all others must be empty.
  void expect(Int3 size, const std::function<int(Int3)>& expected) const {
    const auto side = static_cast<int32_t>(scene.dag.resolution);
    for (int32_t z = 0; z < side; ++z)
      for (int32_t y = 0; y < side; ++y)
        for (int32_t x = 0; x < side; ++x) {
          const bool inside = x < size.x && y < size.y && z < size.z;
          ASSERT_EQ(at({x, y, z}), inside ? expected({x, y, z}) : 0) << x << ' ' << y << ' ' << z;
        }
  }
};

constexpr Int3 kSize = {70, 9, 33};

TEST(VolumeVoxels, BinsFollowFromTheRangeAboveTheThreshold) {
  const auto value = [](Int3 v) { return static_cast<float>(static_cast<int>(noise(v) % 2001) - 1000) / 4; };
  const StoredVolume stored = stored_volume<float>(StoredType::F32, kSize, value);
  const ValueEntries entries = bins_of(stored, {.kind = Kind::Bins, .count = 5}, {.share = 0.3, .raw = {}});
  const DenseScene dense(stored, entries);
  EXPECT_EQ(dense.scene.dag.resolution, 70u);
  EXPECT_EQ(dense.scene.palette.count, 5u);
  EXPECT_EQ(dense.scene.palette.names[0], "-100 to -30");
  EXPECT_EQ(dense.scene.palette.colors[0], (scene::Rgb8{0x44, 0x01, 0x54}));
  EXPECT_EQ(dense.scene.palette.colors[4], (scene::Rgb8{0xfd, 0xe7, 0x25}));
  dense.expect(kSize, [&](Int3 v) {
    if (value(v) < -100) return 0;
    return std::min(static_cast<int>((value(v) + 100) / 70), 4) + 1;
  });
}

TEST(VolumeVoxels, TheSameVoxelsAreFilledAsInBricks) {
  const auto value = [](Int3 v) { return static_cast<int16_t>(noise(v) % 1200 - 200); };
  const StoredVolume stored = stored_volume<int16_t>(StoredType::I16, kSize, value);
  const volume::Volume known = memory_volume(kSize, volume::ValueType::I16, [&](Int3 v) {
    return static_cast<uint32_t>(static_cast<uint16_t>(value(v)));
  });
  for (const volume::ThresholdOptions& options :
       {volume::ThresholdOptions{}, volume::ThresholdOptions{.share = 0.25, .raw = {}},
        volume::ThresholdOptions{.share = {}, .raw = 99.5}}) {
    const volume::ValueRule rule = volume::value_rule(known, options);
    for (const Kind kind : {Kind::Bins, Kind::None}) {
      const DenseScene dense(stored, bins_of(stored, {.kind = kind}, options));
      EXPECT_EQ(dense.scene.dag.materials, kind == Kind::Bins);
      dense.expect(kSize, [&](Int3 v) {
        if (rule.word(static_cast<uint16_t>(value(v))) == 0) return 0;
        return kind == Kind::None ? 1 : dense.at(v) > 0 ? dense.at(v) : -1;
      });
    }
  }
}

TEST(VolumeVoxels, ABinMayHoldNoValueOrAll) {
  const StoredVolume flat =
      stored_volume<uint8_t>(StoredType::U8, {4, 4, 4}, [](Int3) { return uint8_t{9}; });
  DenseScene(flat, bins_of(flat, {}, {})).expect({4, 4, 4}, [](Int3) { return 1; });
  const StoredVolume ends =
      stored_volume<double>(StoredType::F64, {4, 1, 1}, [](Int3 v) { return v.x * 1e300; });
  DenseScene(ends, bins_of(ends, {}, {})).expect({4, 1, 1}, [](Int3 v) {
    return v.x * 16 / 3 + (v.x > 0 && v.x < 3);
  });
  const StoredVolume nan =
      stored_volume<float>(StoredType::F32, {2, 1, 1}, [](Int3 v) { return v.x == 1 ? NAN : 0; });
  EXPECT_THROW(bins_of(nan, {}, {}), Error);
  const StoredVolume wide =
      stored_volume<double>(StoredType::F64, {2, 1, 1}, [](Int3 v) { return v.x == 1 ? 1e308 : -1e308; });
  EXPECT_THROW(bins_of(wide, {}, {}), Error);
}

TEST(VolumeVoxels, SmallLabelsAreMaterialsByTheirNumber) {
  const auto value = [](Int3 v) { return static_cast<uint8_t>(noise(v) % 4 * 5); };  // 0, 5, 10, 15
  const StoredVolume stored = stored_volume<uint8_t>(StoredType::U8, kSize, value);
  const DenseScene dense(stored, labels_of(stored, {.kind = Kind::Labels}));
  EXPECT_EQ(dense.scene.palette.count, 15u);
  EXPECT_EQ(dense.scene.palette.names[9], "label 10");
  dense.expect(kSize, [&](Int3 v) { return static_cast<int>(value(v)); });
}

TEST(VolumeVoxels, LargeLabelsAreMaterialsInTheirOrder) {
  const std::map<int64_t, int> entries = {{0, 0}, {-7, 1}, {3, 2}, {4000000000, 3}, {int64_t{1} << 62, 4}};
  const auto value = [&](Int3 v) {
    return std::next(entries.begin(), static_cast<long>(noise(v) % 5))->first;
  };
  const StoredVolume stored = stored_volume<int64_t>(StoredType::I64, kSize, value);
  const DenseScene dense(stored, labels_of(stored, {.kind = Kind::Labels}));
  EXPECT_EQ(dense.scene.palette.count, 4u);
  EXPECT_EQ(dense.scene.palette.names[2], "label 4000000000");
  dense.expect(kSize, [&](Int3 v) { return entries.at(value(v)); });
}

TEST(VolumeVoxels, TooManyLabelsAreAnErrorUnlessTheSmallestMayShareAMaterial) {
  const QuietLog quiet;
  // Each multiple of 8 has half of the voxels of eight layers, and each other label half of one layer; 32 has
  // one layer.
  const auto value = [](Int3 v) { return static_cast<uint32_t>(noise(v) % 40 < 20 ? v.z : v.z / 8 * 8); };
  const StoredVolume stored = stored_volume<uint32_t>(StoredType::U32, kSize, value);
  EXPECT_THROW(labels_of(stored, {.kind = Kind::Labels}), Error);
  const DenseScene dense(stored, labels_of(stored, {.kind = Kind::Labels, .count = 4}));
  EXPECT_EQ(dense.scene.palette.count, 4u);
  EXPECT_EQ(dense.scene.palette.names[3], "other labels");
  const std::map<uint32_t, int> largest = {{8, 1}, {16, 2}, {24, 3}};
  dense.expect(kSize, [&](Int3 v) {
    const auto found = largest.find(value(v));
    return value(v) == 0 ? 0 : found == largest.end() ? 4 : found->second;
  });
}

TEST(VolumeVoxels, LabelsAreWholeNumbers) {
  const auto labels =
      stored_volume<float>(StoredType::F32, {4, 1, 1}, [](Int3 v) { return static_cast<float>(v.x); });
  DenseScene(labels, labels_of(labels, {})).expect({4, 1, 1}, [](Int3 v) { return v.x; });
  const auto half =
      stored_volume<float>(StoredType::F32, {4, 1, 1}, [](Int3 v) { return v.x == 2 ? 0.5f : 1; });
  try {
    labels_of(half, {});
    FAIL() << "expected an error";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "memory: voxel (2, 0, 0) is 0.5, expected whole numbers as labels");
  }
}

TEST(VolumeVoxels, AxesOfOtherSpacingAndDirectionTakeTheNearestValue) {
  const auto value = [](Int3 v) { return static_cast<uint8_t>(noise(v) % 17); };
  StoredVolume stored = stored_volume<uint8_t>(StoredType::U8, {30, 7, 5}, value);
  stored.info.spacing = {-0.5, 1.25, 2};
  stored.info.origin = {100, 10, 0};
  const DenseScene dense(stored, labels_of(stored, {}));
  EXPECT_EQ(dense.scene.voxel_size, 0.5);
  EXPECT_EQ(dense.scene.origin, (Vec3d{85, 10, 0}));
  // The volume is 7 · 1.25 / 0.5 = 17.5 voxels wide, which become 18.
  dense.expect({30, 18, 20}, [&](Int3 v) {
    return static_cast<int>(value({29 - v.x, std::min(static_cast<int>((v.y + 0.5) / 2.5), 6), v.z / 4}));
  });
}

TEST(VolumeVoxels, SpacingsThatMakeNoGridAreRefused) {
  StoredVolume stored =
      stored_volume<uint8_t>(StoredType::U8, {2, 2, 20000}, [](Int3) { return uint8_t{1}; });
  const ValueEntries entries = labels_of(stored, {});
  for (const Vec3d spacing : {Vec3d{1, 1, 65}, Vec3d{1, 1e-320, 1}, Vec3d{1, 1, 60}}) {
    stored.info.spacing = spacing;
    EXPECT_THROW(voxels_of_volume(stored, entries), Error) << spacing.y << ' ' << spacing.z;
  }
}

TEST(VolumeVoxels, APaletteGivesTheColors) {
  const StoredVolume stored =
      stored_volume<uint8_t>(StoredType::U8, {4, 1, 1}, [](Int3 v) { return static_cast<uint8_t>(v.x); });
  scene::Palette palette;
  palette.count = 3;
  for (uint8_t i = 0; i < 3; ++i) palette.colors[i] = {i, i, i};
  EXPECT_EQ(bins_of(stored, {}, {}, palette).palette.count, 3u);
  EXPECT_EQ(labels_of(stored, {}, palette).palette.colors[2], (scene::Rgb8{2, 2, 2}));
  EXPECT_THROW(bins_of(stored, {.kind = Kind::Bins, .count = 4}, {}, palette), Error);
  palette.count = 2;
  EXPECT_THROW(labels_of(stored, {}, palette), Error);
}

}  // namespace
}  // namespace vox
