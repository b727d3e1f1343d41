#include "libvox/edit/script.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <numeric>
#include <span>

#include "libvox/base/bits.h"
#include "libvox/base/log.h"
#include "libvox/base/units.h"
#include "libvox/dag/colors.h"
#include "libvox/dag/walk.h"
#include "libvox/edit/edit_session.h"
#include "libvox/edit/editor.h"

namespace vox::edit {
namespace {

// Rounds units to voxels, halves away from zero.
int32_t rounded(int64_t units) {
  constexpr int64_t kHalf = kEditUnits / 2;
  return static_cast<int32_t>((units + (units < 0 ? -kHalf : kHalf)) / kEditUnits);
}

Int3 moved(Int3 voxel, EditPlace offset) {
  return voxel + Int3{rounded(offset.x), rounded(offset.y), rounded(offset.z)};
}

Shape moved(Shape shape, EditPlace offset) {
  bool second =
      shape.kind == ShapeKind::Box || shape.kind == ShapeKind::Capsule || shape.kind == ShapeKind::Cylinder;
  if (shape.kind != ShapeKind::Everything) shape.a = shape.a + offset;
  if (second) shape.b = shape.b + offset;
  return shape;
}

// Moves edits that have a shape and no other place.
template <class InShape>
void move_places(InShape& edit, EditPlace offset) {
  edit.shape = moved(edit.shape, offset);
}
void move_places(CopyEdit& edit, EditPlace offset) {
  edit.to = moved(edit.to, offset);
  edit.within = moved(edit.within, offset);
}
void move_places(CombineEdit& edit, EditPlace offset) {
  edit.at = moved(edit.at, offset);
}
void move_places(FillEdit& edit, EditPlace offset) {
  edit.seed = moved(edit.seed, offset);
  edit.shape = moved(edit.shape, offset);
}

// Returns a random number from -reach to +reach. The bias of the remainder is below 2^-32.
int64_t random_offset(uint64_t key, uint64_t axis, int64_t reach) {
  auto choices = static_cast<uint64_t>(2 * reach + 1);
  return static_cast<int64_t>(mix64(key + (axis + 1) * 0x9e3779b97f4a7c15ull) % choices) - reach;
}

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

// Calls f(edit) for each edit of the script in the order in which they run, as the session takes it.
template <class F>
void each_edit(const Script& script, const std::vector<dag::VoxelScene>& scenes, const F& f) {
  std::vector<EditorScene> brushes;
  for (const dag::VoxelScene& scene : scenes)
    brushes.push_back({static_cast<uint32_t>(brushes.size() + 1), scene.dag.resolution});
  for (ScriptCursor cursor(script); const auto command = cursor.next();)
    if (const Edit* edit = std::get_if<Edit>(&command->action)) f(with_scene(*edit, brushes));
}

// Returns the material with which an edit fills or paints.
uint32_t material_of(const Edit& edit) {
  if (const auto* paint = std::get_if<PaintEdit>(&edit))
    return paint->mode == PaintMode::Remove ? 0 : paint->material;
  if (const auto* fill = std::get_if<FillEdit>(&edit)) return fill->material;
  return 0;
}

}  // namespace

std::string_view source_text(const Script& script, const Command& command) {
  return std::string_view(script.text).substr(command.text, command.text_size);
}

std::string location(const Script& script, const Command& command) {
  return fmt::format("{}:{}", script.path.string(), command.line);
}

std::string place_of(const Script& script, const Command& command) {
  const std::string_view before = std::string_view(script.text).substr(0, command.text);
  const auto continues = [](char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; };  // UTF-8
  const size_t line = before.find_last_of("\r\n") + 1;  // npos + 1 is 0
  const auto column = 1 + std::ranges::count_if(before.substr(line), [&](char c) { return !continues(c); });
  return fmt::format("{}:{}", location(script, command), column);
}

Edit moved(Edit edit, EditPlace offset) {
  std::visit([&](auto& of_kind) { move_places(of_kind, offset); }, edit);
  return edit;
}

VolumeEdit moved(VolumeEdit edit, EditPlace offset) {
  edit.shape = moved(edit.shape, offset);
  edit.mask_at = moved(edit.mask_at, offset);
  return edit;
}

std::optional<Command> ScriptCursor::next() {
  end_rounds();
  begin_repeats();
  if (at_ == script_.commands.size()) return std::nullopt;
  Command command = script_.commands[at_++];
  if (running_.empty()) return command;
  if (auto* edit = std::get_if<Edit>(&command.action)) *edit = moved(*edit, running_.back().offset);
  if (auto* edit = std::get_if<VolumeEdit>(&command.action)) *edit = moved(*edit, running_.back().offset);
  return command;
}

void ScriptCursor::end_rounds() {
  while (!running_.empty() && at_ == script_.repeats[running_.back().repeat].end) {
    Running done = running_.back();
    running_.pop_back();
    if (done.round + 1 == script_.repeats[done.repeat].count) continue;
    running_.push_back(round_of(done.repeat, done.round + 1));
    at_ = script_.repeats[done.repeat].first;
    next_repeat_ = done.repeat + 1;
    return;
  }
}

void ScriptCursor::begin_repeats() {
  while (next_repeat_ < script_.repeats.size() && script_.repeats[next_repeat_].first == at_)
    running_.push_back(round_of(next_repeat_++, 0));
}

ScriptCursor::Running ScriptCursor::round_of(uint32_t repeat, uint32_t round) const {
  const Repeat& written = script_.repeats[repeat];
  uint64_t around = running_.empty() ? 0 : running_.back().key;
  EditPlace offset = running_.empty() ? EditPlace{0, 0, 0} : running_.back().offset;
  uint64_t key = mix64(mix64(around ^ mix64(written.seed + 1)) + round);
  EditPlace jitter = {random_offset(key, 0, written.jitter.x), random_offset(key, 1, written.jitter.y),
                      random_offset(key, 2, written.jitter.z)};
  return {repeat, round, key, offset + written.step * int64_t{round} + jitter};
}

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

// Adds a box unless it is empty. The last of a million boxes takes in all that follow.
static void add_box(VoxelRegion& boxes, const VoxelBox& box) {
  constexpr size_t kMostBoxes = size_t{1} << 20;
  if (box.empty()) return;
  if (boxes.size() < kMostBoxes) {
    boxes.push_back(box);
  } else {
    boxes.back() = hull(boxes.back(), box);
  }
}

// Joins boxes that lie near each other. The boxes are halved again and again in the middle of their hull, and the hull
// takes the place of the halves' boxes if these have more than half of its voxels.
static VoxelRegion joined(std::span<VoxelBox> boxes, uint32_t halvings) {
  const VoxelBox all = std::accumulate(boxes.begin(), boxes.end(), boxes.front(), hull);
  const Int3 size = all.size();
  const uint32_t axis = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
  const auto second = std::partition(boxes.begin(), boxes.end(), [&](const VoxelBox& box) {
    return box.min[axis] - all.min[axis] < all.max[axis] - box.max[axis];
  });
  if (halvings == 0 || second == boxes.begin() || second == boxes.end()) return {all};
  VoxelRegion region = joined({boxes.begin(), second}, halvings - 1);
  const VoxelRegion others = joined({second, boxes.end()}, halvings - 1);
  region.insert(region.end(), others.begin(), others.end());
  return voxels_of(region) > all.voxels() / 2 ? VoxelRegion{all} : region;
}

VoxelRegion touched_region(const Script& script, const std::vector<dag::VoxelScene>& scenes,
                           uint32_t resolution) {
  constexpr uint32_t kHalvings = 6;  // at most 64 boxes
  VoxelRegion boxes;
  each_edit(script, scenes, [&](const Edit& edit) {
    add_box(boxes, written_box(edit, resolution));
    add_box(boxes, read_box(edit, resolution));
  });
  return boxes.empty() ? boxes : joined(boxes, kHalvings);
}

VoxelRegion written_boxes(const Script& script, const std::vector<dag::VoxelScene>& scenes,
                          uint32_t resolution) {
  VoxelRegion boxes;
  each_edit(script, scenes, [&](const Edit& edit) { add_box(boxes, written_box(edit, resolution)); });
  return boxes;
}

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
