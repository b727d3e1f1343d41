// Compares the results of the benchmark of conversions with a conversion by the engine alone.
#include "libvox/measure/convert_bench.h"

#include <gtest/gtest.h>

#include "libvox/base/error.h"
#include "libvox/scene/auto_palette.h"
#include "libvox/scene/procedural/procedural.h"
#include "tests/common/test_engine.h"

namespace vox {
namespace {

using measure::ConvertBenchOptions;
using measure::ConvertBenchResult;
using measure::ConvertBenchRow;
using measure::ConvertSource;

ConvertSource sphere_source(uint64_t triangles) {
  ConvertSource source;
  source.name = "sphere";
  source.load = [=] { return scene::make_bumpy_sphere({.triangles = triangles, .texture_size = 16}); };
  source.choose_palette = [](scene::Scene& scene, scene::MaterialMode mode) {
    return scene::index_scene(scene, scene::mesh_palette(scene), mode);
  };
  return source;
}

EngineOptions test_engine_options() {
  return {.device = test_device()};
}

ConvertBenchOptions few_conversions() {
  ConvertBenchOptions options;
  options.resolutions = {20, 64};
  options.coverages = {scene::Coverage::Conservative, scene::Coverage::Thin};
  options.repetitions = 2;
  return options;
}

TEST(ConvertBench, HasARowForEachValueOfTheAxesWithTheSceneThatTheEngineBuilds) {
  ConvertSource source = sphere_source(500);
  std::vector<dag::Digest> written;
  source.write = [&](const dag::VoxelScene& scene) {
    written.push_back(scene.dag.digest);
    return measure::WrittenScene{12, 0.5};
  };
  const ConvertBenchOptions options = few_conversions();
  const ConvertBenchResult result = measure::bench_convert(test_engine_options(), {source}, options);
  ASSERT_EQ(result.rows.size(), 2u * 2 * 2);
  size_t at = 0;
  for (const scene::MaterialMode materials : options.materials)
    for (const scene::Coverage coverage : options.coverages)
      for (const uint32_t resolution : options.resolutions) {
        scene::Scene scene = source.load();
        const scene::IndexedScene indexed = source.choose_palette(scene, materials);
        const dag::FrozenDag expected =
            test_engine()
                ->build(scene, indexed, voxelize::fit_grid(scene, {.resolution = resolution}),
                        {.coverage = coverage, .materials = materials != scene::MaterialMode::None})
                .dag;
        const ConvertBenchRow& row = result.rows[at];
        EXPECT_EQ(row.resolution, resolution);
        EXPECT_EQ(row.coverage, coverage);
        EXPECT_EQ(row.materials, materials);
        EXPECT_EQ(row.voxels, expected.voxels);
        EXPECT_EQ(row.nodes, expected.unique_nodes());
        EXPECT_EQ(row.file_bytes, 12u);
        ASSERT_TRUE(row.phases.write);
        EXPECT_EQ(row.phases.write->median, 0.5);
        EXPECT_FALSE(row.phases.load);
        EXPECT_GE(row.phases.build.median, row.phases.freeze.min);
        EXPECT_GE(row.time.max, row.phases.voxelize.min + row.phases.build.min);
        for (size_t repetition = 0; repetition < 3; ++repetition)
          EXPECT_EQ(written.at(3 * at + repetition), expected.digest);
        ++at;
      }
}

TEST(ConvertBench, LoadsAFileAnewForEachRepetitionAndTimesIt) {
  ConvertSource source = sphere_source(100);
  source.is_file = true;
  uint32_t loads = 0;
  source.load = [&loads, load = source.load] {
    ++loads;
    return load();
  };
  ConvertBenchOptions options = few_conversions();
  options.materials = {scene::MaterialMode::Texture};
  const ConvertBenchResult result = measure::bench_convert(test_engine_options(), {source}, options);
  EXPECT_EQ(loads, 3u);
  for (const ConvertBenchRow& row : result.rows) EXPECT_TRUE(row.phases.load.has_value());
}

TEST(ConvertBench, HasTheKernelsOfEachRowWhereAProfileIsAskedFor) {
  ConvertBenchOptions options = few_conversions();
  options.materials = {scene::MaterialMode::None};
  EngineOptions engine = test_engine_options();
  for (const bool profile : {false, true}) {
    engine.profile = profile;
    for (const ConvertBenchRow& row : measure::bench_convert(engine, {sphere_source(100)}, options).rows)
      EXPECT_EQ(row.kernels.empty(), !profile);
  }
}

TEST(ConvertBench, RefusesWhatCannotBeMeasured) {
  const auto refused = [](const auto& change) {
    ConvertBenchOptions options = few_conversions();
    change(options);
    EXPECT_THROW(measure::bench_convert(test_engine_options(), {sphere_source(100)}, options), UsageError);
  };
  refused([](ConvertBenchOptions& o) { o.repetitions = 0; });
  refused([](ConvertBenchOptions& o) { o.resolutions = {2}; });
  refused([](ConvertBenchOptions& o) { o.coverages = {}; });
  refused([](ConvertBenchOptions& o) { o.materials = {}; });
}

}  // namespace
}  // namespace vox
