// The table `lines`: ours. Keys that follow each other lie beside each other, a search reads one bucket most
// often, and a table of any load factor is built at the first attempt.
//
//   bucket     64 bytes: 8 cells of 64 bits or 16 of 32, in the order of their precedence, empty ones last; in one that is
//              full, pairs of cells may be swapped, which tells the turn of the last one (BucketCells)
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

#include "libvox/base/prime.h"
#include "libvox/hash/keyed/attempts.h"
#include "libvox/hash/keyed/lines_insert.h"

namespace vox::hash {

// How many lines there are for so many keys.
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
