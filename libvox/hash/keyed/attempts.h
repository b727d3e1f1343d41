// Tables whose build may fail, and is then tried again with other hash functions. A build ends when the host
// has read the status that its threads wrote.
#pragma once

#include "libvox/hash/keyed/build_status.h"
#include "libvox/hash/keyed/distinct.h"
#include "libvox/hash/keyed/searched.h"

namespace vox::hash {

struct KeyBuildAttempt {
  uint32_t number;         // from 1 on
  uint64_t seed;           // for the attempt's hash functions
  KeyBuildStatus* status;  // on the device; zeros, to which the attempt adds
};

template <class Device, CellWord Cell, class Ref>
class AttemptedKeyTable : public SearchedKeyTable<Device, Cell, Ref> {
 protected:
  AttemptedKeyTable(Device& device, const KeyTableOptions& options, uint32_t most_attempts)
      : SearchedKeyTable<Device, Cell, Ref>(device, options),
        most_attempts_(options.most_attempts.value_or(most_attempts)) {}

  KeyTableBuild build_cells(const Cell* cells, uint64_t n) final {
    KeyTableBuild result;
    DistinctCells<Cell> distinct;
    for (;; ++result.attempts) {
      const KeyBuildStatus status = attempt(cells, n, result.attempts);
      result.restarts += status.restarts;
      if (status.conflicts != 0) throw two_values(this->options_);
      if (status.twice != 0) {  // rare: two threads stored the same key at the same time
        distinct = distinct_cells(this->device_, this->format_, cells, n);
        if (distinct.conflict) throw two_values(this->options_);
        cells = distinct.cells.data();
        n = distinct.count;
        --result.attempts;
        continue;
      }
      result.keys = n - status.copies;
      result.most_probes = status.most_probes;
      if (status.failed == 0) break;
      if (result.attempts == most_attempts_) throw cannot_build(this->options_, n, result.attempts);
    }
    return finished(result);
  }

  // Makes the cells and tries once to build the table.
  virtual void attempt(const Cell* cells, uint64_t n, const KeyBuildAttempt& attempt) = 0;
  // Called after the successful attempt; returns the final results of the build.
  virtual KeyTableBuild finished(KeyTableBuild build) { return build; }

 private:
  KeyBuildStatus attempt(const Cell* cells, uint64_t n, uint32_t number) {
    auto& device = this->device_;
    auto on_device = device.template make<KeyBuildStatus>(1);
    device.fill(on_device.data(), 1, KeyBuildStatus{});
    attempt(cells, n, {number, attempt_seed(this->options_, number), on_device.data()});
    KeyBuildStatus status;
    device.download(&status, on_device.data(), 1);
    if (status.apart != 0) this->keep_apart(static_cast<uint32_t>(status.apart - 1));
    return status;
  }

  uint32_t most_attempts_;
};

}  // namespace vox::hash
