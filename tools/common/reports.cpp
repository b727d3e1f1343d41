#include "tools/common/reports.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cmath>
#include <numeric>
#include <type_traits>

#include "libvox/base/json.h"
#include "libvox/base/units.h"
#include "tools/common/tool.h"

namespace vox {

std::string number_text(double value) {
  const double size = std::fabs(value);
  if (size != 0 && (size < 1e-3 || size >= 999999.5)) return fmt::format("{:.2e}", value);
  if (size < 999.5) return fmt::format("{:.3g}", value);
  return (value < 0 ? "-" : "") + format_count(static_cast<uint64_t>(size + 0.5));
}

namespace {

double percent(uint64_t part, uint64_t whole) {
  return 100 * static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

std::string bricks_line(const bricks::FrozenBricks& bricks) {
  return fmt::format("{} voxels of {}, {:.2f} % filled, as {} bricks of {}³ in {}, {:.2f} % of dense",
                     format_count(bricks.info.box().voxels()), volume::value_type_name(bricks.info.type),
                     percent(bricks.filled, bricks.info.box().voxels()), format_count(bricks.bricks()),
                     bricks.shape().side(), format_bytes(bricks.bytes()),
                     percent(bricks.bytes(), bricks.info.bytes()));
}

std::string describe_bricks(const bricks::FrozenBricks& bricks) {
  const volume::VolumeInfo& info = bricks.info;
  std::string text = fmt::format(
      "volume       {} x {} x {} voxels of {}, {} filled\n"
      "spacing      {:.6g}, {:.6g}, {:.6g}, origin {:.6g}, {:.6g}, {:.6g}\n"
      "source       {}\n"
      "bricks       {} of {}³ voxels, {}, {:.2f} % of dense\n"
      "  {:<11}  {:>15}  {:>7}  {:>12}\n",
      info.size.x, info.size.y, info.size.z, volume::value_type_name(info.type), format_count(bricks.filled),
      info.spacing.x, info.spacing.y, info.spacing.z, info.origin.x, info.origin.y, info.origin.z,
      info.source, format_count(bricks.bricks()), bricks.shape().side(), format_bytes(bricks.bytes()),
      percent(bricks.bytes(), info.bytes()), "type", "bricks", "share", "bytes");
  for (uint32_t type = 0; type < bricks::kBrickTypeCount; ++type)
    if (bricks.counts[type] > 0)
      text += fmt::format("  {:<11}  {:>15}  {:>5.1f} %  {:>12}\n", bricks::BrickTypes::kNames[type],
                          format_count(bricks.counts[type]), percent(bricks.counts[type], bricks.bricks()),
                          format_bytes(bricks.type_bytes(type)));
  return text;
}

ResultGroup& set_bricks(ResultGroup& results, const bricks::FrozenBricks& bricks) {
  ResultGroup& group = results.group("bricks");
  group.set("bytes", bricks.bytes(), "bytes")
      .set("size", bricks.shape().side(), "voxels")
      .set(in_json("count"), bricks.bricks(), "bricks")
      .set("filled", bricks.filled, "voxels")
      .set(in_json("value_type"), volume::value_type_name(bricks.info.type))
      .set("dense_bytes", bricks.info.bytes(), "bytes");
  const std::vector<std::string> names(bricks::BrickTypes::kNames.begin(), bricks::BrickTypes::kNames.end());
  std::vector<uint64_t> counts(bricks.counts.begin(), bricks.counts.end()), bytes;
  ResultGroup &types = group.group(in_json("types")), &type_bytes = group.group(in_json("type_bytes"));
  for (uint32_t type = 0; type < bricks::kBrickTypeCount; ++type) {
    bytes.push_back(bricks.type_bytes(type));
    types.set(names[type], counts[type], "bricks");
    type_bytes.set(names[type], bytes[type], "bytes");
  }
  group.table(in_report("types"))
      .column("name", "", names)
      .column("bricks", "bricks", std::move(counts))
      .column("bytes", "bytes", std::move(bytes));
  return group;
}

namespace {

std::string_view layout_name(const spatial::FrozenHash& hash) {
  return spatial::kKeyLayoutNames[static_cast<size_t>(hash.keys.layout)];
}

double filled_share(const spatial::FrozenHash& hash) {
  return static_cast<double>(hash.voxels) / static_cast<double>(hash.cells.size());
}

}  // namespace

std::string hash_line(const spatial::FrozenHash& hash) {
  return fmt::format("{} voxels as a spatial hash of {} cells, {:.1f} % full, in {}, {} keys, {} at most",
                     format_count(hash.voxels), format_count(hash.cells.size()), 100 * filled_share(hash),
                     format_bytes(hash.bytes()), layout_name(hash), format_count(hash.probes, "probe"));
}

void set_hash(ResultGroup& results, const spatial::FrozenHash& hash) {
  results.group("hash")
      .set("bytes", hash.bytes(), "bytes")
      .set("cells", uint64_t{hash.cells.size()}, "cells")
      .set("load_factor", filled_share(hash), "1")
      .set("layout", layout_name(hash))
      .set("probes", hash.probes, "buckets");
}

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
      {"voxel size", fmt::format("{:.6g} {}, origin {:.6g}, {:.6g}, {:.6g}, {} axis up", scene.voxel_size,
                                 scene.unit == scene::LengthUnit::Metre ? "m" : "scene units", scene.origin.x,
                                 scene.origin.y, scene.origin.z, up_text(scene.up))},
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

void set_scene(ResultGroup& results, const SceneFigures& figures) {
  const dag::VoxelScene& scene = figures.scene;
  const dag::FrozenDag& dag = scene.dag;
  ResultGroup& json = results.group(in_json("."));
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

namespace {

// Calls f with the name, the unit and a reader of each figure of a row, which may be changed through it.
template <class F>
void each_figure(const F& f) {
  f(
      "voxelize", "s", [](auto& row) -> auto& { return row.share.voxelize_seconds; });
  f(
      "build", "s", [](auto& row) -> auto& { return row.share.build_seconds; });
  f(
      "exchange", "s", [](auto& row) -> auto& { return row.share.merge_seconds; });
  f(
      "order", "s", [](auto& row) -> auto& { return row.share.order_seconds; });
  f(
      "keep", "s", [](auto& row) -> auto& { return row.share.keep_seconds; });
  f(
      "waited", "s", [](auto& row) -> auto& { return row.traffic.waited; });
  f(
      "sent", "bytes", [](auto& row) -> auto& { return row.traffic.sent; });
  f(
      "received", "bytes", [](auto& row) -> auto& { return row.traffic.received; });
  f(
      "items_kept", "items", [](auto& row) -> auto& { return row.share.items_kept; });
  f(
      "items_given", "items", [](auto& row) -> auto& { return row.share.items_given; });
  f(
      "peak_device_bytes", "bytes", [](auto& row) -> auto& { return row.peak_device_bytes; });
}

}  // namespace

std::vector<RankFigures> gathered(const RankFigures& own, ranks::Ranks& ranks) {
  std::vector<RankFigures> all(ranks.count());
  each_figure([&](const char*, const char*, const auto& figure) {
    using Figure = std::remove_cvref_t<decltype(figure(own))>;
    const std::vector<uint64_t> values = ranks.gather(std::bit_cast<uint64_t>(figure(own)));
    for (size_t i = 0; i < all.size(); ++i) figure(all[i]) = std::bit_cast<Figure>(values[i]);
  });
  return all;
}

void set_ranks(ResultGroup& results, const std::vector<RankFigures>& ranks) {
  if (ranks.empty()) return;
  ResultTable& table = results.table(in_json("ranks"));
  each_figure([&](const char* name, const char* unit, const auto& figure) {
    table.column(name, unit, ranks, [&](const RankFigures& row) { return figure(row); });
  });
}

void print_profile(const std::vector<device::KernelTime>& kernels) {
  std::string text =
      fmt::format("{:<28} {:>8} {:>10} {:>12} {:>10}\n", "kernel", "launches", "seconds", "bytes", "GB/s");
  for (const device::KernelTime& k : kernels)
    text += fmt::format("{:<28} {:>8} {:>10.4f} {:>12} {:>10.1f}\n", k.name, k.launches, k.seconds,
                        format_bytes(k.bytes),
                        k.seconds > 0 ? static_cast<double>(k.bytes) * 1e-9 / k.seconds : 0.0);
  print_message(text);
}

void set_profile(ResultGroup& results, const std::vector<device::KernelTime>& kernels) {
  if (kernels.empty()) return;
  results.table(in_json("kernels"))
      .column("name", "", kernels, &device::KernelTime::name)
      .column("launches", "", kernels, &device::KernelTime::launches)
      .column("seconds", "s", kernels, &device::KernelTime::seconds)
      .column("bytes", "bytes", kernels, &device::KernelTime::bytes);
}

}  // namespace vox
