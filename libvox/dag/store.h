// The DAG while it grows on a device: nodes and leaves in hash tables.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "libvox/base/bits.h"
#include "libvox/base/progress.h"
#include "libvox/dag/collect_work.h"
#include "libvox/dag/node.h"
#include "libvox/device/atomics.h"
#include "libvox/device/device.h"
#include "libvox/device/pool.h"
#include "libvox/hash/find_or_insert.h"
#include "libvox/hash/slab_memory.h"

namespace vox::dag {

// Marks the items of a store that can be reached from some roots. It sets a bit for each pointer
// (hash/table_set.h), from the roots down, level by level.
//
// A leaf and a node, or nodes of different levels, are one item if they have equal words. Whether an item's
// words are pointers depends on where it was reached. The marker must follow an item's children if the item
// is an inner node anywhere, even if it is a leaf elsewhere. To ensure this, the marker goes down by height,
// which is the number of inner levels from an item to the leaves. An item is first reached at the greatest of
// its heights, and its children are marked then. At a lower height the same children would be reached again,
// but they are already marked. Roots of lower scenes join at their own height.
//
// The items to look into next are not kept in a list; they are those whose bits have been set meanwhile. The
// memory is therefore bounded by the pointer range, items are read in the order in which they lie, and the
// host need not know how many there are.
//
// When the marker begins to look into the items of height h, the following holds:
//
//   marks   every item that can be reached, from a root, at height h or above; nothing else
//   seen    the same bits, kept while children are marked
//   front   those of these bits whose items cannot be reached above h: the items to look into now
//
// Looking into the front marks the items that can be reached at height h - 1. Items that were marked before
// have been looked into at a greater height, or are in the front, so marks & ~seen is the next front. After
// height 1 only leaves have been added, and nothing is left to look into.
//
// A mark may be done in steps, with edits between them. Then the live items are those that could be reached
// from the roots when the mark began, and those that have been interned since. The store reports the latter
// with keep(), which marks them without looking into them. That is enough: a child of an interned item either
// has been interned since as well, or was taken over from a scene that already existed, all of which could be
// reached from the roots at the beginning. The roots must therefore include everything that is still in use:
// the current scene and those of undo, snapshots and brushes.

// The root of a DAG in the store.
struct DagRoot {
  uint32_t pointer = hash::kNullPointer;
  uint32_t depth = 0;  // the number of inner levels of its DAG
};

struct MarkItems {
  uint32_t* marks;
  const uint32_t* pointers;
  VOX_HD void operator()(uint64_t i) const {
    if (pointers[i] != hash::kNullPointer)
      device::atomic_or_relaxed(marks + pointers[i] / 32, 1u << pointers[i] % 32);
  }
};

// Finds the next front: the bits that have been set since the last front was found.
struct NewMarks {
  const uint32_t* marks;
  uint32_t* seen;
  uint32_t* front;
  VOX_HD void operator()(uint64_t i) const {
    front[i] = marks[i] & ~seen[i];
    seen[i] = marks[i];
  }
};

// Looks into the items of one height, a word of bits at a time, and marks their children.
struct LookIntoItems {
  uint32_t* marks;
  hash::SlabMemoryRef store;
  const uint32_t* front;
  uint64_t first;  // the first word of `front` to process

