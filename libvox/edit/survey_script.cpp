#include "libvox/edit/script.h"

#include <fmt/format.h>

#include <array>
#include <iterator>

#include "libvox/base/bits.h"
#include "libvox/base/log.h"
#include "libvox/base/units.h"
#include "libvox/dag/colors.h"
#include "libvox/dag/walk.h"
#include "libvox/edit/editor.h"
#include "libvox/edit/volume_session.h"

namespace vox::edit {
namespace {

// Warns of edits that change nothing, the first ones one by one.
class OutsideEdits {
 public:
  explicit OutsideEdits(const char* grid) : grid_(grid) {}

  void add(const Script& script, const Command& command) {
    if (++count_ <= kMostNamed)
      log_warning("{}: changes nothing inside the {}", location(script, command), grid_);
  }
  uint64_t finish() const {
    if (count_ > kMostNamed)
      log_warning("{} more edits change nothing inside the {}", format_count(count_ - kMostNamed), grid_);
    return count_;
  }

 private:
  static constexpr uint64_t kMostNamed = 20;
  const char* grid_;
  uint64_t count_ = 0;
};

}  // namespace

ScriptFindings survey_script(const Script& script, const std::vector<dag::VoxelScene>& scenes,
                             uint32_t resolution, const OnScriptError& on_error) {
  std::vector<EditorScene> brushes;
  for (const dag::VoxelScene& scene : scenes)
    brushes.push_back({static_cast<uint32_t>(brushes.size() + 1), scene.dag.resolution});
  ScriptFindings found;
  OutsideEdits outside("grid");
  for (ScriptCursor cursor(script); const auto command = cursor.next();) {
    const Edit* edit = std::get_if<Edit>(&command->action);
    if (!edit) continue;
    ++found.edits;
    ++found.tools[tool_name(*edit)];
    if (!written_box(with_scene(*edit, brushes), resolution).empty()) continue;
    if (std::holds_alternative<FillEdit>(*edit)) {
      at_command(script, *command, on_error,
                 [] { throw Error("the seed of the fill lies outside of the grid, or of its shape"); });
    } else {
      outside.add(script, *command);
    }
  }
  found.outside = outside.finish();
  return found;
}

ScriptFindings survey_volume_script(const Script& script, std::span<const volume::Volume> masks, Int3 size) {
  ScriptFindings found;
  OutsideEdits outside("volume");
  for (ScriptCursor cursor(script); const auto command = cursor.next();) {
    const auto* edit = std::get_if<VolumeEdit>(&command->action);
    if (!edit) continue;
    ++found.edits;
    ++found.tools[tool_name(*edit)];
    const Int3 mask_size = edit->mask > 0 ? masks[edit->mask - 1].info.size : Int3{0, 0, 0};
    if (written_box(*edit, size, mask_size).empty()) outside.add(script, *command);
  }
  found.outside = outside.finish();
  return found;
}

namespace {

// Calls f(edit) for each edit of the script in the order in which they run, as the session takes it.
template <class F>
void each_edit(const Script& script, const std::vector<dag::VoxelScene>& scenes, const F& f) {
  std::vector<EditorScene> brushes;
  for (const dag::VoxelScene& scene : scenes)
    brushes.push_back({static_cast<uint32_t>(brushes.size() + 1), scene.dag.resolution});
  for (ScriptCursor cursor(script); const auto command = cursor.next();)
    if (const Edit* edit = std::get_if<Edit>(&command->action)) f(with_scene(*edit, brushes));
}

}  // namespace

VoxelBox touched_box(const Script& script, const std::vector<dag::VoxelScene>& scenes, uint32_t resolution) {
  VoxelBox touched = {};
  each_edit(script, scenes, [&](const Edit& edit) {
    for (const VoxelBox& box : {written_box(edit, resolution), read_box(edit, resolution)})
      if (!box.empty()) touched = touched.empty() ? box : hull(touched, box);
  });
  return touched;
}

std::vector<VoxelBox> written_boxes(const Script& script, const std::vector<dag::VoxelScene>& scenes,
                                    uint32_t resolution) {
  constexpr size_t kMostBoxes = size_t{1} << 20;
  std::vector<VoxelBox> boxes;
  each_edit(script, scenes, [&](const Edit& edit) {
    const VoxelBox box = written_box(edit, resolution);
    if (box.empty()) return;
    if (boxes.size() < kMostBoxes) {
      boxes.push_back(box);
    } else {
      boxes.back() = hull(boxes.back(), box);
    }
  });
  return boxes;
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

attributes::PackedValues edited_colors(const dag::VoxelScene& before, const dag::FrozenDag& edited,
                                       std::span<const scene::Rgb8> colors) {
  const dag::LeafColors kept(before);
  attributes::ValueWriter writer;
  dag::for_each_leaf(
      edited, cube_at({0, 0, 0}, edited.side()), [&](Int3 corner, uint64_t, const uint32_t* leaf) {
        std::optional<std::array<uint32_t, 64>> of_leaf;
        dag::visit_bits(dag::leaf_mask(leaf), [&](uint32_t bit) {
          const uint32_t material = dag::leaf_material(leaf, bit);
          if (material == 0 && !of_leaf) of_leaf = kept(corner);
          writer.put(material == 0 ? (*of_leaf)[bit] : scene::packed_color(colors[material - 1]));
        });
      });
  return attributes::with_table(writer.finish());
}

}  // namespace vox::edit
