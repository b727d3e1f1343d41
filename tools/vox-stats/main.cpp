// vox-stats: what a scene file holds, and what it takes.
#include <fmt/format.h>

#include <filesystem>

#include "formats/scene_file.h"
#include "libvox/base/atomic_file.h"
#include "libvox/base/cancel.h"
#include "libvox/base/error.h"
#include "libvox/base/log.h"
#include "libvox/base/thread_limit.h"
#include "tools/common/profile.h"
#include "tools/common/tool.h"
#include "tools/vox-stats/stats.h"

namespace vox {

uint64_t SceneStats::dag_bytes() const {
  uint64_t words = 0;
  for (const DagLevel& level : scene.dag.levels) words += level.words.size();
  return words * sizeof(uint32_t);
}

double overhead(const SceneStats& stats, const TableMemory& memory) {
  const auto alone = static_cast<double>(stats.dag_bytes());
  return alone > 0 ? static_cast<double>(memory.total_bytes()) / alone - 1 : 0;
}

namespace {

// Before the work, not after it: can the report be written where it is to go?
void check_target(const StatsOptions& options) {
  if (!options.output) return;
  std::error_code ignored;
  if (std::filesystem::equivalent(*options.output, options.scene, ignored))
    throw UsageError(fmt::format("-o is '{}', which is the scene", options.output->string()));
  const AtomicFile output(*options.output);
}

void check_counts(const DagStats& counted, const FrozenDag& dag) {
  bool same = counted.voxels == dag.voxels;
  for (size_t level = 0; level < dag.levels.size(); ++level)
    same = same && counted.levels[level].unique_nodes == dag.levels[level].nodes &&
           counted.levels[level].svo_nodes == dag.levels[level].svo_nodes;
  if (!same)
    throw Error("the counts in the file are not those of its nodes").hint("vox-convert --verify says more");
}

std::set<Section> sections_of(const StatsOptions& options, const FrozenDag& dag) {
  std::set<Section> sections = options.sections;
  if (dag.materials) return sections;
  if (options.asked.count(Section::Materials) > 0)
    throw Error("the scene has no materials").hint("it was made with --materials none");
  sections.erase(Section::Materials);
  return sections;
}

void measure(SceneStats& stats, const StatsOptions& options) {
  const FrozenDag& dag = stats.scene.dag;
  stats.sections = sections_of(options, dag);
  const bool compares = stats.has(Section::Levels) || stats.has(Section::Sizes);
  if (compares || stats.has(Section::Scene) || stats.has(Section::Materials)) {
    stats.dag = count_dag(dag);
    check_counts(*stats.dag, dag);
  }
  throw_if_cancelled();
  const bool needs_geometry = compares && dag.materials;
  if (needs_geometry || stats.has(Section::Memory)) {
    const std::unique_ptr<Engine> engine = make_engine(options.engine);
    stats.device = engine->device();
    log_debug("on {}", engine->device_text());
    if (needs_geometry) stats.geometry = count_dag(engine->without_materials(dag));
    if (stats.has(Section::Memory)) {
      TablesQuery query = options.tables;
      query.times = query.times || engine->device() != "cpu";
      stats.tables = engine->measure_tables(dag, query);
    }
    stats.kernels = engine->profile();
  }
  if (stats.has(Section::Sizes)) stats.sizes = scene_sizes(dag, *stats.dag, stats.geometry);
}

void run(int argc, char** argv) {
  const StatsOptions options = parse_stats_options(argc, argv);
  const ThreadLimit threads(options.engine.threads);
  check_target(options);
  SceneStats stats;
  stats.file = options.scene.string();
  stats.scene = read_scene(options.scene);
  try {
    measure(stats, options);
  } catch (const Cancelled&) {
    throw;
  } catch (const UsageError&) {
    throw;
  } catch (const Error& error) {
    throw Error(error.what()).at(stats.file);
  }
  if (options.output) {
    Report report = report_of(stats);
    report.set("generator", generator_text()).set("command", options.command).set("created", timestamp());
    write_report(report, *options.output);
  }
  if (options.engine.profile) print_profile(stats.kernels);
  fmt::print("{}", options.json ? json_text(stats) : screen_text(stats));
}

}  // namespace
}  // namespace vox

int main(int argc, char** argv) {
  return vox::run_tool("vox-stats", [&] { vox::run(argc, argv); });
}
