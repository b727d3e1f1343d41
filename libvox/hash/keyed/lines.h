// The table `lines`, which was designed for this library. Successive keys lie beside each other, a search
// usually reads one bucket, and a table of any load factor is built at the first attempt.
//
//   bucket     64 bytes: 8 cells of 64 bits or 16 of 32, in the order of their precedence, empty ones last; in one that is
//              full, pairs of cells may be swapped, which tells the turn of the last one (BucketCells)
//   line       128 bytes, two buckets
//   block      the keys that fill a line when all of them are stored: 16 or 32 that follow each other
//
// The hash of a block defines a sequence of lines. A key belongs to one side of each of these lines, so keys
// that share a bucket of the first line share a bucket of every line. A *turn* is a step of this sequence:
// the bucket of turn 0 is the first that a key tries. A key lies in the first of its buckets that has room
// for it. Keys that had to go on more often have precedence (Robin Hood), and among equals the greater key
// has. This is a stable matching, and there is only one, in whatever order the keys come. A build may have
// any number of threads, and its cells are always the same.
//
// A search visits the same buckets. It ends at a bucket that is not full, because no key ever had to go on
// from there, and at a bucket whose last key would have had to make room for the wanted one.
#pragma once

#include <algorithm>
#include <cmath>

#include "libvox/base/prime.h"
#include "libvox/hash/keyed/attempts.h"
#include "libvox/hash/keyed/lines_insert.h"

namespace vox::hash {

// Returns how many lines a table of this many keys has.
inline uint64_t lines_of(uint64_t keys, double load_factor, uint32_t line_cells) {
  const double wanted = std::ceil(static_cast<double>(keys) / load_factor / line_cells);
  return next_prime(std::max<uint64_t>(1, static_cast<uint64_t>(wanted)));
}

template <class Device, CellWord Cell>
class LinesTable final : public AttemptedKeyTable<Device, Cell, LinesRef<Cell>> {
 public:
  static constexpr const char* kName = "lines";
  static constexpr KeyTableLoad kLoad = {.usual = 0.8, .most = 1};

  LinesTable(Device& device, const KeyTableOptions& options)
      : AttemptedKeyTable<Device, Cell, Lines>(device, options, kMostAttempts) {}

 private:
  using Lines = LinesRef<Cell>;
  static constexpr uint32_t kMostAttempts = 8, kMostProbes = 64;

  void attempt(const Cell* cells, uint64_t n, const KeyBuildAttempt& attempt) override {
    auto& device = this->device_;
    const uint64_t lines = lines_of(n, this->load_factor_, Lines::kLineCells);
    this->make_cells(lines * Lines::kLineCells);
    this->ref_ = {this->cells_.data(), attempt.seed, static_cast<uint32_t>(lines),
                  static_cast<uint32_t>(std::min<uint64_t>(kMostProbes, 2 * lines)), this->format_};
    device.for_each({"insert into lines", sizeof(Cell) + 2.0 * BucketCells<Cell>::kBytes}, n,
                    InsertIntoLines<Cell>{this->ref_, cells, attempt.status});
    device.for_each({"order buckets", 2.0 * BucketCells<Cell>::kBytes}, this->slots_ / Lines::kBucketCells,
                    OrderBucket<Cell>{this->ref_, attempt.status});
  }

  KeyTableBuild finished(KeyTableBuild build) override {
    this->ref_.probes = build.most_probes;
    return build;
  }
};

}  // namespace vox::hash
