// The report that vox-stats writes as HDF5; the README says how it is laid out.
#include <fmt/format.h>

#include <functional>

#include "tools/vox-stats/stats.h"

namespace vox {
namespace {

using Numbers = std::vector<uint64_t>;

// value(row) of each row.
template <class Rows, class Value>
auto column(const Rows& rows, const Value& value) {
  std::vector<std::decay_t<decltype(value(*rows.begin()))>> values;
  for (const auto& row : rows) values.push_back(value(row));
  return values;
}

void add_scene(ReportGroup& group, const SceneStats& stats) {
  const FrozenDag& dag = stats.scene.dag;
  group.set("file", stats.file)
      .set("digest", to_string(dag.digest))
      .set("resolution", dag.resolution, "voxels")
      .set("depth", dag.depth(), "levels")
      .set("voxels", dag.voxels, "voxels")
      .set("material_bits", dag.materials ? 4u : 0u, "bits")
      .set("dag_bytes", stats.dag_bytes(), "bytes");
  if (!stats.has(Section::Scene)) return;
  const VoxelBox& box = stats.dag->filled;
  const auto along = [](const Int3& v) {
    return Numbers{static_cast<uint64_t>(v.x), static_cast<uint64_t>(v.y), static_cast<uint64_t>(v.z)};
  };
  group.group("filled")
      .column("axis", std::vector<std::string>{"x", "y", "z"})
      .column("min", along(box.min), "voxels")
      .column("end", along(box.max), "voxels");
}

void add_materials(ReportGroup& group, const SceneStats& stats) {
  const auto& palette = stats.scene.palette;
  const auto hex = [](Rgb8 c) { return fmt::format("#{:02x}{:02x}{:02x}", c.r, c.g, c.b); };
  group.column("color", column(palette.colors, hex))
      .column("name", std::vector<std::string>(palette.names.begin(), palette.names.end()))
      .column("voxels", Numbers(stats.dag->material_voxels.begin(), stats.dag->material_voxels.end()),
              "voxels");
}

void add_uses(ReportGroup& group, const std::vector<LevelStats>& levels, UseCounts LevelStats::*uses) {
  group.column("most", column(levels, [&](const LevelStats& level) { return (level.*uses).most; }), "uses");
  size_t last = 1;
  for (size_t bin = 0; bin < 64; ++bin)
    for (const LevelStats& level : levels)
      if ((level.*uses).bins[bin] > 0) last = bin + 1;
  for (size_t bin = 0; bin < last; ++bin)
    group.column(fmt::format("from_{}", uint64_t{1} << bin),
                 column(levels, [&](const LevelStats& level) { return (level.*uses).bins[bin]; }), "nodes");
}

void add_levels(ReportGroup& group, const FrozenDag& dag, const DagStats& stats) {
  const auto& levels = stats.levels;
  Numbers sides;
  for (uint32_t level = 0; level < levels.size(); ++level) sides.push_back(dag.level_side(level));
  group.column("side", sides, "voxels")
      .column("svo_nodes", column(levels, std::mem_fn(&LevelStats::svo_nodes)), "nodes")
      .column("unique_nodes", column(levels, std::mem_fn(&LevelStats::unique_nodes)), "nodes")
      .column("reduction", column(levels, std::mem_fn(&LevelStats::reduction)),
              "octree nodes per unique node")
      .column("bytes", column(levels, [](const LevelStats& level) { return level.words * 4; }), "bytes");
  ReportGroup& sizes = group.group("item_sizes");
  for (uint32_t words = kMinItemWords; words <= kMaxItemWords; ++words)
    sizes.column(fmt::format("words_{:02}", words),
                 column(levels, [&](const LevelStats& level) { return level.item_sizes[words]; }), "nodes");
  add_uses(group.group("pointers"), levels, &LevelStats::pointers);
  add_uses(group.group("places"), levels, &LevelStats::places);
}

void add_sizes(ReportGroup& group, const SceneStats& stats) {
  group.column("name", column(stats.sizes, std::mem_fn(&SceneSize::name)))
      .column("what", column(stats.sizes, std::mem_fn(&SceneSize::text)))
      .column("bytes", column(stats.sizes, std::mem_fn(&SceneSize::bytes)), "bytes")
      .column("bits_per_voxel",
              column(stats.sizes,
                     [&](const SceneSize& size) { return bits_per_voxel(size, stats.scene.dag.voxels); }),
              "bits per filled voxel");
}

// The same columns for what is measured and for what is predicted.
void add_memory(ReportGroup& group, const std::vector<TableMemory>& rows) {
  const auto bytes = [&](const char* name, const auto& value) {
    group.column(name, column(rows, std::mem_fn(value)), "bytes");
  };
  group
      .column("item_words", column(rows, [](const TableMemory& row) { return uint64_t{row.item_words}; }),
              "words")
      .column("items", column(rows, std::mem_fn(&TableMemory::items)), "items")
      .column("buckets", column(rows, std::mem_fn(&TableMemory::buckets)), "buckets")
      .column("slabs", column(rows, std::mem_fn(&TableMemory::slabs)), "slabs");
  bytes("items_bytes", &TableMemory::item_bytes);
  bytes("empty_bytes", &TableMemory::empty_bytes);
  bytes("fingerprint_bytes", &TableMemory::fingerprint_bytes);
  bytes("link_bytes", &TableMemory::link_bytes);
  bytes("padding_bytes", &TableMemory::padding_bytes);
  bytes("bucket_bytes", &TableMemory::bucket_bytes);
  bytes("total_bytes", &TableMemory::total_bytes);
}

void add_chains(ReportGroup& group, const TableReport& report) {
  const TableMemory measured = sum(report.sizes), predicted = sum(report.prediction);
  const size_t count = std::max(measured.chain_lengths.size(), predicted.chain_lengths.size());
  Numbers slabs, buckets = measured.chain_lengths, expected = predicted.chain_lengths;
  for (size_t length = 0; length < count; ++length) slabs.push_back(length);
  buckets.resize(count);
  expected.resize(count);
  group.column("slabs", slabs, "slabs")
      .column("buckets", buckets, "buckets")
      .column("predicted_buckets", expected, "buckets");
}

void add_times(ReportGroup& group, const FrozenDag& dag, const std::vector<LevelTimes>& levels) {
  Numbers sides;
  for (uint32_t level = 0; level < levels.size(); ++level) sides.push_back(dag.level_side(level));
  group.column("side", sides, "voxels")
      .column("items", column(levels, std::mem_fn(&LevelTimes::items)), "items")
      .column("inserted", column(levels, std::mem_fn(&LevelTimes::inserted)), "items")
      .column("insert", column(levels, std::mem_fn(&LevelTimes::insert_seconds)), "s")
      .column("find", column(levels, std::mem_fn(&LevelTimes::find_seconds)), "s");
}

void add_table(ReportGroup& group, const SceneStats& stats, const TableReport& report) {
  const TableMemory memory = sum(report.sizes);
  group.set("load_factor", report.load_factor, "items per bucket")
      .set("build_seconds", report.build_seconds, "s")
      .set("overhead", overhead(stats, memory), "of nodes and leaves alone")
      .set("items", memory.items, "items")
      .set("buckets", memory.buckets, "buckets")
      .set("slabs", memory.slabs, "slabs")
      .set("items_bytes", memory.item_bytes, "bytes")
      .set("total_bytes", memory.total_bytes(), "bytes")
      .set("allocated_bytes", memory.allocated_bytes(), "bytes")
      .set("predicted_total_bytes", sum(report.prediction).total_bytes(), "bytes");
  ReportGroup& measured = group.group("measured");
  add_memory(measured, report.sizes);
  measured.column("bitmap_bytes", column(report.sizes, std::mem_fn(&TableMemory::bitmap_bytes)), "bytes")
      .column("slack_bytes", column(report.sizes, std::mem_fn(&TableMemory::slack_bytes)), "bytes")
      .column("allocated_bytes", column(report.sizes, std::mem_fn(&TableMemory::allocated_bytes)), "bytes");
  add_memory(group.group("predicted"), report.prediction);
  add_chains(group.group("chains"), report);
  add_times(group.group("levels"), stats.scene.dag, report.levels);
}

}  // namespace

Report report_of(const SceneStats& stats) {
  Report report;
  report.set("tool", "vox-stats").set("device", stats.device);
  if (stats.has_scene) add_scene(report.group("scene"), stats);
  if (stats.bricks) add_bricks(report.group("bricks"), *stats.bricks);
  if (stats.has(Section::Materials)) add_materials(report.group("materials"), stats);
  if (stats.has(Section::Levels)) {
    add_levels(report.group("levels"), stats.scene.dag, *stats.dag);
    if (stats.geometry) add_levels(report.group("levels_geometry"), stats.scene.dag, *stats.geometry);
  }
  if (stats.has(Section::Sizes)) add_sizes(report.group("sizes"), stats);
  for (const TableReport& table : stats.tables)
    add_table(
        report.group("tables").group(table.table).group(fmt::format("load_factor_{}", table.load_factor)),
        stats, table);
  return report;
}

}  // namespace vox
