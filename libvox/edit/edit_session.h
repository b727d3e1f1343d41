// A scene on a device while it is edited.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "libvox/dag/collect_work.h"
#include "libvox/dag/frozen_dag.h"
#include "libvox/device/handle.h"
#include "libvox/edit/edit.h"
#include "libvox/hash/batch.h"
#include "libvox/hash/table_options.h"

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

}  // namespace vox::edit
