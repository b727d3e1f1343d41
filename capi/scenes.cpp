// Scenes of the C interface: facts about them, saving, and what changes them.
#include <algorithm>
#include <cstring>

#include "capi/handles.h"
#include "formats/file_types.h"
#include "formats/scene/any_scene.h"
#include "formats/scene/scene_file.h"
#include "formats/script/scripts.h"
#include "formats/voxels/export.h"
#include "libvox/base/json.h"
#include "libvox/base/progress.h"
#include "libvox/base/units.h"
#include "libvox/dag/colors.h"
#include "libvox/dag/derived.h"
#include "libvox/edit/edit_session.h"
#include "libvox/edit/editor.h"
#include "libvox/edit/script.h"
#include "libvox/measure/stats.h"

namespace vox {
namespace {

vox_info info_of(const dag::VoxelScene& scene) {
  const dag::FrozenDag& dag = scene.dag;
  vox_info info = {};
  info.resolution = dag.resolution;
  info.depth = dag.depth();
  info.voxels = dag.voxels;
  info.unique_nodes = dag.unique_nodes();
  info.dag_bytes = dag.bytes();
  for (uint32_t axis = 0; axis < 3; ++axis) info.origin[axis] = scene.origin[axis];
  for (uint32_t axis = 0; axis < 3; ++axis) info.voxel_size[axis] = scene.voxel_size[axis];
  info.material_bits = dag.materials ? 4 : 0;
  info.has_colors = scene.colors ? 1 : 0;
  info.coverage = static_cast<uint32_t>(scene.coverage);
  info.solid = scene.solid ? 1 : 0;
  info.up = static_cast<uint32_t>(scene.up) + VOX_UP_X;
  info.palette_count = scene.palette.count;
  for (uint32_t i = 0; i < scene.palette.count; ++i) {
    const scene::Rgb8 color = scene.palette.colors[i];
    const uint8_t rgba[4] = {color.r, color.g, color.b, 255};
    std::memcpy(info.palette[i], rgba, sizeof rgba);
    info.shares[i] = scene.shares[i];
  }
  const std::string digest = dag::to_string(dag.digest);
  std::memcpy(info.digest, digest.data(), std::min(digest.size(), sizeof info.digest - 1));
  return info;
}

void set_numbers(Json& list, const Int3& numbers) {
  for (uint32_t axis = 0; axis < 3; ++axis) list.append(numbers[axis]);
}

// The names are those of vox-stats --json and vox-convert --json (docs/results.md), as far as they have them.
std::string stats_text(const vox_engine& engine, const dag::VoxelScene& scene) {
  const dag::FrozenDag& dag = scene.dag;
  const measure::DagStats stats = measure::count_dag(dag, memory_for_values(engine.options));
  Json json;
  json.set("digest", dag::to_string(dag.digest))
      .set("resolution", dag.resolution)
      .set("depth", dag.depth())
      .set("voxels", dag.voxels)
      .set("dag_bytes", dag.bytes())
      .set("material_bits", dag.materials ? 4 : 0)
      .set("unique_nodes", dag.unique_nodes())
      .set("svo_nodes", dag.svo_nodes())
      .set("dedup", stats.all_levels().reduction())
      .set("coverage", scene.coverage == scene::Coverage::Thin ? "thin" : "conservative")
      .set("solid", scene.solid)
      .set("up", scene.up == dag::UpAxis::X   ? "x"
                 : scene.up == dag::UpAxis::Y ? "y"
                                              : "z");
  if (scene.voxel_size.is_cube()) {
    json.set("voxel_size", scene.voxel_size.x);
  } else {
    Json& sides = json.array("voxel_size");
    for (uint32_t axis = 0; axis < 3; ++axis) sides.append(scene.voxel_size[axis]);
  }
  Json& origin = json.array("origin");
  for (uint32_t axis = 0; axis < 3; ++axis) origin.append(scene.origin[axis]);
  json.set("source", scene.source);
  if (scene.colors) json.set("color_bytes", scene.colors->bytes());
  if (!stats.filled.empty()) {
    Json& filled = json.object("filled");
    set_numbers(filled.array("min"), stats.filled.min);
    set_numbers(filled.array("end"), stats.filled.max);
    set_numbers(filled.array("max"), stats.filled.max);  // another name of the same
  }
  Json& levels = json.array("levels");
  for (uint32_t level = 0; level < stats.levels.size(); ++level)
    levels.append()
        .set("side", dag.level_side(level))
        .set("svo_nodes", stats.levels[level].svo_nodes)
        .set("unique_nodes", stats.levels[level].unique_nodes)
        .set("bytes", stats.levels[level].words * sizeof(uint32_t));
  Json& palette = json.array("palette");
  for (uint32_t i = 0; i < scene.palette.count; ++i)
    palette.append()
        .set("color", scene::hex_name(scene.palette.colors[i]))
        .set("name", scene.palette.names[i])
        .set("share", scene.shares[i])
        .set("voxels", stats.material_voxels[i]);
  return json.text();
}

void save_scene(const vox_engine& engine, const dag::VoxelScene& scene, const std::filesystem::path& path,
                Overwrite overwrite) {
  ExportOptions exports;
  exports.memory_limit = engine.options.memory_limit;
  exports.slices.overwrite = exports.pieces.overwrite = overwrite;
  const bool is_export = is_export_path(path);
  if (!is_export && !has_role(path, FileRole::Scene))
    throw UsageError("the extension is not that of a file that scenes are written to")
        .at(path.string())
        .hint(fmt::format("they are .h5, {}",
                          listed_extensions(FileRole::Export, FileUse::Written, FileList::And)));
  check_writable(path, kind_of_output(path), overwrite);
  if (!is_export) return write_scene(scene, path);
  check_export_resolution(scene.dag.resolution, path, exports);
  if (scene.colors && !export_holds_colors(scene, path, exports))
    export_scene(in_palette(scene, "in this kind of file", engine.options), path, std::nullopt, exports);
  else
    export_scene(scene, path, std::nullopt, exports);
}

void refuse_saving(const edit::Script& script) {
  for (const edit::Command& command : script.commands)
    if (std::holds_alternative<edit::Save>(command.action))
      throw UsageError("this script cannot save files")
          .at(edit::place_of(script, command))
          .hint("use vox_scene_save()");
}

dag::VoxelScene edited(vox_engine& on, const dag::VoxelScene& before, const std::string& text,
                       const std::filesystem::path& folder) {
  if (before.colors)
    throw UsageError("the scene has 24-bit colors, and edits need a palette")
        .hint("vox_scene_make_palette() makes one");
  const edit::Script script = parse_edit_script(text, folder / "script", frame_of(before));
  refuse_saving(script);
  const std::vector<dag::VoxelScene> others = [&] {
    const std::lock_guard hdf5(hdf5_turn());
    return read_script_scenes(script, before, Damage::Refused);
  }();
  Engine& engine = *on.engine;
  const auto session = edit::make_edit_session(engine.handle(), engine.table(), before.dag);
  dag::VoxelScene after = before;
  std::vector<edit::EditorScene> brushes;
  for (const dag::VoxelScene& other : others) {
    brushes.push_back({session->add_scene(other.dag), other.dag.resolution});
    edit::extend_palette(after, other.palette);
  }
  edit::extend_palette(after, script);
  Progress progress("editing", script.total);
  uint64_t done = 0;
  edit::Editor editor(*session, script, brushes, {.batch = 1, .measure = false},
                      {.done = [&](const edit::Command&) { progress.update(++done, ""); }});
  editor.run();
  after.dag = editor.freeze();
  sign(after, before.source, "vox_scene_edit");
  after.history.push_back({script.text, after.created, after.dag.digest});
  return after;
}

dag::VoxelScene made_coarser(vox_engine& engine, const dag::VoxelScene& before, uint32_t resolution) {
  if (resolution == before.dag.resolution) return before;
  const uint32_t halvings = dag::halvings_to(resolution, before.dag.resolution);
  dag::FrozenDag coarse =
      dag::coarser(before.dag, halvings,
                   {.limit = engine.options.memory_limit, .counts = memory_for_values(engine.options)});
  dag::VoxelScene after = dag::with_coarser_dag(before, halvings, std::move(coarse));
  sign(after, before.source, "vox_scene_coarser");
  return after;
}

dag::VoxelScene cut(const dag::VoxelScene& before, const VoxelBox& box) {
  dag::VoxelScene after = dag::clipped(before, box);
  sign(after, before.source, "vox_scene_clip");
  return after;
}

}  // namespace
}  // namespace vox

