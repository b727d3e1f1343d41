// The table `lines`: ours. Keys that follow each other lie beside each other, a search reads one bucket most
// often, and a table of any load factor is built at the first attempt.
//
//   bucket     64 bytes: 8 cells of 64 bits or 16 of 32, in the order of their precedence, empty ones last
//   line       128 bytes, two buckets
//   block      the keys that fill a line when all of them are stored: 16 or 32 that follow each other
//
// A block has a sequence of lines, by its hash; a key belongs to one side of each, so that keys that share a bucket
// of the first line share one of every line. A key lies in the first of its buckets that has room
// for it, where keys that had to go on more often have precedence (Robin Hood), and the greater key among
// equals. This is a stable matching, of which there is one, in whatever order the keys come: a build may have
// any number of threads, and its cells are the same.
//
// A search goes along the same buckets. It ends where a bucket is not full, because no key has ever been sent on
// from there, and where the last key of a bucket would have had to make room for the one that is searched.
#pragma once

#include <algorithm>
#include <cmath>

#include "libvox/hash/keyed/distinct.h"
#include "libvox/hash/keyed/lines_insert.h"

namespace vox::hash {

// The least prime that is at least n, or 1.
inline uint64_t next_prime(uint64_t n) {
  const auto is_prime = [&] {
    for (uint64_t d = 2; d * d <= n; ++d)
      if (n % d == 0) return false;
    return true;
  };
  while (!is_prime()) ++n;
  return n;
}

template <class Device, CellWord Cell>
class LinesTable final : public SearchedKeyTable<Device, Cell, LinesRef<Cell>> {
 public:
  static constexpr const char* kName = "lines";
  static constexpr uint32_t kMostAttempts = 8, kMostProbes = 64;

  LinesTable(Device& device, const KeyTableOptions& options)
      : SearchedKeyTable<Device, Cell, Lines>(device, options), seed_(mix64(options.seed + 1)) {}

  KeyTableBuild build(const Cell* cells, uint64_t n) override {
    KeyTableBuild result;
    DistinctCells<Cell> distinct;
    for (;; ++result.attempts) {
      const KeyBuildStatus status = attempt(cells, n, mix64(seed_ + result.attempts));
      if (status.conflicts != 0) throw two_values(this->options_);
      if (status.twice != 0) {  // rare: two threads brought the same key at the same time
        distinct = distinct_cells(this->device_, this->format_, cells, n);
        if (distinct.conflict) throw two_values(this->options_);
        cells = distinct.cells.data();
        n = distinct.count;
        --result.attempts;
        continue;
      }
      result.keys = n - status.copies;
      result.most_probes = status.most_probes;
      if (status.failed == 0) return result;
      if (result.attempts == kMostAttempts) throw cannot_build(this->options_, n, result.attempts);
    }
  }

 private:
  using Lines = LinesRef<Cell>;

  KeyBuildStatus attempt(const Cell* cells, uint64_t n, uint64_t seed) {
    auto& device = this->device_;
    const double wanted = std::ceil(static_cast<double>(n) / this->options_.load_factor / Lines::kLineCells);
    const uint64_t lines = next_prime(std::max<uint64_t>(1, static_cast<uint64_t>(wanted)));
    this->make_cells(lines * Lines::kLineCells);
    auto on_device = device.template make<KeyBuildStatus>(1);
    device.fill(on_device.data(), 1, KeyBuildStatus{});
    this->ref_ = {this->cells_.data(), seed, static_cast<uint32_t>(lines),
                  static_cast<uint32_t>(std::min<uint64_t>(kMostProbes, 2 * lines)), this->format_};
    device.for_each({"insert into lines", sizeof(Cell) + 2.0 * BucketCells<Cell>::kBytes}, n,
                    InsertIntoLines<Cell>{this->ref_, cells, on_device.data()});
    device.for_each({"order buckets", 2.0 * BucketCells<Cell>::kBytes}, this->slots_ / Lines::kBucketCells,
                    OrderBucket<Cell>{this->ref_, on_device.data()});
    KeyBuildStatus status;
    device.download(&status, on_device.data(), 1);
    this->ref_.probes = status.most_probes;
    if (status.apart != 0) this->keep_apart(static_cast<uint32_t>(status.apart - 1));
    return status;
  }

  uint64_t seed_;
};

}  // namespace vox::hash
