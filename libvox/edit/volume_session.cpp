#include "libvox/edit/volume_session.h"

#include "libvox/base/log.h"
#include "libvox/base/progress.h"

namespace vox::edit {

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

namespace {

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
