#include "libvox/edit/script.h"

#include <fmt/format.h>

#include <iterator>

#include "libvox/base/log.h"
#include "libvox/base/units.h"
#include "libvox/edit/edit.h"
#include "libvox/edit/editor.h"

namespace vox::edit {

ScriptFindings survey_script(const Script& script, const std::vector<dag::VoxelScene>& scenes,
                             uint32_t resolution, const OnScriptError& on_error) {
  constexpr uint64_t kMostNamed = 20;
  std::vector<EditorScene> brushes;
  for (const dag::VoxelScene& scene : scenes)
    brushes.push_back({static_cast<uint32_t>(brushes.size() + 1), scene.dag.resolution});
  ScriptFindings found;
  for (ScriptCursor cursor(script); const auto command = cursor.next();) {
    const Edit* edit = std::get_if<Edit>(&command->action);
    if (!edit) continue;
    ++found.edits;
    ++found.tools[tool_name(*edit)];
    if (!written_box(with_scene(*edit, brushes), resolution).empty()) continue;
    if (std::holds_alternative<FillEdit>(*edit)) {
      at_command(script, *command, on_error,
                 [] { throw Error("the seed of the fill lies outside of the grid, or of its shape"); });
    } else if (++found.outside <= kMostNamed) {
      log_warning("{}: changes nothing inside the grid", location(script, *command));
    }
  }
  if (found.outside > kMostNamed)
    log_warning("{} more edits change nothing inside the grid", format_count(found.outside - kMostNamed));
  return found;
}

VoxelBox touched_box(const Script& script, const std::vector<dag::VoxelScene>& scenes, uint32_t resolution) {
  std::vector<EditorScene> brushes;
  for (const dag::VoxelScene& scene : scenes)
    brushes.push_back({static_cast<uint32_t>(brushes.size() + 1), scene.dag.resolution});
  VoxelBox touched = {};
  for (ScriptCursor cursor(script); const auto command = cursor.next();) {
    const Edit* edit = std::get_if<Edit>(&command->action);
    if (!edit) continue;
    const Edit ready = with_scene(*edit, brushes);
    for (const VoxelBox& box : {written_box(ready, resolution), read_box(ready, resolution)})
      if (!box.empty()) touched = touched.empty() ? box : hull(touched, box);
  }
  return touched;
}

namespace {

// Returns the material with which an edit fills or paints.
uint32_t material_of(const Edit& edit) {
  if (const auto* paint = std::get_if<PaintEdit>(&edit))
    return paint->mode == PaintMode::Remove ? 0 : paint->material;
  if (const auto* fill = std::get_if<FillEdit>(&edit)) return fill->material;
  return 0;
}

}  // namespace

void extend_palette(dag::VoxelScene& scene, const scene::Palette& other) {
  scene::Palette& palette = scene.palette;
  for (; palette.count < other.count; ++palette.count) {
    palette.colors[palette.count] = other.colors[palette.count];
    palette.names[palette.count] = other.names[palette.count];
  }
}

void extend_palette(dag::VoxelScene& scene, const Script& script) {
  if (!scene.dag.materials) return;
  scene::Palette wanted = scene.palette;
  for (const Command& command : script.commands) {
    const Edit* edit = std::get_if<Edit>(&command.action);
    if (!edit) continue;
    for (uint32_t& entry = wanted.count; entry <= material_of(*edit); ++entry) {
      // The hues are far from each other, so that a new material stands out.
      constexpr scene::Rgb8 kColors[] = {{214, 39, 40},   {31, 119, 180}, {44, 160, 44},   {255, 127, 14},
                                         {148, 103, 189}, {23, 190, 207}, {227, 119, 194}, {188, 189, 34}};
      wanted.colors[entry] = kColors[entry % std::size(kColors)];
      wanted.names[entry] = fmt::format("material {}", entry);
    }
  }
  extend_palette(scene, wanted);
}

}  // namespace vox::edit
