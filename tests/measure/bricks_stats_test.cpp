#include "libvox/measure/bricks_stats.h"

#include <gtest/gtest.h>

#include "libvox/bricks/types/type_sets.h"
#include "tests/bricks/brick_volumes.h"
#include "tests/common/test_engine.h"

namespace vox {
namespace {

using testing_bricks::constant_volume;
using testing_bricks::mixed_volume;

measure::BricksStats stats_of(const volume::Volume& volume, Engine& engine) {
  return measure::measure_bricks(engine.build_bricks(volume, {.log2_side = 3, .threshold = {}}).bricks,
                                 engine);
}

TEST(BricksStats, SayOfEverySizeAndSetOfTypesWhatBuildingThemGives) {
  const auto engine = test_engine();
  const volume::Volume volume = mixed_volume({40, 33, 21}, volume::ValueType::U16, 1);
  const measure::BricksStats stats = stats_of(volume, *engine);
  ASSERT_EQ(stats.rows.size(), bricks::kBrickTypeSets.size());
  for (size_t row = 0; row < stats.rows.size(); ++row) {
    const bricks::BrickTypeSet& set = bricks::kBrickTypeSets[row];
    EXPECT_EQ(stats.rows[row].name, set.title);
    ASSERT_EQ(stats.rows[row].sizes.size(), 5u);
    for (uint32_t log2_side = 2; log2_side <= 6; ++log2_side) {
      const bricks::BrickTotals& totals = stats.rows[row].sizes[log2_side - 2];
      const bricks::FrozenBricks built =
          engine->build_bricks(volume, {.log2_side = log2_side, .types = set.types, .threshold = {}}).bricks;
      EXPECT_EQ(totals.log2_side, log2_side);
      EXPECT_EQ(totals.total_bytes(), built.bytes()) << set.name << " " << log2_side;
      EXPECT_EQ(totals.counts, built.counts) << set.name << " " << log2_side;
    }
  }
  EXPECT_EQ(&stats.all_types(), &stats.rows.back().sizes);
  EXPECT_EQ(bricks::kBrickTypeSets.back().types, bricks::kAllBrickTypes);
}

TEST(BricksStats, CompareTheBricksWithTheirFilledVoxelsAndTheDenseVolume) {
  const auto engine = test_engine();
  const volume::Volume volume = mixed_volume({40, 33, 21}, volume::ValueType::U16, 2);
  const measure::BricksStats stats = stats_of(volume, *engine);
  const std::vector<std::byte> values = all_values(volume);
  double voxels = 0, filled = 0;
  for (size_t i = 0; i < values.size(); i += 2) {
    ++voxels;
    filled += values[i] != std::byte{0} || values[i + 1] != std::byte{0} ? 1 : 0;
  }
  const auto bytes = static_cast<double>(stats.bricks.bytes());
  EXPECT_EQ(stats.filled_share(), filled / voxels);
  EXPECT_EQ(stats.dense_share(), bytes / (2 * voxels));
  EXPECT_NEAR(stats.overhead_bits(), 8 * bytes / filled - 16, 1e-9);
  for (const bricks::BrickTotals& totals : stats.all_types())
    for (uint32_t type = 0; type < bricks::kBrickTypeCount; ++type)
      EXPECT_EQ(measure::share_of(type, totals), static_cast<double>(totals.voxels[type]) / voxels);
}

TEST(BricksStats, CompareTheBricksWithTheSvdagWhereThereIsOne) {
  const auto engine = test_engine();
  measure::BricksStats stats = stats_of(mixed_volume({40, 33, 21}, volume::ValueType::U8, 3), *engine);
  ASSERT_EQ(stats.forms().size(), 1u);
  EXPECT_EQ(stats.forms()[0].name, "bricks");
  EXPECT_EQ(stats.forms()[0].text, "bricks of 8³");
  EXPECT_EQ(stats.forms()[0].bytes, stats.bricks.bytes());
  EXPECT_EQ(stats.to_svdag(stats.forms()[0]), 0);
  stats.svdag_bytes = 2 * stats.bricks.bytes();
  ASSERT_EQ(stats.forms().size(), 2u);
  EXPECT_EQ(stats.forms()[1].name, "svdag");
  EXPECT_EQ(stats.to_svdag(stats.forms()[0]), 0.5);
  EXPECT_EQ(stats.to_svdag(stats.forms()[1]), 1);
  stats.hash_bytes = 3 * *stats.svdag_bytes;
  ASSERT_EQ(stats.forms().size(), 3u);
  EXPECT_EQ(stats.forms()[2].name, "hash");
  EXPECT_EQ(stats.to_svdag(stats.forms()[2]), 3);
}

TEST(BricksStats, OfAVolumeWithoutFilledVoxelsDivideByNothing) {
  const auto engine = test_engine();
  const measure::BricksStats stats = stats_of(constant_volume({9, 8, 7}, volume::ValueType::F32, 0), *engine);
  EXPECT_EQ(stats.filled_share(), 0);
  EXPECT_EQ(stats.overhead_bits(), 0);
  for (const bricks::BrickTotals& totals : stats.all_types()) {
    EXPECT_EQ(measure::share_of(bricks::BrickTypes::kNumber<bricks::EmptyBrick>, totals), 1);
    EXPECT_EQ(measure::share_of(bricks::BrickTypes::kNumber<bricks::DenseBrick>, totals), 0);
  }
}

}  // namespace
}  // namespace vox
