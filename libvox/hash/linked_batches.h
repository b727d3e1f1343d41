// Batches whose items hold pointers to items of the batch before, as the levels of an edited scene do: all
// are inserted one behind the other, and what the host has to know comes at the end.
//
//   for each batch:  start()   a loop over the batch writes its items and calls BatchStart for each
//                    intern()  duplicates are left out, items that are stored are found, the others inserted
//   finish()
//
// A variant that needs the host for each batch (stepped_batches.h) and one that does not (sector/batches.h)
// look the same from here. Where the latter runs out of room, all later loops do nothing, and finish() says
// from which batch on they are to be done again.
#pragma once

#include <optional>
#include <vector>

#include "libvox/base/hd.h"
#include "libvox/hash/batch.h"

namespace vox::hash {

struct InternWork {
  uint64_t distinct = 0;  // items of the batch without duplicates
  uint64_t inserted = 0;  // how many of these were not stored before
};

struct BatchesResult {
  std::optional<size_t> stopped;  // the batch from which on all is to be done again
  uint32_t word = 0;              // the value of LinkedBatches::word()
};

// What the loop that writes the n items of a batch does for the tables: it calls start(i) once item i has
// been written. Where start.stopped() holds, it writes nothing instead. start(i) also clears memory that the
// variant needs for the batch, so that this takes no launch of its own.
struct BatchStart {
  static constexpr uint32_t kCleared = UINT32_MAX;

  const uint32_t* stop = nullptr;  // not zero once a batch has stopped; nullptr where none ever does
  uint64_t* hashes = nullptr;      // of the items; nullptr where nothing is to be prepared
  uint32_t* cleared[2] = {};       // two arrays of `mask` + 1 words
  uint64_t mask = 0;
  BatchRef batch = {};
  uint64_t n = 0;

  VOX_HD bool stopped() const { return stop && *stop != 0; }
  VOX_HD void operator()(uint64_t i) const {
    if (!hashes) return;
    hashes[i] = hash_words(batch.item(i), batch.size(i));
    for (uint64_t slot = i; slot <= mask; slot += n) cleared[0][slot] = cleared[1][slot] = kCleared;
  }
};

class LinkedBatches {
 public:
  explicit LinkedBatches(size_t batches) : work_(batches) {}
  virtual ~LinkedBatches() = default;
  LinkedBatches(const LinkedBatches&) = delete;
  LinkedBatches& operator=(const LinkedBatches&) = delete;

  virtual BatchStart start(const BatchRef& batch, uint64_t n) const = 0;

  // Whether intern() sets leader_of: then only leaders get pointers. Otherwise all items get them, and
  // leader_of is not used.
  virtual bool has_leaders() const = 0;
  // For a batch that has been started: leader_of[i] becomes the index of one of the items that are equal to
  // item i, and pointers[leader_of[i]] where the tables hold it; other pointers become kNullPointer.
  virtual void intern(size_t number, const BatchRef& batch, uint64_t n, uint32_t* leader_of,
                      uint32_t* pointers) = 0;

  // A word that loops may write, and that finish() brings along.
  virtual uint32_t* word() const = 0;

  // Waits for the batches. Where there was not enough room for one of them, it makes room, and the result
  // says from which batch on all are to be done again; otherwise all are done.
  virtual BatchesResult finish() = 0;

  // What each batch was, once all are done.
  const std::vector<InternWork>& work() const { return work_; }

 protected:
  std::vector<InternWork> work_;
};

}  // namespace vox::hash
