#include "libvox/edit/edit.h"

#include <algorithm>

#include "libvox/base/log.h"
#include "libvox/base/progress.h"
#include "libvox/edit/edit_session.h"

namespace vox::edit {
namespace {

constexpr int64_t kFar = int64_t{1} << 22;
constexpr VoxelBox kNothing = {{0, 0, 0}, {0, 0, 0}};

int32_t clamped(int64_t voxel) {
  return static_cast<int32_t>(std::clamp(voxel, -kFar, kFar));
}

int64_t floor_divided(int64_t units) {
  return units >= 0 ? units / kEditUnits : -((-units + kEditUnits - 1) / kEditUnits);
}

// first_voxel() is the lowest voxel whose center is at or above `low`. last_voxel() is the voxel behind the
// highest one whose center is at or below `high`.
int32_t first_voxel(int64_t low) {
  return clamped(floor_divided(low + kEditUnits / 2 - 1));
}
int32_t last_voxel(int64_t high) {
  return clamped(floor_divided(high + kEditUnits / 2));
}

VoxelBox voxels_between(EditPlace low, EditPlace high, EditPlace reach) {
  low = low - reach;
  high = high + reach;
  VoxelBox box = {{first_voxel(low.x), first_voxel(low.y), first_voxel(low.z)},
                  {last_voxel(high.x), last_voxel(high.y), last_voxel(high.z)}};
  return box.empty() ? kNothing : box;
}

bool holds(const VoxelBox& box, Int3 v) {
  return !intersection(box, {v, v + Int3{1, 1, 1}}).empty();
}

VoxelBox in_grid(const VoxelBox& box, uint32_t resolution) {
  VoxelBox inside = intersection(box, cube_at({0, 0, 0}, resolution));
  return inside.empty() ? kNothing : inside;
}

VoxelBox box_from(Int3 corner, Int3 size) {
  return {corner,
          {clamped(int64_t{corner.x} + size.x), clamped(int64_t{corner.y} + size.y),
           clamped(int64_t{corner.z} + size.z)}};
}

VoxelBox everything_from(Int3 corner) {
  return box_from(corner, {int32_t{kFar}, int32_t{kFar}, int32_t{kFar}});
}

VoxelBox grown(const VoxelBox& box, uint32_t by) {
  auto less = [&](int32_t v) { return clamped(int64_t{v} - by); };
  auto more = [&](int32_t v) { return clamped(int64_t{v} + by); };
  return {{less(box.min.x), less(box.min.y), less(box.min.z)},
          {more(box.max.x), more(box.max.y), more(box.max.z)}};
}

// The following functions return the voxels that an edit may change. This one is for edits that change voxels
// in their shape.
template <class InShape>
VoxelBox written(const InShape& edit) {
  return bounds_of(edit.shape);
}
VoxelBox written(const CopyEdit& edit) {
  bool all = edit.scene != kThisScene && edit.source.empty();
  if (!all && edit.source.empty()) return kNothing;
  VoxelBox target =
      all ? everything_from(edit.to) : box_from(edit.to, turned_size(edit.turn, edit.source.size()));
  return intersection(target, bounds_of(edit.within));
}
VoxelBox written(const CombineEdit& edit) {
  // Outside of the other scene everything is empty.
  return edit.mode == CombineMode::Intersect ? bounds_of({}) : everything_from(edit.at);
}
VoxelBox written(const FillEdit& edit) {
  VoxelBox box = bounds_of(edit.shape);
  return holds(box, edit.seed) ? box : kNothing;
}

// The following functions return a box around the voxels that an edit reads besides the ones that it writes,
// which the second argument holds.
VoxelBox read(const CopyEdit& edit, const VoxelBox&) {
  return edit.scene == kThisScene && !edit.source.empty() ? edit.source : kNothing;
}
VoxelBox read(const CombineEdit& edit, const VoxelBox&) {
  return edit.scene == kThisScene ? bounds_of({}) : kNothing;
}
VoxelBox read(const MorphEdit& edit, const VoxelBox& changed) {
  return grown(changed, edit.steps);
}
template <class Other>
VoxelBox read(const Other&, const VoxelBox&) {
  return kNothing;
}

// Runs the commands of a script one after the other.
class VolumeScriptRun {
 public:
  VolumeScriptRun(VolumeSession& session, const Script& script, std::span<const volume::Volume> masks,
                  const VolumeEvents& events)
      : session_(session), script_(script), masks_(masks), events_(events) {}

  void run(const Command& command) {
    std::visit([&](const auto& action) { perform(command, action); }, command.action);
    events_.done(command);
  }

