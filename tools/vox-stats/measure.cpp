// Measures a scene for vox-stats within the memory that it may take. What does not fit is left out, and the log says so.
#include <algorithm>
#include <optional>
#include <utility>

#include "formats/io/compression.h"
#include "formats/scene/any_scene.h"
#include "libvox/base/error.h"
#include "libvox/base/log.h"
#include "libvox/base/process.h"
#include "libvox/base/progress.h"
#include "libvox/dag/derived.h"
#include "tools/vox-stats/stats.h"

namespace vox {
namespace {

bool compares(const SceneStats& stats) {
  return stats.has(Section::Sharing) || stats.has(Section::Sizes);
}

// Returns the scene without its materials, or nothing if it does not fit into memory.
std::optional<dag::FrozenDag> geometry_of(const dag::FrozenDag& dag, const StatsOptions& options) {
  try {
    const uint64_t half = 4 * memory_for_values(options.engine);  // of the memory
    return dag::without_materials(dag, dag.paged ? half : options.engine.memory_limit);
  } catch (const OutOfMemory&) {
    log_info(
        "the scene without its materials is not counted, because it does not fit into memory beside this "
        "one");
    return std::nullopt;
  }
}

// Returns how many bytes the process may still take.
uint64_t memory_left(const StatsOptions& options, const Engine& engine) {
  if (engine.device() != "cpu" || options.engine.memory_limit == 0) return UINT64_MAX;
  return options.engine.memory_limit - std::min(options.engine.memory_limit, resident_bytes());
}

// `geometry` is the scene without materials; nullptr if it does not fit into memory.
void measure_compression(SceneStats& stats, const StatsOptions& options, Engine& engine,
                         const dag::FrozenDag* geometry) {
  const dag::FrozenDag& dag = stats.scene.dag;
  const uint64_t memory = memory_left(options, engine);
  if (geometry != nullptr && !geometry->paged) {
    stats.compression =
        measure::measure_compression(engine, *geometry, deflated_size, zstd_size_or_none(), memory);
  } else {
    stats.compression =
        measure::octree_forms(dag, measure::count_dag(dag, memory_for_values(options.engine)));
    stats.compression->is_complete = false;
  }
  if (dag.materials && geometry != nullptr && !dag.paged && measure::material_forms_memory(dag) <= memory / 2)
    stats.compression->materials = measure::material_forms(dag, *geometry);
  else if (dag.materials)
    stats.compression->is_complete = false;
  if (stats.scene.colors) stats.compression->materials = measure::color_forms(*stats.scene.colors);
  if (!stats.compression->is_complete)
    log_info("the forms that are not shown are not counted, because counting them takes more memory");
}

std::vector<measure::TableReport> measure_tables(Engine& engine, const dag::FrozenDag& dag,
                                                 const StatsOptions& options) {
  measure::TablesQuery query = options.tables;
  query.predicts = !options.needs_tables();
  query.times = query.times || engine.device() != "cpu";
  std::vector<measure::TableReport> reports = measure::measure_tables(engine, dag, query);
  for (const measure::TableReport& report : reports)
    if (!report.built)
      log_info("the table {} with load factor {} does not fit into memory: only its predicted size is shown",
               report.table, report.load_factor);
  return reports;
}

}  // namespace

void count_scene(SceneStats& stats, const StatsOptions& options, ranks::Ranks& ranks) {
  const dag::FrozenDag& dag = stats.scene.dag;
  if (compares(stats) || stats.has(Section::Materials)) {
    stats.dag =
        measure::count_dag(dag, 2 * memory_for_values(options.engine), ranks);  // nothing else is held
    if (ranks.rank() == 0) measure::check_counts(*stats.dag, dag);
  } else if (ranks.rank() == 0 && (stats.has(Section::Levels) || stats.has(Section::Scene))) {
    stats.dag = measure::stated_counts(dag);
  }
  throw_if_cancelled();
}

void measure_scene(SceneStats& stats, const StatsOptions& options) {
  const dag::FrozenDag& dag = stats.scene.dag;
  const bool measures_geometry = options.geometry_tables && stats.has(Section::Memory);
  if (measures_geometry && !dag.materials)
    throw Error("the scene has no materials, so that --geometry has no effect");
  const bool compresses = stats.has(Section::Compression);
  const bool needs_geometry = ((compares(stats) || compresses) && dag.materials) || measures_geometry;
  const bool shows_scene = options.html && stats.has(Section::Scene) && dag.voxels > 0;
  const bool needs_picture = shows_scene && !options.viewer;
  if (shows_scene && options.viewer) stats.viewer = viewer_of(stats.scene, options);
  if (needs_geometry || needs_picture || compresses || stats.has(Section::Memory)) {
    // A processor's engine counts the memory that the process holds when it is made.
    std::optional<dag::FrozenDag> geometry;
    if (needs_geometry) geometry = geometry_of(dag, options);
    if (geometry && (compares(stats) || measures_geometry))
      stats.geometry = measure::count_dag(*geometry, memory_for_values(options.engine));
    if (!compresses && !measures_geometry) geometry.reset();
    const std::unique_ptr<Engine> engine = make_engine(options.engine);
    stats.device = engine->device();
    stats.device_text = engine->device_text();
    log_debug("on {}", stats.device_text);
    if (needs_picture) stats.picture = picture_of(*engine, stats.scene);
    if (compresses)
      measure_compression(stats, options, *engine, !dag.materials ? &dag : geometry ? &*geometry : nullptr);
    if (stats.has(Section::Memory)) {
      stats.tables = measure_tables(*engine, dag, options);
      if (measures_geometry && geometry) stats.geometry_tables = measure_tables(*engine, *geometry, options);
    }
    stats.kernels = engine->profile();
  }
  if (!stats.has(Section::Sizes)) return;
  stats.sizes = measure::scene_sizes(dag, *stats.dag, stats.geometry);
  if (stats.hash) stats.sizes.push_back(*stats.hash);
  if (stats.symmetric) stats.sizes.push_back(*stats.symmetric);
}

}  // namespace vox
