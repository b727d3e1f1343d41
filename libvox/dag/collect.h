// Garbage collection: removes from the store all items that cannot be reached from the roots. The method is
// that of Molenaar & Eisemann 2024, §5.3, except that the marks are stored apart from the slabs.
#pragma once

#include "libvox/base/stopwatch.h"
#include "libvox/dag/collect_work.h"
#include "libvox/dag/mark.h"
#include "libvox/dag/store.h"

namespace vox::dag {

// A collection that is under way. Between its steps, new items may be added to the store (mark.h). The scenes
// that the roots name at the beginning stay complete, even if nobody needs them any more at the end.
template <class Device>
class Collector {
 public:
  Collector(Device& device, DagStore<Device>& store, std::span<const DagRoot> roots)
      : device_(device), store_(store), marker_(device, store.ref(), store.pointer_range(), roots) {
    store_.set_marker(&marker_);
  }
  ~Collector() { store_.set_marker(nullptr); }
  Collector(const Collector&) = delete;
  Collector& operator=(const Collector&) = delete;

  // Does a part of the work (Marker::step()). Returns true if only finish() is left to do.
  bool step(uint64_t pointers) {
    const Stopwatch watch;
    marker_.step(pointers);
    device_.sync();
    work_.mark_seconds += watch.seconds();
    return marker_.done();
  }

  // Does as much work as fits in about this time, but at least a little. Returns the same as step().
  bool step_for(double seconds) {
    for (const Stopwatch watch; !marker_.done() && (watch.seconds() < seconds);) {
      const Stopwatch piece;
      step(piece_);
      if (piece.seconds() < seconds / 16) piece_ *= 2;
      if (piece.seconds() > seconds / 4) piece_ = std::max<uint64_t>(piece_ / 2, kSmallestPiece);
    }
    return marker_.done();
  }

  // Does the rest of the marking and the whole sweep. Afterwards, pointers to items that were not reached are
  // invalid. May be called only once.
  CollectWork finish() {
    step(UINT64_MAX - 31);
    work_.items_before = store_.items();
    const Stopwatch watch;
    work_.bytes_returned = store_.tables().sweep(marker_.marks(store_.pointer_range())).bytes_returned;
    device_.sync();
    work_.sweep_seconds = watch.seconds();
    work_.items_after = store_.items();
    store_.set_marker(nullptr);
    return work_;
  }

 private:
  static constexpr uint64_t kSmallestPiece = 1 << 14;  // pointers

  Device& device_;
  DagStore<Device>& store_;
  Marker<Device> marker_;
  CollectWork work_;
  uint64_t piece_ = kSmallestPiece;
};

// Does a whole collection without a pause.
template <class Device>
CollectWork collect(Device& device, DagStore<Device>& store, std::span<const DagRoot> roots) {
  return Collector<Device>(device, store, roots).finish();
}

}  // namespace vox::dag