 private:
  void perform(const Command& command, const VolumeEdit& edit) {
    const Stopwatch watch;
    const VolumeWork work = session_.apply(edit, edit.mask > 0 ? &masks_[edit.mask - 1] : nullptr);
    events_.edited({command.line, tool_name(edit), work, watch.seconds()});
  }
  void perform(const Command& command, const Undo& undo) {
    for (uint32_t i = 0; i < undo.count; ++i)
      if (!session_.undo())
        return log_warning("{}: there is nothing left to undo", location(script_, command));
  }
  void perform(const Command& command, const Redo& redo) {
    for (uint32_t i = 0; i < redo.count; ++i)
      if (!session_.redo())
        return log_warning("{}: there is nothing left to redo", location(script_, command));
  }
  void perform(const Command& command, const Save& save) { events_.save(save, command); }
  // The reader of scripts for volumes makes no other commands.
  template <class Other>
  void perform(const Command&, const Other&) {}

  VolumeSession& session_;
  const Script& script_;
  std::span<const volume::Volume> masks_;
  const VolumeEvents& events_;
};

}  // namespace

VoxelBox bounds_of(const Shape& shape) {
  EditPlace a = shape.a, b = shape.b;
  EditPlace low = {std::min(a.x, b.x), std::min(a.y, b.y), std::min(a.z, b.z)};
  EditPlace high = {std::max(a.x, b.x), std::max(a.y, b.y), std::max(a.z, b.z)};
  int64_t reach = shape.radius, rough = shape.roughness;
  switch (shape.kind) {
    case ShapeKind::Sphere:
      return voxels_between(a, a, {reach + rough, reach + rough, reach + rough});
    case ShapeKind::Box:
      return voxels_between(a, b, {rough, rough, rough});
    case ShapeKind::Capsule:
    case ShapeKind::Cylinder:
      return voxels_between(low, high, {reach, reach, reach});
    case ShapeKind::Ellipsoid:
      return voxels_between(a, a, b);
    case ShapeKind::Everything:
      break;
  }
  constexpr int32_t kEnd = int32_t{kFar};
  return {{-kEnd, -kEnd, -kEnd}, {kEnd, kEnd, kEnd}};
}

CopyEdit with_source(CopyEdit copy, uint32_t resolution) {
  if (copy.scene != kThisScene && copy.source.empty()) copy.source = cube_at({0, 0, 0}, resolution);
  return copy;
}

CopyEdit clipped(const CopyEdit& copy, uint32_t resolution) {
  CopyEdit result = copy;
  result.source = in_grid(copy.source, resolution);
  if (result.source.empty()) return result;
  const Int3 low = result.source.min - copy.source.min, high = copy.source.max - result.source.max;
  Int3 cut = {};  // how much is cut off at the lower end of each axis of the target
  for (uint32_t k = 0; k < 3; ++k) cut[k] = (copy.turn.flip[k] ? high : low)[copy.turn.axis[k]];
  result.to = copy.to + cut;
  return result;
}

VoxelBox written_box(const Edit& edit, uint32_t resolution) {
  const auto* fill = std::get_if<FillEdit>(&edit);
  if (fill && !holds(cube_at({0, 0, 0}, resolution), fill->seed)) return kNothing;
  return in_grid(std::visit([](const auto& of_kind) { return written(of_kind); }, edit), resolution);
}

VoxelBox read_box(const Edit& edit, uint32_t resolution) {
  VoxelBox changed = written_box(edit, resolution);
  if (changed.empty()) return kNothing;
  return in_grid(std::visit([&](const auto& of_kind) { return read(of_kind, changed); }, edit), resolution);
}

std::string tool_name(const VolumeEdit& edit) {
  switch (edit.op) {
    case VolumeOp::Set:
      return "set";
    case VolumeOp::Add:
      return "add";
    case VolumeOp::Scale:
      return "scale";
    case VolumeOp::Smooth:
      return "smooth";
    default:
      return "threshold";
  }
}

VoxelBox written_box(const VolumeEdit& edit, Int3 size, Int3 mask_size) {
  VoxelBox box = {{0, 0, 0}, size};
  if (edit.shape.kind != ShapeKind::Everything) box = intersection(box, bounds_of(edit.shape));
  if (edit.mask > 0) box = intersection(box, {edit.mask_at, edit.mask_at + mask_size});
  return box;
}

void run_volume_script(VolumeSession& session, const Script& script, std::span<const volume::Volume> masks,
                       const VolumeEvents& events) {
  VolumeScriptRun run(session, script, masks, events);
  for (ScriptCursor cursor(script); const auto command = cursor.next();)
    at_command(script, *command, {}, [&] { run.run(*command); });
}

KeepStates states_of(const Script& script) {
  for (const Command& command : script.commands)
    if (std::holds_alternative<Undo>(command.action)) return KeepStates::Yes;
  return KeepStates::No;
}

}  // namespace vox::edit