vox_status vox_scene_copy(const vox_scene* scene, vox_scene** copy) {
  if (copy != nullptr) *copy = nullptr;
  return vox::guarded([&] {
    vox::needed(copy, "copy");
    *copy = std::make_unique<vox_scene>(vox::needed(scene, "scene")).release();
  });
}

void vox_scene_delete(vox_scene** scene) {
  if (scene == nullptr) return;
  const std::unique_ptr<vox_scene> owned(std::exchange(*scene, nullptr));
}

vox_status vox_scene_save(vox_engine* engine, const vox_scene* scene, const char* path, uint32_t overwrite) {
  return vox::call(engine, [&](vox_engine& on) {
    const std::lock_guard hdf5(vox::hdf5_turn());
    vox::save_scene(on, vox::content_of(scene), vox::needed_text(path, "path"),
                    vox::known_choice<vox::Overwrite>(overwrite, 2, "overwrite"));
  });
}

vox_status vox_scene_info(const vox_scene* scene, vox_info* info) {
  return vox::guarded([&] { vox::give_part(vox::info_of(vox::content_of(scene)), info, "info"); });
}

const char* vox_scene_palette_name(const vox_scene* scene, uint32_t entry) {
  if (scene == nullptr || entry >= scene->content->palette.count) return "";
  return scene->content->palette.names[entry].c_str();
}

