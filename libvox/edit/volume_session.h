// The bricks of a volume on a device while its values are edited.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "libvox/bricks/frozen_bricks.h"
#include "libvox/device/handle.h"
#include "libvox/edit/edit.h"
#include "libvox/edit/script.h"
#include "libvox/volume/volume.h"

namespace vox::edit {

// The work of one call of apply() or take().
struct VolumeWork {
  uint64_t visited = 0;  // bricks that were read
  uint64_t bricks = 0;   // bricks that were made again
  uint64_t voxels = 0;   // voxels whose value has changed
};

// Bricks that no edit has changed stay as they are. A brick with a changed voxel is made again, in the type that takes
// the least memory. The result equals bricks made from the changed volume with the first bricks' background and allowed
// types.
class VolumeSession {
 public:
  virtual ~VolumeSession() = default;

  // `mask` is the volume of the edit's mask, or null if it has none.
  virtual VolumeWork apply(const VolumeEdit& edit, const volume::Volume* mask) = 0;

  // Takes the values of a volume of the same size and type for all voxels of the bricks that these boxes meet.
  virtual VolumeWork take(const volume::Volume& values, std::span<const VoxelBox> boxes) = 0;

  // undo() takes back the last call of apply() or take(), even if that has changed nothing, and redo() does it again. They
  // return false if there is none. After a new call, older ones can no longer be redone.
  virtual bool undo() = 0;
  virtual bool redo() = 0;

  // Returns the bricks as they are.
  virtual bricks::FrozenBricks freeze() = 0;
};

// Earlier states cost memory, so a session keeps them only on request.
enum class KeepStates { No, Yes };

// Makes the session on a device, which must outlive it. bricks::check_structure() must accept the bricks. Throws Error if the
// words of a type's bricks do not follow one another in the order of the root grid, as they do in all bricks that vox made.
// `piece_voxels` is the number of voxels that are changed at a time, for tests; 0: chosen from the memory limit.
template <class Device>
std::unique_ptr<VolumeSession> make_volume_session(Device& device, bricks::FrozenBricks bricks,
                                                   KeepStates states, uint64_t piece_voxels);
std::unique_ptr<VolumeSession> make_volume_session(device::DeviceHandle device, bricks::FrozenBricks bricks,
                                                   KeepStates states, uint64_t piece_voxels = 0);

// The record of one edit of a script.
struct VolumeEditRecord {
  uint32_t line = 0;
  std::string tool;  // "set", "smooth", "undo"
  VolumeWork work;
  double seconds = 0;  // wall time
};

struct VolumeEvents {
  std::function<void(const VolumeEditRecord&)> edited = [](const VolumeEditRecord&) {};
  std::function<void(const Save&, const Command&)> save = [](const Save&, const Command&) {};
  // Called after each command, with a state that may be saved.
  std::function<void(const Command&)> done = [](const Command&) {};
};

// Runs the commands of a script on a session. `masks` are the script's files, in its order. Throws Error with the
// line of the command that failed.
void run_volume_script(VolumeSession& session, const Script& script, std::span<const volume::Volume> masks,
                       const VolumeEvents& events);

// KeepStates::Yes if the script undoes anything.
KeepStates states_of(const Script& script);

// Finds out what a script would do to a volume of this size, without running it. Warns of edits outside of the volume.
ScriptFindings survey_volume_script(const Script& script, std::span<const volume::Volume> masks, Int3 size);

}  // namespace vox::edit