  VOX_HD void prefetch(uint64_t i, int stage) const {
    if (stage == 0) return;
    for (uint32_t bits = front[first + i]; bits != 0; bits &= bits - 1)
      prefetch_line(store.item(pointer(i, static_cast<uint32_t>(lowest_bit(bits)))).head());
  }
  VOX_HD void operator()(uint64_t i) const {
    for (uint32_t bits = front[first + i]; bits != 0; bits &= bits - 1)
      look_into(pointer(i, static_cast<uint32_t>(lowest_bit(bits))));
  }
#ifdef __CUDACC__
  // Does the same with a warp, whose lanes divide the items of 32 words evenly.
  __device__ void warp(uint64_t begin, uint64_t n) const {
    constexpr uint32_t kAll = 0xffffffff;
    const uint32_t lane = threadIdx.x & 31;
    const uint32_t bits = begin + lane < n ? front[first + begin + lane] : 0;
    if (!__any_sync(kAll, bits != 0)) return;
    uint32_t through = static_cast<uint32_t>(popcount(bits));  // items in the words of this and earlier lanes
    for (uint32_t step = 1; step < 32; step *= 2) {
      const uint32_t before = __shfl_up_sync(kAll, through, step);
      if (lane >= step) through += before;
    }
    const uint32_t count = __shfl_sync(kAll, through, 31);
    for (uint32_t item = lane; item - lane < count; item += 32) {
      uint32_t owner = 0;
      for (uint32_t step = 16; step > 0; step /= 2)
        if (__shfl_sync(kAll, through, static_cast<int>(owner + step - 1)) <= item) owner += step;
      const uint32_t word = __shfl_sync(kAll, bits, static_cast<int>(owner));
      const uint32_t before =
          __shfl_sync(kAll, through, static_cast<int>(owner)) - static_cast<uint32_t>(popcount(word));
      if (item < count) look_into(pointer(begin + owner, nth_bit(word, item - before)));
    }
  }
#endif

 private:
  VOX_HD uint32_t pointer(uint64_t i, uint32_t bit) const {
    return static_cast<uint32_t>((first + i) * 32) + bit;
  }
  // Each of the loops handles all children, so that their reads are under way together. Most children are
  // marked already. Reading a mark is cheaper than setting it again, and a read that misses a mark does no
  // harm.
  VOX_HD void look_into(uint32_t pointer) const {
    constexpr uint32_t kMost = 8;
    const hash::ItemRef node = store.item(pointer);
    const uint32_t words = node_words(node[0]);
    uint32_t children[kMost], marked[kMost];
    for (uint32_t i = 0; i < kMost; ++i) children[i] = i + 1 < words ? node[i + 1] : hash::kNullPointer;
    for (uint32_t i = 0; i < kMost; ++i)
      marked[i] =
          children[i] == hash::kNullPointer ? UINT32_MAX : device::load_perhaps_old(marks + children[i] / 32);
    for (uint32_t i = 0; i < kMost; ++i) {
      const uint32_t bit = 1u << children[i] % 32;
      if ((marked[i] & bit) == 0) device::atomic_or_relaxed(marks + children[i] / 32, bit);
    }
  }
};
static_assert(device::PrefetchingBody<LookIntoItems>);
#ifdef __CUDACC__
static_assert(device::WarpBody<LookIntoItems>);
#endif

struct AddMarks {
  const uint32_t* from;
  uint32_t* to;
  VOX_HD void operator()(uint64_t i) const { to[i] |= from[i]; }
};

template <class Device>
class Marker {
 public:
  // A root's pointer may be kNullPointer. `pointer_range` is that of the store.
  Marker(Device& device, hash::SlabMemoryRef store, uint64_t pointer_range, std::span<const DagRoot> roots)
      : device_(device), store_(store), words_(pointer_range / 32) {
    marks_ = cleared(words_);
    front_ = cleared(words_);
    seen_ = cleared(words_);
    for (const DagRoot& root : roots)
      if (root.pointer != hash::kNullPointer) roots_.push_back(root);
    for (const DagRoot& root : roots_) height_ = std::max(height_, root.depth);
    start_height();
  }

  bool done() const { return height_ == 0; }

  // Processes the bits of the next `pointers` pointers, whether or not they are in the front, so that the
  // work of a step is bounded. Returns done().
  bool step(uint64_t pointers) {
    for (uint64_t budget = (pointers + 31) / 32; budget > 0 && !done();) {
      const uint64_t n = std::min(budget, words_ - at_);
      device_.for_each({"mark", 4}, n, LookIntoItems{marks_.data(), store_, front_.data(), at_});
      at_ += n;
      budget -= n;
      if (at_ < words_) break;
      --height_;
      start_height();
    }
    return done();
  }

  // Marks items that have been interned since the mark began. The store's pointers are now below
  // `pointer_range`.
  void keep(const uint32_t* pointers, uint64_t n, uint64_t pointer_range) {
    grow(kept_, pointer_range / 32);
    device_.for_each({"mark: keep", 12}, n, MarkItems{kept_.data(), pointers});
  }

