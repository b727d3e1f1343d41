// The JSON object that vox-stats prints.
#include <fmt/format.h>

#include "libvox/base/units.h"
#include "tools/common/profile.h"
#include "tools/vox-stats/stats.h"

namespace vox {
namespace {

void set_scene(Json& json, const SceneStats& stats) {
  const FrozenDag& dag = stats.scene.dag;
  json.set("digest", to_string(dag.digest))
      .set("resolution", dag.resolution)
      .set("side", dag.side())
      .set("depth", dag.depth())
      .set("voxels", dag.voxels)
      .set("material_bits", dag.materials ? 4 : 0)
      .set("dag_bytes", stats.dag_bytes());
  if (stats.has(Section::Scene)) {
    const VoxelBox& box = stats.dag->filled;
    Json& filled = json.object("filled");
    filled.array("min").append(box.min.x).append(box.min.y).append(box.min.z);
    filled.array("end").append(box.max.x).append(box.max.y).append(box.max.z);
  }
}

void set_materials(Json& json, const SceneStats& stats) {
  Json& materials = json.array("materials");
  for (size_t i = 0; i < kPaletteSize; ++i) {
    const Rgb8 c = stats.scene.palette.colors[i];
    materials.append()
        .set("color", fmt::format("#{:02x}{:02x}{:02x}", c.r, c.g, c.b))
        .set("name", stats.scene.palette.names[i])
        .set("voxels", stats.dag->material_voxels[i]);
  }
}

void set_uses(Json& json, const UseCounts& uses) {
  json.set("most", uses.most);
  Json& bins = json.array("bins");
  size_t last = uses.bins.size();
  while (last > 0 && uses.bins[last - 1] == 0) --last;
  for (size_t bin = 0; bin < last; ++bin) bins.append(uses.bins[bin]);
}

void set_level(Json& json, const LevelStats& level) {
  json.set("unique_nodes", level.unique_nodes)
      .set("reduction", level.reduction())
      .set("bytes", level.words * 4);
  Json& sizes = json.object("items_by_words");
  for (uint32_t words = kMinItemWords; words <= kMaxItemWords; ++words)
    sizes.set(std::to_string(words), level.item_sizes[words]);
  set_uses(json.object("pointers"), level.pointers);
  set_uses(json.object("places"), level.places);
}

void set_levels(Json& json, const SceneStats& stats) {
  for (size_t level = 0; level < stats.dag->levels.size(); ++level) {
    Json& row = json.append();
    row.set("level", level)
        .set("side", stats.scene.dag.level_side(static_cast<uint32_t>(level)))
        .set("svo_nodes", stats.dag->levels[level].svo_nodes);
    set_level(row, stats.dag->levels[level]);
    if (stats.geometry) set_level(row.object("geometry"), stats.geometry->levels[level]);
  }
}

void set_sizes(Json& json, const SceneStats& stats) {
  for (const SceneSize& size : stats.sizes)
    json.object(size.name)
        .set("what", size.text)
        .set("bytes", size.bytes)
        .set("bits_per_voxel", bits_per_voxel(size, stats.scene.dag.voxels));
}

void set_memory(Json& json, const TableMemory& memory) {
  json.set("items", memory.items)
      .set("buckets", memory.buckets)
      .set("slabs", memory.slabs)
      .set("items_bytes", memory.item_bytes)
      .set("empty_bytes", memory.empty_bytes)
      .set("fingerprint_bytes", memory.fingerprint_bytes)
      .set("link_bytes", memory.link_bytes)
      .set("padding_bytes", memory.padding_bytes)
      .set("bucket_bytes", memory.bucket_bytes)
      .set("bitmap_bytes", memory.bitmap_bytes)
      .set("slack_bytes", memory.slack_bytes)
      .set("total_bytes", memory.total_bytes())
      .set("allocated_bytes", memory.allocated_bytes());
  Json& lengths = json.array("chain_lengths");
  for (const uint64_t buckets : memory.chain_lengths) lengths.append(buckets);
}

// A prediction knows nothing of the allocator.
void set_prediction(Json& json, const TableMemory& memory) {
  json.set("slabs", memory.slabs)
      .set("empty_bytes", memory.empty_bytes)
      .set("total_bytes", memory.total_bytes());
}

void set_table(Json& json, const SceneStats& stats, const TableReport& report) {
  const TableMemory memory = sum(report.sizes);
  json.set("load_factor", report.load_factor)
      .set("build_seconds", report.build_seconds)
      .set("overhead", overhead(stats, memory));
  set_memory(json, memory);
  set_prediction(json.object("prediction"), sum(report.prediction));
  Json& sizes = json.array("sizes");
  for (size_t i = 0; i < report.sizes.size(); ++i) {
    Json& size = sizes.append();
    size.set("item_words", report.sizes[i].item_words);
    set_memory(size, report.sizes[i]);
    set_prediction(size.object("prediction"), report.prediction[i]);
  }
  Json& levels = json.array("levels");
  for (const LevelTimes& level : report.levels) {
    Json& row = levels.append();
    row.set("items", level.items).set("inserted", level.inserted).set("insert_seconds", level.insert_seconds);
    if (level.find_seconds > 0) row.set("find_seconds", level.find_seconds);
  }
}

// By name: the figures of the first load factor, and all load factors in an array.
void set_tables(Json& json, const SceneStats& stats) {
  for (size_t first = 0; first < stats.tables.size();) {
    const std::string& name = stats.tables[first].table;
    Json& table = json.object(name);
    set_table(table, stats, stats.tables[first]);
    Json& load_factors = table.array("load_factors");
    for (; first < stats.tables.size() && stats.tables[first].table == name; ++first)
      set_table(load_factors.append(), stats, stats.tables[first]);
  }
}

}  // namespace

std::string json_text(const SceneStats& stats) {
  Json json;
  json.set("file", stats.file);
  if (!stats.device.empty()) json.set("device", stats.device);
  if (stats.has_scene) {
    Json& scene = json.object("scene");
    set_scene(scene, stats);
    if (stats.has(Section::Materials)) set_materials(scene, stats);
  }
  if (stats.has(Section::Levels)) set_levels(json.array("levels"), stats);
  if (stats.has(Section::Sizes)) set_sizes(json.object("sizes"), stats);
  if (stats.has(Section::Memory)) set_tables(json.object("tables"), stats);
  if (stats.bricks) set_bricks_stats(json, *stats.bricks);
  set_profile(json, stats.kernels);
  return json.text() + "\n";
}

}  // namespace vox
