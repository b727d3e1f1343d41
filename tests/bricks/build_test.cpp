// Builds whole volumes as bricks, at their own and at coarser resolutions, and compares them with dense values.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "libvox/base/error.h"
#include "libvox/bricks/bodies.h"
#include "libvox/bricks/device_bricks.h"
#include "libvox/bricks/frozen_bricks.h"
#include "libvox/bricks/make_bricks.h"
#include "libvox/device/cpu_device.h"
#include "tests/bricks/brick_volumes.h"
#include "tests/common/test_engine.h"

namespace vox {
namespace {

using namespace testing_bricks;

constexpr Int3 kSize = {71, 45, 66};  // not divisible by any brick size

std::vector<NamedVolume> volumes(volume::ValueType type) {
  return {{"mixed", mixed_volume(kSize, type, 1)},
          {"ball", ball_volume(kSize, type)},
          {"different values", memory_volume(kSize, type,
                                             [=](Int3 v) {
                                               const bool filled = (v.x / 8 + v.y / 4 + v.z / 8) % 3 == 0;
                                               return filled ? bits_near(type, 1 + noise(v, 4) % 30000) : 0u;
                                             })},
          {"empty", constant_volume(kSize, type, 0)},
          {"full", constant_volume(kSize, type, 9)},
          {"full, whole bricks", constant_volume({64, 64, 64}, type, 9)},
          {"one voxel", one_voxel_volume(kSize, type, {70, 44, 65})},
          {"of one voxel", constant_volume({1, 1, 1}, type, 3)},
          {"flat", mixed_volume({90, 1, 33}, type, 2)}};
}

void expect_values(const bricks::FrozenBricks& bricks, const volume::Volume& volume,
                   const volume::ValueRule& rule, const std::string& what) {
  ASSERT_EQ(bricks.info.size, volume.info.size) << what;
  const std::vector<uint32_t> words = dense_words(volume, rule);
  const std::vector<uint32_t> found = dense_words(bricks::bricks_volume(bricks), {.type = volume.info.type});
  uint64_t filled = 0;
  for (size_t i = 0; i < words.size(); ++i) {
    ASSERT_EQ(found[i], rule.bits(words[i])) << what << ", voxel " << i;
    filled += words[i] != 0 ? 1 : 0;
  }
  EXPECT_EQ(bricks.filled, filled) << what;
  EXPECT_NO_THROW(bricks::check_structure(bricks)) << what;
}

TEST(BuildBricks, GiveEveryValueBackAtEverySize) {
  const auto engine = test_engine();
  for (const volume::ValueType type :
       {volume::ValueType::U8, volume::ValueType::U16, volume::ValueType::I16, volume::ValueType::F32})
    for (const NamedVolume& named : volumes(type))
      for (uint32_t log2_side = 0; log2_side <= bricks::kMostTriedLog2;
           log2_side += log2_side == 0 ? bricks::kMinBrickLog2 : 1) {
        const bricks::BricksResult result =
            bricks::build_bricks(engine->handle(), named.volume, {.log2_side = log2_side, .threshold = {}});
        expect_values(
            result.bricks, named.volume, {.type = type},
            named.name + " " + std::string(volume::value_type_name(type)) + " " + std::to_string(log2_side));
      }
}

TEST(BuildBricks, AreTheSameWhereAVolumeTellsWhatIsEmpty) {
  const auto engine = test_engine();
  for (const NamedVolume& named : volumes(volume::ValueType::U8)) {
    volume::Volume told = named.volume;
    told.is_zero = [&volume = named.volume](const VoxelBox& box) {
      std::vector<std::byte> values(box.voxels());
      volume.read(box, values.data());
      return std::ranges::all_of(values, [](std::byte value) { return value == std::byte{0}; });
    };
    for (const uint32_t types : {bricks::kAllBrickTypes, bricks::kAllBrickTypes & ~1u})
      for (const uint32_t log2_side : {0u, 2u, 4u}) {
        const bricks::BricksOptions options = {.log2_side = log2_side,
                                               .types = types,
                                               .threshold = {},
                                               .piece_voxels = test_on_gpu() ? 1u << 15 : 1u << 12};
        const bricks::BricksResult all = bricks::build_bricks(engine->handle(), named.volume, options),
                                   some = bricks::build_bricks(engine->handle(), told, options);
        EXPECT_EQ(some.bricks.root, all.bricks.root) << named.name;
        EXPECT_EQ(some.bricks.data, all.bricks.data) << named.name;
        EXPECT_EQ(some.bricks.counts, all.bricks.counts) << named.name;
        EXPECT_EQ(some.bricks.filled, all.bricks.filled) << named.name;
        ASSERT_EQ(some.tried.size(), all.tried.size());
        for (size_t i = 0; i < all.tried.size(); ++i) {
          EXPECT_EQ(some.tried[i].counts, all.tried[i].counts) << named.name;
          EXPECT_EQ(some.tried[i].voxels, all.tried[i].voxels) << named.name;
          EXPECT_EQ(some.tried[i].total_bytes(), all.tried[i].total_bytes()) << named.name;
          EXPECT_EQ(some.tried[i].thesis_bytes, all.tried[i].thesis_bytes) << named.name;
        }
      }
  }
}

TEST(BuildBricks, OfAGridWhoseRootDoesNotFitAreRefusedBeforeAnythingIsRead) {
  volume::Volume huge;
  huge.info.size = {1 << 20, 1 << 20, 1 << 20};
  huge.read = [](const VoxelBox&, std::byte*) { FAIL() << "the volume is read"; };
  EXPECT_THROW(bricks::build_bricks(test_engine()->handle(), huge, {.threshold = {}}), OutOfMemory);
}

TEST(BuildBricks, GiveEveryValueBackOfEverySetOfTypes) {
  const auto engine = test_engine();
  const volume::Volume volume = mixed_volume({50, 40, 30}, volume::ValueType::U8, 3);
  for (uint32_t types = 1; types <= bricks::kAllBrickTypes; ++types) {
    const bricks::BricksOptions options = {.log2_side = 3, .types = types, .threshold = {}};
    if ((types & bricks::BrickTypes::kHoldAll) == 0) {
      EXPECT_THROW(bricks::build_bricks(engine->handle(), volume, options), UsageError);
      continue;
    }
    const bricks::FrozenBricks bricks = bricks::build_bricks(engine->handle(), volume, options).bricks;
    expect_values(bricks, volume, {.type = volume::ValueType::U8}, std::to_string(types));
    for (uint32_t type = 0; type < bricks::kBrickTypeCount; ++type)
      EXPECT_TRUE((types >> type & 1) != 0 || bricks.counts[type] == 0) << types;
  }
}

TEST(BuildBricks, LeaveOutWhatIsBelowTheThreshold) {
  const auto engine = test_engine();
  const volume::Volume volume = ball_volume(kSize, volume::ValueType::U8);
  const bricks::BricksOptions options = {.log2_side = 3, .threshold = {.share = {}, .raw = 100.5}};
  const volume::ValueRule rule = {.type = volume::ValueType::U8, .threshold = 100.5};
  expect_values(bricks::build_bricks(engine->handle(), volume, options).bricks, volume, rule, "raw");
}

TEST(BuildBricks, KeepNegativeValuesAndTheLowestForEmpty) {
  const auto engine = test_engine();
  const volume::Volume shorts = memory_volume(kSize, volume::ValueType::I16, [](Int3 v) {
    return uint32_t(uint16_t(int16_t(v.x < 30 ? -1024 : v.y * v.z - 1000)));
  });
  const bricks::FrozenBricks bricks =
      bricks::build_bricks(engine->handle(), shorts, {.log2_side = 4, .threshold = {}}).bricks;
  expect_values(bricks, shorts, {.type = volume::ValueType::I16, .background = 0xfc00}, "i16");
  EXPECT_GT(bricks.counts[0], 0u);  // the empty ones, of -1024
}

// Repeats, on the host, the computation on which the choice is based.
TEST(BuildBricks, NoOtherTypeIsSmallerThanTheChosen) {
  const auto engine = test_engine();
  std::set<uint32_t> seen;
  for (const volume::ValueType type : {volume::ValueType::U8, volume::ValueType::F32})
    for (const NamedVolume& named : volumes(type))
      for (uint32_t log2_side = bricks::kMinBrickLog2; log2_side <= bricks::kMostTriedLog2; ++log2_side) {
        const bricks::FrozenBricks bricks =
            bricks::build_bricks(engine->handle(), named.volume, {.log2_side = log2_side, .threshold = {}})
                .bricks;
        const bricks::BrickShape shape = bricks.shape();
        const bricks::BricksRef access = bricks::ref(bricks);
        std::array<uint64_t, bricks::kBrickTypeCount> words = {}, counts = {};
        volume::with_word_type(type, [&]<class T>() {
          for (uint64_t brick = 0; brick < bricks.bricks(); ++brick) {
            const Int3 grid = bricks.grid();
            const Int3 corner =
                Int3{int32_t(brick % uint64_t(grid.x)), int32_t(brick / uint64_t(grid.x)) % grid.y,
                     int32_t(brick / uint64_t(grid.x)) / grid.y} *
                int32_t(shape.side());
            std::vector<T> voxels(shape.voxels());
            std::vector<uint64_t> masks(shape.blocks());
            for (uint32_t code = 0; code < shape.voxels(); ++code) {
              const Int3 v = corner + morton_decode(code);
              if (!intersection({v, v + Int3{1, 1, 1}}, named.volume.info.box()).empty())
                named.volume.read({v, v + Int3{1, 1, 1}}, reinterpret_cast<std::byte*>(&voxels[code]));
              masks[code >> 6] |= uint64_t{voxels[code] != 0} << (code & 63);
            }
            bricks::BrickCounts count;
            bricks::CountBrick<T>{voxels.data(), masks.data(), shape, &count}(0);
            const uint32_t chosen = access.entry(brick).type;
            uint32_t size = 0;
            bricks::BrickTypes::with(chosen,
                                     [&]<class Type>() { size = Type::template bytes<T>(count, shape); });
            bricks::BrickTypes::each([&]<class Type>(uint32_t) {
              const uint32_t other = Type::template bytes<T>(count, shape);
              ASSERT_LE(size, other) << named.name << ": " << Type::kName;
            });
            EXPECT_EQ(access.entry(brick).place, words[chosen]);
            words[chosen] += size / 4;
            ++counts[chosen];
            seen.insert(chosen);
          }
        });
        EXPECT_EQ(counts, bricks.counts);
        for (uint32_t t = 0; t < bricks::kBrickTypeCount; ++t) EXPECT_EQ(words[t], bricks.data[t].size());
      }
  EXPECT_EQ(seen.size(), bricks::kBrickTypeCount);  // every type was the smallest once
}

TEST(BuildBricks, AreTheSameWhateverPiecesAndThreadsBuildThem) {
  const volume::Volume volume = mixed_volume({130, 70, 70}, volume::ValueType::U16, 4);
  for (const uint32_t log2_side : {0u, 3u, 6u}) {
    const auto built = [&](uint32_t threads, uint64_t piece) {
      const bricks::BricksOptions options = {.log2_side = log2_side, .threshold = {}, .piece_voxels = piece};
      return bricks::build_bricks(test_engine({.threads = threads})->handle(), volume, options).bricks;
    };
    const bricks::FrozenBricks whole = built(1, 1 << 20);
    for (const uint32_t threads : {1u, 2u, 5u})
      for (const uint64_t piece : {1u, 5000u, 300000u}) {
        if (test_on_gpu() && (threads > 1 || piece == 1)) continue;
        const bricks::FrozenBricks parts = built(threads, piece);
        EXPECT_EQ(parts.log2_side, whole.log2_side);
        EXPECT_EQ(parts.root, whole.root);
        EXPECT_EQ(parts.data, whole.data);
      }
  }
}

TEST(BuildBricks, AutoTakesTheSizeOfLeastMemory) {
  const auto engine = test_engine();
  for (const uint32_t types : {bricks::kAllBrickTypes, 2u})  // 2: only dense ones
    for (const NamedVolume& named : volumes(volume::ValueType::U8)) {
      const bricks::BricksResult automatic =
          bricks::build_bricks(engine->handle(), named.volume, {.types = types, .threshold = {}});
      ASSERT_EQ(automatic.tried.size(), 5u);
      for (const bricks::BrickTotals& totals : automatic.tried) {
        const bricks::BricksOptions options = {
            .log2_side = totals.log2_side, .types = types, .threshold = {}};
        const bricks::FrozenBricks bricks =
            bricks::build_bricks(engine->handle(), named.volume, options).bricks;
        EXPECT_EQ(bricks.bytes(), totals.total_bytes()) << named.name;
        EXPECT_EQ(bricks.filled, totals.filled) << named.name;
        EXPECT_EQ(bricks.counts, totals.counts) << named.name;
        EXPECT_LE(automatic.bricks.bytes(), bricks.bytes()) << named.name;
      }
    }
}

// Counts voxel by voxel the type of the brick that contains it.
TEST(MeasureBricks, CountTheVoxelsOfTheVolumeThatBricksOfEachTypeHold) {
  const auto engine = test_engine();
  for (const Int3 size : {kSize, Int3{64, 64, 64}, {48, 48, 48}, {65, 3, 130}, {5, 64, 1}, {1, 1, 1}})
    for (const uint64_t piece : {uint64_t{0}, uint64_t{1}}) {
      const volume::Volume volume = mixed_volume(size, volume::ValueType::U8, 6);
      const bricks::BricksOptions options = {.threshold = {}, .piece_voxels = piece};
      for (const bricks::BrickTotals& totals : bricks::measure_bricks(engine->handle(), volume, options)) {
        const bricks::FrozenBricks bricks =
            bricks::build_bricks(engine->handle(), volume, {.log2_side = totals.log2_side, .threshold = {}})
                .bricks;
        const bricks::BricksRef access = bricks::ref(bricks);
        std::array<uint64_t, bricks::kBrickTypeCount> voxels = {};
        for (uint64_t i = 0; i < volume.info.box().voxels(); ++i) {
          const Int3 v = volume::voxel_at(volume.info.box(), i);
          const auto log2 = static_cast<int32_t>(totals.log2_side);
          ++voxels[access.entry(access.index({v.x >> log2, v.y >> log2, v.z >> log2})).type];
        }
        EXPECT_EQ(totals.voxels, voxels) << size.x << ' ' << totals.log2_side;
        EXPECT_EQ(totals.counts, bricks.counts) << size.x << ' ' << totals.log2_side;
      }
    }
}

TEST(MeasureBricks, NeverTakeMoreThanTheThesis) {
  const auto engine = test_engine();
  for (const volume::ValueType type : {volume::ValueType::U8, volume::ValueType::U16, volume::ValueType::F32})
    for (const NamedVolume& named : volumes(type))
      for (const uint32_t types : {bricks::kThesisBrickTypes, bricks::kAllBrickTypes})
        for (const bricks::BrickTotals& totals :
             bricks::measure_bricks(engine->handle(), named.volume, {.types = types, .threshold = {}}))
          EXPECT_LE(totals.total_bytes(), totals.thesis_bytes) << named.name << " " << totals.log2_side;
}

TEST(CheckStructure, RefusesBricksThatLeaveTheirData) {
  const auto engine = test_engine();
  const bricks::FrozenBricks good =
      bricks::build_bricks(engine->handle(), mixed_volume(kSize, volume::ValueType::U8, 5),
                           {.log2_side = 3, .threshold = {}})
          .bricks;
  const auto expect_refused = [](const bricks::FrozenBricks& bricks) {
    EXPECT_THROW(bricks::check_structure(bricks), Error);
  };
  bricks::FrozenBricks bad = good;
  bad.root.pop_back();
  expect_refused(bad);
  bad = good;
  bad.root[7] |= 0xf;  // no such type
  expect_refused(bad);
  bad = good;
  bad.log2_side = 4;
  expect_refused(bad);
  bad = good;
  bad.place_log2 = 1;  // only sparse roots have larger units
  expect_refused(bad);
  for (uint32_t type = 0; type < bricks::kBrickTypeCount; ++type) {
    if (good.data[type].empty()) continue;
    bad = good;
    bad.data[type].pop_back();
    expect_refused(bad);
  }
  bad = good;
  for (uint32_t& entry : bad.root) entry |= 0xfffffff0;
  expect_refused(bad);
}

// Tests bricks in a device's memory; on GPUs the pictures of volumes test them.

TEST(DeviceBricks, GiveEveryVoxelAfterTheHostsBricksAreGone) {
  const volume::Volume volume = mixed_volume({71, 45, 66}, volume::ValueType::U16, 1);
  const std::vector<uint32_t> words = dense_words(volume, {.type = volume::ValueType::U16});
  device::CpuDevice device(uint64_t{1} << 32, false);
  for (const uint32_t log2_side : {2u, 3u, 6u}) {
    bricks::FrozenBricks bricks =
        bricks::build_bricks(test_engine()->handle(), volume, {.log2_side = log2_side, .threshold = {}})
            .bricks;
    const bricks::DeviceBricks on_device(device, bricks);
    for (Words* gone : {&bricks.root, &bricks.data[1], &bricks.data[2], &bricks.data[3]})
      std::ranges::fill(*gone, 0xffffffff);
    bricks = {};
    const bricks::DenseRootRef access = {on_device.ref()};
    size_t i = 0;
    for (Int3 v = {0, 0, 0}; v.z < 66; ++v.z)
      for (v.y = 0; v.y < 45; ++v.y)
        for (v.x = 0; v.x < 71; ++v.x) ASSERT_EQ(access.get<uint16_t>(v), words[i++]) << log2_side;
  }
}

using testing_bricks::mixed_volume;

TEST(VerifyBricks, FindsAWrongNumberOfFilledVoxelsAndBricksThatLeaveTheirData) {
  for (const volume::ValueType type : {volume::ValueType::U8, volume::ValueType::U16, volume::ValueType::F32})
    for (uint32_t log2_side = bricks::kMinBrickLog2; log2_side <= bricks::kMostTriedLog2; ++log2_side) {
      const volume::Volume volume = mixed_volume({40, 25, 30}, type, 1);
      const bricks::FrozenBricks bricks =
          bricks::build_bricks(test_engine()->handle(), volume, {.log2_side = log2_side, .threshold = {}})
              .bricks;
      EXPECT_NO_THROW(bricks::verify(bricks));
      bricks::FrozenBricks more = bricks, outside = bricks;
      ++more.filled;
      EXPECT_THROW(bricks::verify(more), Error);
      outside.root.back() |= 0xfff0;
      EXPECT_THROW(bricks::verify(outside), Error);
    }
}

TEST(TypesVolume, HasTheTypeOfTheBrickWhereVoxelsAreFilled) {
  const volume::Volume volume = mixed_volume({40, 25, 30}, volume::ValueType::U16, 3);
  const auto engine = test_engine();
  const bricks::FrozenBricks bricks =
      bricks::build_bricks(engine->handle(), volume, {.log2_side = 3, .threshold = {}}).bricks;
  const std::vector<std::byte> types = all_values(bricks::types_volume(bricks));
  const std::vector<uint32_t> words = dense_words(volume, {.type = volume::ValueType::U16});
  ASSERT_EQ(types.size(), words.size());
  std::array<std::set<uint64_t>, bricks::kBrickTypeCount> found;  // the bricks of each type
  for (size_t i = 0; i < words.size(); ++i) {
    const auto type = static_cast<uint32_t>(types[i]);
    ASSERT_LT(type, bricks::kBrickTypeCount);
    ASSERT_EQ(type != 0, words[i] != 0) << i;
    const size_t x = i % 40 / 8, y = i / 40 % 25 / 8, z = i / 40 / 25 / 8;
    if (type != 0) found[type].insert(x + 5 * (y + 4 * z));
  }
  for (uint32_t type = 1; type < bricks::kBrickTypeCount; ++type)
    EXPECT_EQ(found[type].size(), bricks.counts[type]) << type;
}

// Compares the coarser levels of volumes with means that are computed voxel by voxel.

// Returns the mean of the voxels below a voxel of the next coarser level, in the bits of the type.
uint32_t mean_below(const volume::Volume& fine, const std::vector<std::byte>& values, Int3 at) {
  const Int3 size = fine.info.size;
  double sum = 0;
  int count = 0;
  for (int i = 0; i < 8; ++i) {
    const Int3 v = at * 2 + Int3{i & 1, i >> 1 & 1, i >> 2};
    if (v.x >= size.x || v.y >= size.y || v.z >= size.z) continue;
    const auto index = static_cast<uint64_t>((int64_t{v.z} * size.y + v.y) * size.x + v.x);
    sum += volume::value_number(fine.info.type, volume::bits_at(fine.info.type, values.data(), index));
    ++count;
  }
  return fine.info.type == volume::ValueType::F32
             ? std::bit_cast<uint32_t>(static_cast<float>(sum / count))
             : static_cast<uint32_t>(static_cast<int32_t>(std::floor(sum / count + 0.5))) &
                   (fine.info.type == volume::ValueType::U8 ? 0xff : 0xffff);
}

TEST(CoarserLevels, AreTheMeansOfTheLevelBefore) {
  const auto engine = test_engine();
  for (const volume::ValueType type :
       {volume::ValueType::U8, volume::ValueType::U16, volume::ValueType::I16, volume::ValueType::F32})
    for (const bricks::BrickRoot root : {bricks::BrickRoot::Dense, bricks::BrickRoot::Sparse}) {
      const bricks::FrozenBricks first =
          bricks::build_bricks(engine->handle(), signed_volume({71, 45, 66}, type, 2),
                               {.log2_side = 3, .threshold = {}, .root = root})
              .bricks;
      const std::vector<bricks::FrozenBricks> levels = bricks::coarser_levels(engine->handle(), first, 3);
      ASSERT_EQ(levels.size(), 3u);
      EXPECT_EQ(levels[2].info.size, (Int3{9, 6, 9}));
      EXPECT_EQ(levels[2].info.spacing, first.info.spacing * 8.0);
      for (size_t level = 0; level < levels.size(); ++level) {
        EXPECT_NO_THROW(bricks::verify(levels[level]));
        const volume::Volume fine = bricks::bricks_volume(level == 0 ? first : levels[level - 1]),
                             coarse = bricks::bricks_volume(levels[level]);
        const std::vector<std::byte> from = all_values(fine), is = all_values(coarse);
        for (uint64_t i = 0; i < coarse.info.box().voxels(); ++i)
          ASSERT_EQ(volume::bits_at(type, is.data(), i),
                    mean_below(fine, from, volume::voxel_at(coarse.info.box(), i)))
              << volume::value_type_name(type) << ", level " << level + 1 << ", voxel " << i;
      }
    }
}

TEST(CoarserLevels, EndWhereTheVolumeIsSmall) {
  EXPECT_EQ(bricks::levels_to_the_coarsest({64, 3, 1}), 0u);
  EXPECT_EQ(bricks::levels_to_the_coarsest({65, 3, 1}), 1u);
  EXPECT_EQ(bricks::levels_to_the_coarsest({9, 1000, 64}), 4u);
}

}  // namespace
}  // namespace vox
