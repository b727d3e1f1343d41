// A scene on a device while it is edited. Made by Engine::edit(), which has to outlive it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "libvox/dag/collect_work.h"
#include "libvox/dag/frozen_dag.h"
#include "libvox/edit/edit.h"

namespace vox::edit {

// What one pass has made.
struct EditCounts {
  uint64_t made = 0;      // in the temporary octree
  uint64_t distinct = 0;  // of those that differ from what was there, without duplicates
  uint64_t inserted = 0;  // of these, those that the store did not hold
};

struct EditWork {
  EditCounts nodes, leaves;
  uint64_t octree_bytes = 0;
  // Root → leaves and leaves → root: wall time, and from the first to the last that the device does.
  double octree_seconds = 0, octree_device_seconds = 0;
  double merge_seconds = 0, merge_device_seconds = 0;

  EditWork& operator+=(const EditWork& other);
};

// What the scene and all its former states take.
struct StoreSize {
  uint64_t items = 0, item_bytes = 0, allocated_bytes = 0;
};

// A state of the scene. Those of a session stay valid with all that came from them.
using SceneState = uint32_t;

class EditSession {
 public:
  virtual ~EditSession() = default;

  virtual uint32_t resolution() const = 0;
  virtual bool materials() const = 0;

  // Another scene, whose voxels edits can use; returns its number (CopyEdit::scene). It has materials where
  // this one does. The DAG is one that check_structure() accepts.
  virtual uint32_t add_scene(const dag::FrozenDag& dag) = 0;

  // All edits in one pass where they are of one kind, as if one after the other: what each writes or reads,
  // no other writes.
  virtual EditWork apply(std::span<const Edit> edits) = 0;

  virtual SceneState state() const = 0;
  virtual void set_state(SceneState state) = 0;

  virtual dag::FrozenDag freeze() = 0;
  virtual StoreSize size() const = 0;  // goes through all buckets
  virtual uint64_t items() const = 0;  // of size(), at once

  // Removes what neither the scene as it is, nor other scenes, nor these states need. All other states are
  // void then.
  virtual dag::CollectWork collect(std::span<const SceneState> kept) = 0;

  // The same in steps of about so many seconds, with edits between them: what these edits make is kept too.
  // The step that comes to an end says what has been done, and there must be none under way when the next
  // collection begins.
  virtual void start_collection(std::span<const SceneState> kept) = 0;
  virtual std::optional<dag::CollectWork> step_collection(double seconds) = 0;

  // Voxels that differ between two states.
  virtual uint64_t changed_voxels(SceneState before, SceneState after) = 0;
};

}  // namespace vox::edit
