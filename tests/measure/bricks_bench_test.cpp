// Tests what the benchmark of bricks tells of itself while it runs; tests/tools/bricks_bench_test.cpp has its rows.

#include "libvox/measure/bricks_bench.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "libvox/base/progress.h"
#include "tests/common/test_engine.h"
#include "tests/common/volumes.h"

namespace vox {
namespace {

TEST(BricksBenchProgress, NamesEachMeasurement) {
  std::vector<std::string> told;
  set_progress_sink([&](const ProgressState& state) {
    if (!state.ended) told.push_back(std::string(state.what) + " " + std::string(state.detail));
  });
  const volume::Volume volume = memory_volume({20, 14, 9}, volume::ValueType::U8, [](Int3 v) {
    return static_cast<uint32_t>(v.x * v.y + v.z) % 200;
  });
  measure::BricksBenchOptions options;
  options.log2_sides = {3, 4};
  options.accesses = {bricks::Access::Direct};
  options.gathers = 100;
  options.picture = 16;
  options.repetitions = 1;
  const measure::BricksBenchResult result = measure::bench_bricks(*test_engine(), volume, options);
  set_progress_sink(nullptr);
  EXPECT_GE(told.size(), result.rows.size() / 2);
  const auto tells = [&](const std::string& text) {
    return std::ranges::any_of(told,
                               [&](const std::string& line) { return line.find(text) != std::string::npos; });
  };
  EXPECT_TRUE(tells("measuring "));
  EXPECT_TRUE(tells("direct, mean 7³"));
}

}  // namespace
}  // namespace vox
