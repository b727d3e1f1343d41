// A scene on a device while it is edited. Made by Engine::edit(), which has to outlive it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "libvox/dag/collect_work.h"
#include "libvox/dag/frozen_dag.h"
#include "libvox/edit/edit.h"

namespace vox::edit {

// How many nodes or leaves one pass has made.
struct EditCounts {
  uint64_t made = 0;      // in the temporary octree
  uint64_t distinct = 0;  // of these, those that differ from what was there, without duplicates
  uint64_t inserted = 0;  // of these, those that the store did not hold
};

struct EditWork {
  EditCounts nodes, leaves;
  uint64_t octree_bytes = 0;
  // The way down from the root and the way up from the leaves: wall time, and time from the first to the last
  // that the device does.
  double octree_seconds = 0, octree_device_seconds = 0;
  double merge_seconds = 0, merge_device_seconds = 0;

  EditWork& operator+=(const EditWork& other);
};

// How much memory the scene and all its former states take.
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

  // Adds another scene, whose voxels edits can use; returns its number (CopyEdit::scene). It has materials
  // where this one does. The DAG is one that check_structure() accepts.
  virtual uint32_t add_scene(const dag::FrozenDag& dag) = 0;

  // Does these edits as if one after the other, all in one pass where they are of one kind. No edit may write
  // what another one writes or reads.
  virtual EditWork apply(std::span<const Edit> edits) = 0;

  virtual SceneState state() const = 0;
  virtual void set_state(SceneState state) = 0;

  virtual dag::FrozenDag freeze() = 0;
  virtual StoreSize size() const = 0;  // takes long: it goes through all buckets
  virtual uint64_t items() const = 0;  // the items of size(), at once

  // Removes all items that neither the scene as it is, nor the other scenes, nor these states need. All other
  // states become invalid.
  virtual dag::CollectWork collect(std::span<const SceneState> kept) = 0;

  // Collects in steps of about so many seconds, with edits between them; what these edits make is kept too.
  // The last step returns what has been done. The next collection must not begin before it.
  virtual void start_collection(std::span<const SceneState> kept) = 0;
  virtual std::optional<dag::CollectWork> step_collection(double seconds) = 0;

  // The number of voxels that differ between two states.
  virtual uint64_t changed_voxels(SceneState before, SceneState after) = 0;
};

}  // namespace vox::edit