  // Returns a bit for each pointer of the store, now those below `pointer_range`. May be called only when
  // done() is true.
  const uint32_t* marks(uint64_t pointer_range) {
    grow(marks_, pointer_range / 32);
    device_.for_each({"mark: add kept", 12}, std::min(kept_.size(), marks_.size()),
                     AddMarks{kept_.data(), marks_.data()});
    return marks_.data();
  }

 private:
  device::Buffer<uint32_t> cleared(uint64_t words) const {
    auto buffer = device_.template make<uint32_t>(words);
    device_.fill(buffer.data(), words, 0u);
    return buffer;
  }

  void grow(device::Buffer<uint32_t>& bits, uint64_t words) const {
    if (words <= bits.size()) return;
    device::Buffer<uint32_t> grown = cleared(words);
    device_.copy(grown.data(), bits.data(), bits.size());
    device_.sync();
    bits = std::move(grown);
  }

  // New bits belong to items that were reached from the height above, or to roots of this height.
  void start_height() {
    at_ = 0;
    join_roots();
    if (!done())
      device_.for_each({"mark: new", 16}, words_, NewMarks{marks_.data(), seen_.data(), front_.data()});
  }

  // Marks the roots of this height.
  void join_roots() {
    std::vector<uint32_t> pointers;
    for (const DagRoot& root : roots_)
      if (root.depth == height_) pointers.push_back(root.pointer);
    if (pointers.empty()) return;
    auto on_device = device_.template make<uint32_t>(pointers.size());
    device_.upload(on_device.data(), pointers.data(), pointers.size());
    device_.for_each("mark: roots", pointers.size(), MarkItems{marks_.data(), on_device.data()});
  }

  Device& device_;
  hash::SlabMemoryRef store_;
  uint64_t words_;  // number of words of bits when the mark began
  std::vector<DagRoot> roots_;
  device::Buffer<uint32_t> marks_, front_;  // all reached items; those to look into now
  device::Buffer<uint32_t> seen_;           // the marks when `front_` was found
  device::Buffer<uint32_t> kept_;
  uint32_t height_ = 0;  // the height of the items in `front_`
  uint64_t at_ = 0;      // the next word of `front_` to process
};

template <class Device>
class DagStore {
 public:
  explicit DagStore(Device& device, const hash::TableOptions& options = {})
      : device_(device), tables_(hash::make_tables(device, options)) {}

  // Finds n items, inserts those that are new, and writes the pointers of all. Item i has the words [offsets[i],
  // offsets[i + 1]).
  void intern(const uint32_t* words, const uint32_t* offsets, uint64_t n, uint32_t* pointers) {
    intern(hash::BatchRef{words, offsets, nullptr}, n, pointers);
  }
  hash::InternWork intern(const hash::BatchRef& batch, uint64_t n, uint32_t* pointers) {
    const hash::InternWork work = hash::find_or_insert(device_, *tables_, batch, n, pointers);
    keep(pointers, n);
    return work;
  }

  // While garbage is collected in steps, the marker must learn about all items that are found or inserted.
  // intern() reports them; code that uses the tables without intern() must call keep().
  void set_marker(Marker<Device>* marker) { marker_ = marker; }
  void keep(const uint32_t* pointers, uint64_t n) {
    if (marker_) marker_->keep(pointers, n, pointer_range());
  }

  hash::SlabMemoryRef ref() const { return tables_->memory_ref(); }
  uint64_t pointer_range() const { return tables_->pointer_range(); }
  uint64_t items() const { return tables_->items(); }
  hash::TableSet<Device>& tables() { return *tables_; }
  const hash::TableSet<Device>& tables() const { return *tables_; }

 private:
  Device& device_;
  std::unique_ptr<hash::TableSet<Device>> tables_;
  Marker<Device>* marker_ = nullptr;
};

// Garbage collection: removes from the store all items that cannot be reached from the roots. The method is
// that of Molenaar & Eisemann 2024, §5.3, except that the marks are stored apart from the slabs.

// A collection that is under way. Between its steps, new items may be added to the store. The scenes
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
