#include "tools/common/scene_report.h"

#include <fmt/format.h>

#include "libvox/base/units.h"

namespace vox {
namespace {

const char* up_text(UpAxis up) {
  return up == UpAxis::X ? "x" : up == UpAxis::Y ? "y" : "z";
}

const char* coverage_text(const VoxelScene& scene) {
  return scene.coverage == Coverage::Thin ? "thin" : "conservative";
}

uint64_t dag_bytes(const FrozenDag& dag) {
  uint64_t words = 0;
  for (const DagLevel& level : dag.levels) words += level.words.size();
  return words * sizeof(uint32_t);
}

std::string level_table(const FrozenDag& dag) {
  std::string text =
      fmt::format("  {:>9}  {:>15}  {:>15}  {:>12}\n", "side", "octree nodes", "unique nodes", "bytes");
  for (uint32_t level = 0; level < dag.levels.size(); ++level) {
    const DagLevel& row = dag.levels[level];
    text +=
        fmt::format("  {:>9}  {:>15}  {:>15}  {:>12}{}\n", dag.level_side(level), format_count(row.svo_nodes),
                    format_count(row.nodes), format_bytes(row.words.size() * sizeof(uint32_t)),
                    level + 1 == dag.levels.size() ? "  leaves" : "");
  }
  return text;
}

std::string palette_table(const VoxelScene& scene) {
  std::string text;
  for (uint32_t i = 0; i < scene.palette.count; ++i) {
    const Rgb8 c = scene.palette.colors[i];
    const std::string color = fmt::format("#{:02x}{:02x}{:02x}", c.r, c.g, c.b);
    const std::string& name = scene.palette.names[i];
    text += fmt::format("  {:>2}  {}  {:5.1f} %{}\n", i, color, scene.shares[i] * 100,
                        name.empty() || name == color ? "" : "  " + name);
  }
  return text;
}

}  // namespace

std::string summary_line(const VoxelScene& scene) {
  return fmt::format("{} voxels, {} unique nodes of {}, {} in memory, digest {}",
                     format_count(scene.dag.voxels), format_count(scene.dag.unique_nodes()),
                     format_count(scene.dag.svo_nodes()), format_bytes(dag_bytes(scene.dag)),
                     to_string(scene.dag.digest));
}

std::vector<std::pair<std::string, std::string>> scene_facts(const VoxelScene& scene) {
  const FrozenDag& dag = scene.dag;
  return {
      {"resolution", fmt::format("{} voxels along the longest side, cube of {}", dag.resolution, dag.side())},
      {"voxels",
       fmt::format("{} ({}{}{})", format_count(dag.voxels), coverage_text(scene),
                   scene.solid ? ", solid" : "", dag.materials ? ", 4-bit materials" : ", no materials")},
      {"voxel size",
       fmt::format("{:.6g} scene units, origin {:.6g}, {:.6g}, {:.6g}, {} axis up", scene.voxel_size,
                   scene.origin.x, scene.origin.y, scene.origin.z, up_text(scene.up))},
      {"digest", to_string(dag.digest)},
      {"source", scene.source},
      {"made by", fmt::format("{}, {}", scene.generator, scene.created)},
      {"command", scene.command},
      {"nodes", fmt::format("{} unique of {} in the octree, {}", format_count(dag.unique_nodes()),
                            format_count(dag.svo_nodes()), format_bytes(dag_bytes(dag)))}};
}

std::string describe_scene(const VoxelScene& scene) {
  const FrozenDag& dag = scene.dag;
  std::string text;
  for (const auto& [name, value] : scene_facts(scene)) text += fmt::format("{:<11}  {}\n", name, value);
  text += level_table(dag);
  if (scene.palette.count > 0)
    text += fmt::format("palette (share of the surface{})\n{}", scene.history.empty() ? "" : " before edits",
                        palette_table(scene));
  if (!scene.history.empty())
    text += fmt::format("history      edited {} time{}, last {}\n", scene.history.size(),
                        scene.history.size() == 1 ? "" : "s", scene.history.back().time);
  return text;
}

void set_scene(Json& json, const VoxelScene& scene) {
  const FrozenDag& dag = scene.dag;
  json.set("digest", to_string(dag.digest))
      .set("resolution", dag.resolution)
      .set("depth", dag.depth())
      .set("voxels", dag.voxels)
      .set("unique_nodes", dag.unique_nodes())
      .set("svo_nodes", dag.svo_nodes())
      .set("dag_bytes", dag_bytes(dag))
      .set("material_bits", dag.materials ? 4 : 0)
      .set("coverage", coverage_text(scene))
      .set("solid", scene.solid)
      .set("voxel_size", scene.voxel_size)
      .set("up", up_text(scene.up))
      .set("source", scene.source);
  json.array("origin").append(scene.origin.x).append(scene.origin.y).append(scene.origin.z);
  Json& levels = json.array("levels");
  for (uint32_t level = 0; level < dag.levels.size(); ++level)
    levels.append()
        .set("side", dag.level_side(level))
        .set("svo_nodes", dag.levels[level].svo_nodes)
        .set("unique_nodes", dag.levels[level].nodes)
        .set("bytes", dag.levels[level].words.size() * sizeof(uint32_t));
  Json& palette = json.array("palette");
  for (uint32_t i = 0; i < scene.palette.count; ++i) {
    const Rgb8 c = scene.palette.colors[i];
    palette.append()
        .set("color", fmt::format("#{:02x}{:02x}{:02x}", c.r, c.g, c.b))
        .set("name", scene.palette.names[i])
        .set("share", scene.shares[i]);
  }
}

}  // namespace vox
