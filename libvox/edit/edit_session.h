// A scene on a device while it is edited.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "libvox/bricks/frozen_bricks.h"
#include "libvox/dag/collect_work.h"
#include "libvox/dag/frozen_dag.h"
#include "libvox/device/handle.h"
#include "libvox/edit/edit.h"
#include "libvox/edit/script.h"
#include "libvox/hash/batch.h"
#include "libvox/hash/table_options.h"
#include "libvox/volume/volume.h"

namespace vox::edit {

struct StoredDag;  // content.h

// The numbers of nodes or of leaves that one pass has made.
struct EditCounts {
  uint64_t made = 0;      // nodes or leaves of the temporary octree
  uint64_t distinct = 0;  // those that differ from the nodes before the edit, each once
  uint64_t inserted = 0;  // those that the store did not hold yet
};

struct EditWork {
  EditCounts nodes, leaves;
  uint64_t octree_bytes = 0;
  // Times of the way down from the root (octree) and of the way up from the leaves (merge): wall time,
  // and the time from the first to the last work of the device.
  double octree_seconds = 0, octree_device_seconds = 0;
  double merge_seconds = 0, merge_device_seconds = 0;

  EditWork& operator+=(const EditWork& other);
};

// The memory that the scene and all its earlier states take.
struct StoreSize {
  uint64_t items = 0, item_bytes = 0, allocated_bytes = 0;
};

// A state of the scene. A session's states stay valid until a collection removes them.
using SceneState = uint32_t;

class EditSession {
 public:
  virtual ~EditSession() = default;

  virtual uint32_t resolution() const = 0;
  virtual bool materials() const = 0;

  // Adds another scene, whose voxels edits can use, and returns its number (CopyEdit::scene). Either both
  // scenes or none must have materials, and check_structure() must accept the DAG.
  virtual uint32_t add_scene(const dag::FrozenDag& dag) = 0;

  // Runs these edits as if one after the other. If all are of one kind, they run in one pass. No edit may
  // write what another one writes or reads.
  virtual EditWork apply(std::span<const Edit> edits) = 0;

  // Does the same as apply() for one edit. If memory runs out, it changes the edit's box in several passes, one piece
  // after the other. After an error, some pieces may be changed.
  virtual EditWork apply_in_pieces(const Edit& edit) = 0;

  virtual SceneState state() const = 0;
  virtual void set_state(SceneState state) = 0;

  // Returns a view of the nodes, for loops on the device that read the scene. state() is the root's pointer.
  virtual StoredDag stored() const = 0;

  virtual dag::FrozenDag freeze() = 0;
  virtual StoreSize size() const = 0;  // slow, because it visits all buckets
  virtual uint64_t items() const = 0;  // the number of items, without the delay of size()

  // Removes all items that neither the current scene, nor the other scenes, nor the states in `kept` need.
  // All other states become invalid.
  virtual dag::CollectWork collect(std::span<const SceneState> kept) = 0;

  // These two collect in steps of about so many seconds, between which edits may run. Everything that such
  // edits make is kept too. The last step returns the work of all steps. The next collection must not begin
  // before it.
  virtual void start_collection(std::span<const SceneState> kept) = 0;
  virtual std::optional<dag::CollectWork> step_collection(double seconds) = 0;

  // From now on, adds counts of the searches of edits to `to`, until this is called with nullptr. This
  // makes edits slower. With the table `sector` nothing is counted.
  virtual void count_searches(hash::SearchCounts* to) = 0;

  // Returns the number of voxels that differ between two states.
  virtual uint64_t changed_voxels(SceneState before, SceneState after) = 0;
};

// Makes a session that edits this scene on a device, with the hash table of this name. check_structure() must accept
// the DAG, and the device must outlive the session.
template <class Device>
std::unique_ptr<EditSession> make_edit_session(Device& device, const std::string& table,
                                               const dag::FrozenDag& dag, hash::Duplicates duplicates);
std::unique_ptr<EditSession> make_edit_session(device::DeviceHandle device, const std::string& table,
                                               const dag::FrozenDag& dag,
                                               hash::Duplicates duplicates = hash::Duplicates::Open);

// The bricks of a volume on a device while its values are edited.

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
