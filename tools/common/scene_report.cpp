#include "tools/common/scene_report.h"

#include <fmt/format.h>

#include <numeric>

#include "libvox/base/plain_text.h"
#include "libvox/base/units.h"

namespace vox {
namespace {

const char* up_text(dag::UpAxis up) {
  return up == dag::UpAxis::X ? "x" : up == dag::UpAxis::Y ? "y" : "z";
}

const char* coverage_text(const dag::VoxelScene& scene) {
  return scene.coverage == scene::Coverage::Thin ? "thin" : "conservative";
}

std::string level_table(const SceneFigures& figures) {
  const dag::FrozenDag& dag = figures.scene.dag;
  std::string text =
      fmt::format("  {:>9}  {:>15}  {:>15}  {:>12}\n", "side", "octree nodes", "unique nodes", "bytes");
  for (uint32_t level = 0; level < dag.levels.size(); ++level) {
    const dag::DagLevel& row = dag.levels[level];
    text +=
        fmt::format("  {:>9}  {:>15}  {:>15}  {:>12}{}\n", dag.level_side(level), format_count(row.svo_nodes),
                    format_count(row.nodes), format_bytes(figures.level_bytes(level)),
                    level + 1 == dag.levels.size() ? "  leaves" : "");
  }
  return text;
}

std::string palette_table(const dag::VoxelScene& scene) {
  std::string text;
  for (uint32_t i = 0; i < scene.palette.count; ++i) {
    const scene::Rgb8 c = scene.palette.colors[i];
    const std::string color = fmt::format("#{:02x}{:02x}{:02x}", c.r, c.g, c.b);
    const std::string& name = scene.palette.names[i];
    text += fmt::format("  {:>2}  {}  {:5.1f} %{}\n", i, color, scene.shares[i] * 100,
                        name.empty() || name == color ? "" : "  " + escape_line(name));
  }
  return text;
}

}  // namespace

SceneFigures::SceneFigures(const dag::VoxelScene& scene) : scene(scene) {
  for (const dag::DagLevel& level : scene.dag.levels) level_words.push_back(level.words.size());
}

uint64_t SceneFigures::bytes() const {
  uint64_t sum = 0;
  for (size_t level = 0; level < level_words.size(); ++level) sum += level_bytes(level);
  return sum;
}

std::string summary_line(const SceneFigures& figures) {
  const dag::VoxelScene& scene = figures.scene;
  return fmt::format("{} voxels, {} unique nodes of {}, {} in memory, digest {}",
                     format_count(scene.dag.voxels), format_count(scene.dag.unique_nodes()),
                     format_count(scene.dag.svo_nodes()), format_bytes(figures.bytes()),
                     dag::to_string(scene.dag.digest));
}

std::vector<std::pair<std::string, std::string>> scene_facts(const SceneFigures& figures) {
  const dag::VoxelScene& scene = figures.scene;
  const dag::FrozenDag& dag = scene.dag;
  return {
      {"resolution", fmt::format("{} voxels along the longest side, cube of {}", dag.resolution, dag.side())},
      {"voxels",
       fmt::format("{} ({}{}{})", format_count(dag.voxels), coverage_text(scene),
                   scene.solid ? ", solid" : "", dag.materials ? ", 4-bit materials" : ", no materials")},
      {"voxel size",
       fmt::format("{:.6g} scene units, origin {:.6g}, {:.6g}, {:.6g}, {} axis up", scene.voxel_size,
                   scene.origin.x, scene.origin.y, scene.origin.z, up_text(scene.up))},
      {"digest", dag::to_string(dag.digest)},
      {"source", scene.source},
      {"made by", fmt::format("{}, {}", scene.generator, scene.created)},
      {"command", scene.command},
      {"nodes", fmt::format("{} unique of {} in the octree, {}", format_count(dag.unique_nodes()),
                            format_count(dag.svo_nodes()), format_bytes(figures.bytes()))}};
}

std::string describe_scene(const SceneFigures& figures) {
  const dag::VoxelScene& scene = figures.scene;
  std::string text;
  for (const auto& [name, value] : scene_facts(figures))
    text += fmt::format("{:<11}  {}\n", name, escape_line(value));
  text += level_table(figures);
  if (scene.palette.count > 0)
    text += fmt::format("palette (share of the surface{})\n{}", scene.history.empty() ? "" : " before edits",
                        palette_table(scene));
  if (!scene.history.empty())
    text += fmt::format("history      edited {} time{}, last {}\n", scene.history.size(),
                        scene.history.size() == 1 ? "" : "s", escape_line(scene.history.back().time));
  return text;
}

void set_scene(measure::ResultGroup& results, const SceneFigures& figures) {
  const dag::VoxelScene& scene = figures.scene;
  const dag::FrozenDag& dag = scene.dag;
  measure::ResultGroup& json = results.group(measure::in_json("."));
  json.set("digest", dag::to_string(dag.digest))
      .set("resolution", dag.resolution, "voxels")
      .set("depth", dag.depth(), "levels")
      .set("voxels", dag.voxels, "voxels")
      .set("unique_nodes", dag.unique_nodes(), "nodes")
      .set("svo_nodes", dag.svo_nodes(), "nodes")
      .set("dag_bytes", figures.bytes(), "bytes")
      .set("material_bits", dag.materials ? 4u : 0u, "bits")
      .set("coverage", coverage_text(scene))
      .set("solid", scene.solid)
      .set("voxel_size", scene.voxel_size, "scene units")
      .set("up", up_text(scene.up))
      .set("source", scene.source)
      .set("origin", std::vector{scene.origin.x, scene.origin.y, scene.origin.z}, "scene units");
  std::vector<uint64_t> sides, bytes;
  for (uint32_t level = 0; level < dag.levels.size(); ++level) {
    sides.push_back(dag.level_side(level));
    bytes.push_back(figures.level_bytes(level));
  }
  json.table("levels")
      .column("side", "voxels", sides)
      .column("svo_nodes", "nodes", dag.levels, &dag::DagLevel::svo_nodes)
      .column("unique_nodes", "nodes", dag.levels, &dag::DagLevel::nodes)
      .column("bytes", "bytes", std::move(bytes));
  std::vector<uint32_t> entries(scene.palette.count);
  std::iota(entries.begin(), entries.end(), 0u);
  json.table("palette")
      .column("color", "", entries, [&](uint32_t i) { return scene::hex_name(scene.palette.colors[i]); })
      .column("name", "", entries, [&](uint32_t i) { return scene.palette.names[i]; })
      .column("share", "1", entries, [&](uint32_t i) { return double{scene.shares[i]}; });
}

}  // namespace vox
