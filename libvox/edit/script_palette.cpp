#include "libvox/edit/script_palette.h"

#include <fmt/format.h>

#include <iterator>

namespace vox::edit {
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
