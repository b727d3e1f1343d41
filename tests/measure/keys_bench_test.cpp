// Tests the rows of the benchmark of the tables of voxel keys, and the options that it refuses.
#include "libvox/measure/keys_bench.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "libvox/base/error.h"
#include "libvox/hash/keyed/key_table.h"
#include "libvox/measure/key_views.h"
#include "tests/common/test_engine.h"
#include "tests/dag/dense_dag.h"

namespace vox {
namespace {

using hash::KeyLayout;
using measure::KeyOp;
using measure::KeysBenchOptions;
using measure::KeysBenchRow;
using measure::KeySetKind;

KeysBenchOptions small_keys_options() {
  KeysBenchOptions options;
  options.tables = {"lines"};
  options.keys = {3000};
  options.searches = 2000;
  return options;
}

TEST(KeysBench, HasARowForEveryPointOfTheAxes) {
  KeysBenchOptions options = small_keys_options();
  options.tables = {};
  options.sets = {KeySetKind::Random, KeySetKind::Surface};
  options.layouts.assign(hash::kKeyLayouts.begin(), hash::kKeyLayouts.end());
  options.hit_rates = {0, 60};
  const auto result = measure::bench_keys(*test_engine(), options);
  using Point = std::tuple<std::string, double, std::string, std::string, std::string, uint32_t>;
  std::multiset<Point> points, expected;
  std::set<std::string> unmeasured;  // the tables that do not reach a load factor
  for (const KeysBenchRow& row : result.rows) {
    if (!row.error.empty()) unmeasured.insert(row.table);
    points.emplace(row.table, row.load_factor, row.set, row.layout, row.op, row.hit_rate.value_or(100));
  }
  std::erase_if(points, [&](const Point& point) { return unmeasured.contains(std::get<0>(point)); });
  for (const std::string& table : measure::chosen_tables({}))
    for (const double load : options.load_factors)
      for (const char* layout : {"", "row-major", "morton", "bit-reversed"}) {
        if (unmeasured.contains(table)) continue;
        const std::string set = *layout == 0 ? "random" : "surface";
        for (const char* op : {"build", "build-ordered", "find-stored"})
          expected.emplace(table, load, set, layout, op, 100);
        for (const uint32_t rate : {0u, 60u}) expected.emplace(table, load, set, layout, "find", rate);
        if (*layout != 0) expected.emplace(table, load, set, layout, "find-all", 100);
      }
  EXPECT_EQ(points, expected);
  EXPECT_EQ(unmeasured.count("lines"), 0u);
  EXPECT_EQ(measure::wrong_results(result), 0u);
}

TEST(KeysBench, SaysWhatWasMeasured) {
  KeysBenchOptions options = small_keys_options();
  options.sets = {KeySetKind::Random, KeySetKind::Pixels, KeySetKind::Image};
  options.key_bits = {20, 64};
  const auto result = measure::bench_keys(*test_engine(), options);
  ASSERT_EQ(result.ceilings.size(), 2u);
  for (const KeysBenchRow& row : result.rows) {
    ASSERT_EQ(row.error, "") << row.set;
    EXPECT_EQ(row.cell_bits, row.key_bits == 20 ? 32u : 64u);
    EXPECT_EQ(row.repetitions, 7u);
    EXPECT_GT(row.keys, 100u);
    EXPECT_LT(row.keys, 5000u);
    ASSERT_TRUE(row.time && row.bytes && row.attempts && row.most_probes);
    EXPECT_GT(row.time->min, 0);
    EXPECT_LE(row.time->min, row.time->median);
    EXPECT_LE(row.time->median, row.time->max);
    EXPECT_GT(*row.items_per_second(), 0);
    EXPECT_GE(*row.bytes, row.keys * row.cell_bits / 8);
    EXPECT_LE(*row.bytes, 3 * row.keys * row.cell_bits / 8 + 1000);
    const bool search = row.op.starts_with("find");
    EXPECT_EQ(row.sectors.has_value(), search);
    EXPECT_EQ(row.ceiling_share.has_value(), search);
    EXPECT_EQ(row.warp_sectors.has_value(), row.op == "find-all");
    if (row.op == "find-all") {
      EXPECT_GT(row.items, row.keys);
      EXPECT_LT(*row.warp_sectors, *row.sectors);
    } else {
      EXPECT_EQ(row.items, search ? 2000 : row.keys) << row.op;
    }
    if (search) {
      EXPECT_GE(*row.sectors, 1) << row.op;
    }
  }
}

TEST(KeysBench, ATableThatCannotBeBuiltIsARowThatSaysWhy) {
  KeysBenchOptions options = small_keys_options();
  options.sets = {KeySetKind::Surface};
  options.layouts = {KeyLayout::Morton};
  options.key_bits = {12, 40};
  options.load_factors = {0.5};
  const auto result = measure::bench_keys(*test_engine(), options);
  ASSERT_GT(result.rows.size(), 1u);
  const KeysBenchRow& row = result.rows.front();
  EXPECT_EQ(row.table, "lines");
  EXPECT_EQ(row.key_bits, 12u);
  EXPECT_EQ(row.load_factor, 0.5);
  EXPECT_FALSE(row.time || row.bytes || row.attempts || row.sectors);
  EXPECT_NE(row.error.find("more than 12"), std::string::npos) << row.error;
  for (size_t i = 1; i < result.rows.size(); ++i) EXPECT_EQ(result.rows[i].error, "");
}

TEST(KeysBench, GivesThePictureBackToTheLastPixel) {
  KeysBenchOptions options = small_keys_options();
  options.sets = {KeySetKind::Image};
  options.ops = {KeyOp::FindAll};
  options.key_bits = {40};
  options.value_bits = 24;
  options.rebuild = true;
  options.picture = {"a picture", 50, 31, std::vector<scene::Rgba8>(50 * 31, {255, 255, 255, 255})};
  for (uint32_t i = 0; i < 50 * 31; i += 1 + i % 7)
    options.picture.pixels[i] = {static_cast<uint8_t>(i), static_cast<uint8_t>(i >> 4), 77, 255};
  for (const KeyLayout layout : hash::kKeyLayouts) {
    options.layouts = {layout};
    const auto result = measure::bench_keys(*test_engine(), options);
    EXPECT_EQ(result.rebuilt.width, 50u);
    EXPECT_EQ(result.rebuilt.height, 31u);
    EXPECT_TRUE(result.rebuilt.pixels == options.picture.pixels);
    EXPECT_EQ(result.rows.front().items, 50u * 31);
  }
  std::ranges::fill(options.picture.pixels, scene::Rgba8{255, 255, 255, 255});
  EXPECT_THROW(measure::bench_keys(*test_engine(), options), Error);
}

TEST(KeysBench, CountsFailuresOfSmallBuilds) {
  KeysBenchOptions options = small_keys_options();
  options.sets = {KeySetKind::Random};
  options.failure_builds = 20;
  options.failure_keys = 3000;
  const auto result = measure::bench_keys(*test_engine(), options);
  ASSERT_EQ(result.failures.size(), 2u);
  for (const auto& row : result.failures) {
    EXPECT_EQ(row.table, "lines");
    EXPECT_EQ(row.builds, 20u);
    EXPECT_EQ(row.keys, 3000u);
    EXPECT_EQ(row.failed, 0u) << row.error;
    EXPECT_EQ(row.retried, 0u);
    EXPECT_EQ(row.most_attempts, 1u);
  }
}

TEST(KeysBench, BuildsAndSearchesForAsManyKeysAsThereAre) {
  for (const char* figure : {"a3", "a4"}) {
    KeysBenchOptions options = measure::key_figure(figure);
    options.keys = {2000, 5000};
    options.searches = 1000;
    const auto result = measure::bench_keys(*test_engine(), options);
    EXPECT_EQ(measure::wrong_results(result), 0u);
    ASSERT_EQ(result.rows.size(), 2u * options.tables.size() * 3) << figure;
    for (size_t i = 0; i < result.rows.size(); i += 3) {
      const KeysBenchRow &build = result.rows[i], &both = result.rows[i + 1], &find = result.rows[i + 2];
      ASSERT_EQ(build.error + both.error + find.error, "");
      EXPECT_EQ(build.op + " " + both.op + " " + find.op, "build build-and-find find");
      EXPECT_EQ(both.items, both.keys);
      EXPECT_EQ(find.items, 1000u);
      EXPECT_GT(both.time->median, 0);
      EXPECT_TRUE(build.kernels.empty());
    }
  }
}

TEST(KeysBench, SearchesWhatTablesHoldAfterTenChanges) {
  KeysBenchOptions options = small_keys_options();
  options.tables = {"lines", "robin"};
  options.sets = {KeySetKind::Random, KeySetKind::Pixels};
  options.key_bits = {20, 36};
  options.value_bits = 8;
  options.ops = {KeyOp::Change, KeyOp::FindChanged};
  const auto result = measure::bench_keys(*test_engine(), options);
  EXPECT_EQ(measure::wrong_results(result), 0u);
  uint64_t changes = 0, searches = 0;
  for (const KeysBenchRow& row : result.rows) {
    if (row.table == "robin") {
      EXPECT_FALSE(row.time);
      EXPECT_NE(row.error.find("do not change"), std::string::npos) << row.error;
      continue;
    }
    EXPECT_EQ(row.error, "");
    EXPECT_EQ(row.set, "random");  // other sets have no keys to add
    EXPECT_EQ(row.repetitions, row.op == "change" ? 9u : 7u);
    EXPECT_EQ(row.items, row.op == "change" ? 3000u : 2000u);
    EXPECT_EQ(row.hit_rate.has_value(), row.op == "find-changed");
    row.op == "change" ? ++changes : ++searches;
  }
  EXPECT_EQ(changes, 2u * 2);
  EXPECT_EQ(searches, 2u * 2 * 3);
}

TEST(KeysBench, HasTheStepsOfEachBuildOnADeviceThatProfiles) {
  KeysBenchOptions options = measure::key_figure("a5");
  options.keys = {2000, 4000};
  const auto result = measure::bench_keys(*test_engine({.profile = true}), options);
  ASSERT_EQ(result.rows.size(), 2u);
  for (const KeysBenchRow& row : result.rows) {
    std::set<std::string> steps;
    for (const device::KernelTime& kernel : row.kernels)
      if (kernel.launches > 0) steps.insert(kernel.name);
    for (const char* step : {"count items of buckets", "move items to buckets", "build buckets"})
      EXPECT_TRUE(steps.contains(step)) << step;
  }
}

TEST(KeysBench, HistogramsOfAgesCountEveryKeyOnce) {
  KeysBenchOptions options = measure::key_figure("4");
  options.tables = {"open", "robin", "robin-random", "cuckoo_buckets"};
  options.sets = {KeySetKind::Random, KeySetKind::Image};
  options.keys = {3000};
  const auto result = measure::bench_keys(*test_engine(), options);
  EXPECT_TRUE(result.rows.empty());
  std::map<std::pair<std::string, std::string>, uint64_t> counts, keys;
  for (const auto& row : result.ages) {
    counts[{row.table, row.set}] += row.count;
    keys[{row.table, row.set}] = row.keys;
  }
  EXPECT_EQ(counts, keys);
  EXPECT_EQ(counts.size(), 3u * 2);  // one table reports none
  ASSERT_EQ(result.age_pictures.size(), 2u);
  for (const auto& [point, image] : result.age_pictures) {
    EXPECT_TRUE(point.table.starts_with("robin"));
    EXPECT_EQ(point.set, "random");
    EXPECT_GE(image.width * image.height, 3000 / 0.8);
    EXPECT_LT(image.width * image.height, 3000 / 0.8 + 200);
  }
}

// With no turn, a frame shows every pixel at its place; with a quarter, rows become columns.
TEST(KeysBench, APictureTurnsAboutItsMiddle) {
  constexpr int32_t kUnit = 1 << measure::TurningPicture::kLog2Unit;
  for (const auto& [width, height] : {std::pair(8, 8), {7, 7}, {9, 5}}) {
    measure::TurningPicture picture = {width, height, 2};
    picture.turns[0] = {kUnit, 0};
    picture.turns[1] = {0, kUnit};
    for (uint64_t i = 0; i < picture.pixels(); ++i) {
      const auto x = static_cast<int32_t>(i) % width, y = static_cast<int32_t>(i) / width;
      EXPECT_EQ(picture.place(i), (Int3{x, y, 0}));
      EXPECT_TRUE(picture.is_seen(i));
      if (width != height) continue;
      EXPECT_EQ(picture.place(picture.pixels() + i), (Int3{width - 1 - y, x, 0}));
    }
  }
  const measure::TurningPicture picture = measure::turning_picture(100, 60, 1000);
  EXPECT_EQ(picture.frames, measure::TurningPicture::kMostFrames);
  uint64_t seen = 0;
  for (uint64_t i = 0; i < picture.candidates(); ++i) seen += picture.is_seen(i) ? 1 : 0;
  EXPECT_GT(seen, picture.candidates() / 2);
  EXPECT_LT(seen, picture.candidates());
  EXPECT_EQ(measure::turning_picture(100, 60, 0).frames, 1u);
}

TEST(KeysBench, MapsAndIndicesOfKeysWithSeveralValuesGiveAllOfThem) {
  KeysBenchOptions options = measure::key_figure("a6");
  options.tables = {};
  options.multiplicities = {1, 7, 3000};
  options.key_bits = {20, 64};
  options.keys = {3000};
  const auto result = measure::bench_keys(*test_engine(), options);
  EXPECT_EQ(measure::wrong_results(result), 0u);
  ASSERT_EQ(result.rows.size(), measure::chosen_tables({}).size() * 2 * 3 * 4);
  for (const KeysBenchRow& row : result.rows) {
    EXPECT_EQ(row.error, "") << row.table;
    EXPECT_EQ(row.items, 3000u);
    EXPECT_EQ(row.keys, 3000 / *row.multiplicity);
    EXPECT_EQ(row.cell_bits, row.key_bits == 20 ? 32u : 64u);
    EXPECT_TRUE(row.time && row.bytes);
  }
}

TEST(KeysBench, ViewsAreSearchedForWhatTheyShow) {
  KeysBenchOptions options = measure::key_figure("12");
  options.tables = {"lines", "robin"};
  options.sets = {KeySetKind::Surface, KeySetKind::Painted};
  options.load_factors = {0.8};
  options.keys = {2000};
  options.searches = 10000;
  const auto result = measure::bench_keys(*test_engine(), options);
  EXPECT_EQ(measure::wrong_results(result), 0u);
  uint64_t views = 0;
  for (const KeysBenchRow& row : result.rows) {
    ASSERT_EQ(row.error, "");
    if (row.op != "find-view") continue;
    ++views;
    EXPECT_GT(row.items, row.set == "surface" ? 2000u : 500u);
    EXPECT_LE(*row.warp_sectors, *row.sectors);
  }
  EXPECT_EQ(views, 2u * 2 * 2);
}

TEST(KeysBench, TheVoxelsOfASceneAreASetOfKeys) {
  const dag::FrozenDag dag = dense_dag(50, true, [](uint32_t x, uint32_t y, uint32_t z) {
    return y == 20 + (x + z) / 9 ? static_cast<int>(x % 5) : dag::kEmptyVoxel;
  });
  KeysBenchOptions options = measure::key_figure("12");
  options.tables = {"lines", "robin"};
  options.sets = {KeySetKind::Mesh};
  options.scene = measure::leaves_of(dag);
  options.load_factors = {0.8};
  options.searches = 10000;
  const auto result = measure::bench_keys(*test_engine(), options);
  EXPECT_EQ(measure::wrong_results(result), 0u);
  ASSERT_EQ(result.rows.size(), 2u * 2 * 2);
  for (const KeysBenchRow& row : result.rows) {
    EXPECT_EQ(row.error, "");
    EXPECT_EQ(row.set, "mesh");
    EXPECT_EQ(row.keys, dag.voxels);
  }
  const measure::SceneShape shape = {50, options.scene.leaves.data(), options.scene.masks.data(),
                                     options.scene.leaves.size()};
  for (uint32_t z = 0; z < 50; ++z)
    for (uint32_t y = 0; y < 50; ++y)
      for (uint32_t x = 0; x < 50; ++x)
        ASSERT_EQ(shape.is_filled({int32_t(x), int32_t(y), int32_t(z)}),
                  dag::voxel_at(dag, x, y, z) != dag::kEmptyVoxel);
}

TEST(AgesIn2d, KeepNeighborsTogetherWhereTheHashIsCoherent) {
  const measure::SparsePicture picture = {nullptr, 200, 200};
  const auto changes = [&](measure::Probes2d probes) {
    const measure::AgesIn2d ages = measure::maximum_ages_in_2d(picture, 0.8, probes);
    uint64_t pixels = 0, changes = 0;
    for (uint32_t y = 0; y < 200; ++y)
      for (uint32_t x = 0; x < 200; ++x) pixels += picture.color(x, y) != measure::kWhite ? 1 : 0;
    EXPECT_EQ(ages.keys, pixels);
    EXPECT_EQ(ages.ages.size(), size_t{ages.side} * ages.side);
    EXPECT_GE(static_cast<double>(ages.ages.size()) * 0.8, static_cast<double>(pixels));
    EXPECT_GT(*std::ranges::max_element(ages.ages), 1);
    for (size_t i = 1; i < ages.ages.size(); ++i) changes += ages.ages[i] != ages.ages[i - 1] ? 1 : 0;
    return changes;
  };
  EXPECT_LT(10 * changes(measure::Probes2d::Coherent), 7 * changes(measure::Probes2d::Random));
}

TEST(KeysBench, FiguresArePointsOfTheirAxes) {
  for (const measure::KeyFigure& figure : measure::key_figures())
    EXPECT_NO_THROW(measure::check(measure::key_figure(figure.name))) << figure.name;
  const auto sizes = measure::sizes_of(measure::key_figure("5"), "cpu");
  ASSERT_EQ(sizes.keys.size(), 10u);
  EXPECT_EQ(sizes.keys.front(), 256u);
  EXPECT_EQ(sizes.keys.back(), 131072u);
  EXPECT_EQ(measure::key_figure("10").layouts.size(), 3u);
  for (const char* none : {"2", "a7", "multi"}) EXPECT_THROW(measure::key_figure(none), UsageError) << none;
}

TEST(KeysBench, TakesItsSizesFromTheScaleOfTheDevice) {
  KeysBenchOptions options;
  EXPECT_EQ(measure::sizes_of(options, "cuda:0").keys, std::vector<uint64_t>{33554432});
  EXPECT_EQ(measure::sizes_of(options, "cuda:0").searches, 8388608u);
  EXPECT_EQ(measure::sizes_of(options, "cpu").keys, std::vector<uint64_t>{131072});
  options.scale = 0.5;
  options.searches = 77;
  EXPECT_EQ(measure::sizes_of(options, "cpu").keys, std::vector<uint64_t>{16777216});
  EXPECT_EQ(measure::sizes_of(options, "cpu").searches, 77u);
  options.keys = {5, 6};
  EXPECT_EQ(measure::sizes_of(options, "cpu").keys, (std::vector<uint64_t>{5, 6}));
  const auto refused = [](auto change) {
    KeysBenchOptions changed;
    change(changed);
    EXPECT_THROW(measure::sizes_of(changed, "cpu"), UsageError);
  };
  refused([](auto& o) { o.keys = {0}; });
  refused([](auto& o) { o.keys = {uint64_t{1} << 40}; });
  refused([](auto& o) { o.searches = 0; });
  refused([](auto& o) { o.scale = 0; });
  refused([](auto& o) { o.scale = 1e-12; });
  refused([](auto& o) { o.scale = 1e300; });
}

TEST(KeysBench, RefusesValuesThatAnAxisDoesNotHave) {
  const auto refused = [](auto change) {
    KeysBenchOptions options;
    change(options);
    EXPECT_THROW(measure::check(options), UsageError);
  };
  EXPECT_NO_THROW(measure::check(KeysBenchOptions()));
  refused([](auto& options) { options.tables = {"round"}; });
  refused([](auto& options) { options.load_factors = {}; });
  refused([](auto& options) { options.load_factors = {0.5, 0}; });
  refused([](auto& options) { options.load_factors = {1.01}; });
  refused([](auto& options) { options.key_bits = {7}; });
  refused([](auto& options) { options.key_bits = {65}; });
  refused([](auto& options) { options.value_bits = 1; });  // with keys of 64 bits
  refused([](auto& options) { options.value_bits = 32; });
  refused([](auto& options) { options.hit_rates = {101}; });
  refused([](auto& options) { options.repetitions = 6; });
  refused([](auto& options) { options.multiplicities = {0}; });
  refused([](auto& options) { options.failure_keys = 0; });
}

}  // namespace
}  // namespace vox