vox_status vox_scene_stats(vox_engine* engine, const vox_scene* scene, char* text, uint64_t capacity,
                           uint64_t* length) {
  return vox::call(engine, [&](vox_engine& on) {
    vox::needed(length, "length");
    vox::give_text(vox::stats_text(on, vox::content_of(scene)), text, capacity, length);
  });
}

vox_status vox_scene_edit(vox_engine* engine, vox_scene* scene, const char* script, const char* folder) {
  return vox::call_to_change(engine, scene, [&](vox_engine& on, const vox::dag::VoxelScene& before) {
    return vox::edited(on, before, vox::needed_text(script, "script"), folder == nullptr ? "" : folder);
  });
}

vox_status vox_scene_clip(vox_engine* engine, vox_scene* scene, const int64_t* low, const int64_t* high) {
  return vox::call_to_change(engine, scene, [&](vox_engine&, const vox::dag::VoxelScene& before) {
    return vox::cut(before, vox::region_of(before, &vox::needed(low, "low"), &vox::needed(high, "high")));
  });
}

vox_status vox_scene_coarser(vox_engine* engine, vox_scene* scene, uint32_t resolution) {
  return vox::call_to_change(engine, scene, [&](vox_engine& on, const vox::dag::VoxelScene& before) {
    return vox::made_coarser(on, before, resolution);
  });
}

vox_status vox_scene_make_palette(vox_engine* engine, vox_scene* scene) {
  return vox::call_to_change(engine, scene, [&](vox_engine& on, const vox::dag::VoxelScene& before) {
    return vox::dag::with_palette(before, {.memory_limit = on.options.memory_limit});
  });
}
