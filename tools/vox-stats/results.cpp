// All measurements of vox-stats, as JSON and reports have them.
#include <numeric>

#include "tools/common/profile.h"
#include "tools/vox-stats/stats.h"

namespace vox {
namespace {

using Numbers = std::vector<uint64_t>;

Numbers along(const Int3& v) {
  return {static_cast<uint64_t>(v.x), static_cast<uint64_t>(v.y), static_cast<uint64_t>(v.z)};
}

void set_scene(measure::ResultGroup& scene, const SceneStats& stats) {
  const dag::FrozenDag& dag = stats.scene.dag;
  scene.set(measure::in_report("file"), stats.file)
      .set("digest", dag::to_string(dag.digest))
      .set("resolution", dag.resolution, "voxels")
      .set(measure::in_json("side"), dag.side(), "voxels")
      .set("depth", dag.depth(), "levels")
      .set("voxels", dag.voxels, "voxels")
      .set("material_bits", dag.materials ? 4u : 0u, "bits")
      .set("dag_bytes", stats.scene.dag.bytes(), "bytes");
  if (!stats.has(Section::Scene)) return;
  const VoxelBox& box = stats.dag->filled;
  measure::ResultGroup& filled = scene.group("filled");
  filled.set(measure::in_json("min"), along(box.min), "voxels")
      .set(measure::in_json("end"), along(box.max), "voxels");
  filled.table(measure::in_report("."))
      .column("axis", "", std::vector<std::string>{"x", "y", "z"})
      .column("min", "voxels", along(box.min))
      .column("end", "voxels", along(box.max));
}

}  // namespace

measure::ResultGroup results_of(const SceneStats& stats) {
  measure::ResultGroup results;
  results.set(measure::in_report("tool"), "vox-stats").set(measure::in_json("file"), stats.file);
  if (!stats.device.empty()) results.set(measure::in_json("device"), stats.device);
  results.set(measure::in_report("device"), stats.device);
  std::vector<uint32_t> palette(scene::kPaletteSize);
  std::iota(palette.begin(), palette.end(), 0);
  if (stats.has_scene) {
    measure::ResultGroup& scene = results.group("scene");
    set_scene(scene, stats);
    if (stats.has(Section::Materials))
      scene.put(measure::in_json("materials"), materials_table(stats.scene.palette, *stats.dag, palette));
  }
  if (stats.has(Section::Materials))
    results.put(measure::in_report("materials"), materials_table(stats.scene.palette, *stats.dag, palette));
  if (stats.has(Section::Levels)) {
    const dag::FrozenDag& dag = stats.scene.dag;
    std::vector<LevelRow> geometry;
    if (stats.geometry) geometry = level_rows(dag, *stats.geometry);
    results.put({"levels", "."}, levels_table(level_rows(dag, *stats.dag), geometry));
  }
  if (stats.has(Section::Sizes)) results.put("sizes", sizes_table(stats), measure::TableShape::ByName);
  if (stats.has(Section::Memory)) set_tables(results.group("tables"), stats);
  if (stats.bricks) set_bricks_stats(results, *stats.bricks);
  set_profile(results, stats.kernels);
  return results;
}

}  // namespace vox
