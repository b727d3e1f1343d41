// The table `lines`: ours. Keys that follow each other lie beside each other, a search reads one sector most
// often, and a table of any load factor is built at the first attempt.
//
//   line       128 bytes: sectors 0 … 3
//   sector     32 bytes: 4 cells of 64 bits or 8 of 32, in ascending order, empty ones last
//   block      the keys that fill a line when all of them are stored: 16 or 32 that follow each other
//
// A block has a sequence of lines, by its hash; a key belongs to one sector of each, so that keys that share
// a sector of the first line share one of every line. A key lies in the first of its sectors that has room
// for it, where keys that had to go on earlier have precedence (Robin Hood), and the greater key among equals.
// This is a stable matching, of which there is one, in whatever order the keys come: so a build may have any
// number of threads, and its cells are the same.
//
// A search goes along the same sectors. It ends where a sector is not full, because no key has ever been sent
// on from there, and where a key lies that the searched one would have put out. For the first sector, which
// most searches end with, 16 bits beside it, the *filter*, tell sooner that no key like this one was sent on.
#pragma once

#include <algorithm>
#include <cmath>

#include "libvox/base/bits.h"
#include "libvox/base/mix.h"
#include "libvox/base/units.h"
#include "libvox/hash/keyed/build_status.h"
#include "libvox/hash/keyed/distinct.h"
#include "libvox/hash/keyed/searched.h"

namespace vox::hash {

// The cells of a sector, as one thread reads them.
template <CellWord Cell>
struct alignas(16) SectorCells {
  static constexpr uint32_t kCount = 32 / sizeof(Cell);
  Cell cell[kCount];
};

// Reads a sector that other threads change at the same time: each cell by itself is as it was at some time.
template <CellWord Cell>
VOX_HD SectorCells<Cell> load_shared_sector(const Cell* at) {
  SectorCells<Cell> cells;
#ifdef __CUDA_ARCH__
  uint64_t words[4];
  asm volatile("ld.relaxed.gpu.global.v2.u64 {%0, %1}, [%2];"
               : "=l"(words[0]), "=l"(words[1])
               : "l"(at)
               : "memory");
  asm volatile("ld.relaxed.gpu.global.v2.u64 {%0, %1}, [%2 + 16];"
               : "=l"(words[2]), "=l"(words[3])
               : "l"(at)
               : "memory");
  if constexpr (sizeof(Cell) == 8) {
    for (uint32_t i = 0; i < 4; ++i) cells.cell[i] = words[i];
  } else {
    for (uint32_t i = 0; i < 4; ++i) {
      cells.cell[2 * i] = static_cast<uint32_t>(words[i]);
      cells.cell[2 * i + 1] = static_cast<uint32_t>(words[i] >> 32);
    }
  }
#else
  for (uint32_t i = 0; i < SectorCells<Cell>::kCount; ++i)
    cells.cell[i] = device::atomic_load_relaxed(at + i);
#endif
  return cells;
}

template <CellWord Cell>
struct LinesRef {
  static constexpr uint32_t kSectorCells = SectorCells<Cell>::kCount;
  static constexpr uint32_t kLineSectors = 4, kLineCells = kLineSectors * kSectorCells;
  static constexpr uint32_t kMostProbes = 64;

  Cell* cells;
  uint32_t* filters;  // 16 bits for each sector
  uint64_t lines;
  uint64_t seed;
  CellFormat<Cell> format;
  uint32_t probes;  // how many sectors a search looks at, at most

  uint64_t sectors() const { return lines * kLineSectors; }

  // The sector that a key looks at in its turn.
  VOX_HD uint64_t sector(Cell key, uint32_t turn) const {
    const uint64_t hash = mix64(key / kLineCells + seed + turn * 0x9e3779b97f4a7c15);
#ifdef __CUDA_ARCH__
    const uint64_t line = __umul64hi(hash, lines);
#else
    const auto line = static_cast<uint64_t>((static_cast<unsigned __int128>(hash) * lines) >> 64);
#endif
    return line * kLineSectors + ((key / kSectorCells ^ hash) % kLineSectors);
  }
  // In which turn a key looks at a sector first, one of those that it looks at.
  VOX_HD uint32_t turn(Cell key, uint64_t at) const {
    uint32_t turn = 0;
    while (turn < kMostProbes && sector(key, turn) != at) ++turn;
    return turn;
  }
  VOX_HD uint32_t filter_bit(Cell key) const {
    return 1u << (mix64(key ^ 0x5851f42d4c957f2d ^ seed) >> 60);
  }
  VOX_HD uint32_t filter(uint64_t at) const {
    return filters[at / 2] >> at % 2 * 16;
  }

  VOX_HD Cell cell(uint32_t slot) const {
    return cells[slot];
  }
  VOX_HD void prefetch(Cell key) const {
    prefetch_line(cells + sector(key, 0) * kSectorCells);
  }

  template <class Probe>
  VOX_HD uint32_t find(Cell key, Probe& probe) const {
    for (uint32_t turn = 0; turn < probes; ++turn) {
      const uint64_t at = sector(key, turn);
      const auto held = *reinterpret_cast<const SectorCells<Cell>*>(cells + at * kSectorCells);
      probe.read(1);
      for (uint32_t i = 0; i < kSectorCells; ++i)
        if (format.key(held.cell[i]) == key) return static_cast<uint32_t>(at * kSectorCells + i);
      if (held.cell[kSectorCells - 1] == kEmptyCell<Cell>) return kNoSlot;
      if (turn == 0 ? (filter(at) & filter_bit(key)) == 0 : would_stay(key, at, held)) return kNoSlot;
    }
    return kNoSlot;
  }

  // Whether a key that comes to a full sector has precedence over one that lies there.
  VOX_HD bool would_stay(Cell key, uint64_t at, const SectorCells<Cell>& held) const {
    const uint32_t its_turn = turn(key, at);
    for (uint32_t i = 0; i < kSectorCells; ++i) {
      const Cell other = format.key(held.cell[i]);
      for (uint32_t earlier = 0; earlier < its_turn; ++earlier)
        if (sector(other, earlier) == at) return true;
      if (other < key && sector(other, its_turn) == at) return true;
    }
    return false;
  }
};

// Puts cells into sectors. A cell that is put out goes on with the same thread.
template <CellWord Cell>
struct InsertIntoLines {
  using Lines = LinesRef<Cell>;
  Lines table;
  const Cell* items;
  KeyBuildStatus* status;

  VOX_HD void prefetch(uint64_t i, int stage) const {
    if (stage == 1) table.prefetch(table.format.key(items[i]));
  }

  VOX_HD void operator()(uint64_t i) const {
    Cell cell = items[i];
    if (table.format.key(cell) == table.format.apart_key())
      return keep_apart(status, table.format.value(cell));
    for (uint32_t turn = 0; turn < Lines::kMostProbes; ++turn)
      if (put(cell, turn)) return;
    device::atomic_or_relaxed(&status->failed, 1u);
  }

  // Tries to put a cell into the sector that is its turn. Returns true where nothing is left to be put; else
  // `cell` is what has to go on, after its `turn`.
  VOX_HD bool put(Cell& cell, uint32_t& turn) const {
    const Cell key = table.format.key(cell);
    const uint64_t at = table.sector(key, turn);
    Cell* const sector = table.cells + at * Lines::kSectorCells;
    // Its rank is that of its first turn here. Where it was sent on before, it is again.
    const uint32_t first_turn = turn == 0 ? 0 : table.turn(key, at);
    while (true) {
      const SectorCells<Cell> held = load_shared_sector(sector);
      uint32_t to = 0;
      uint32_t to_turn = UINT32_MAX;
      for (uint32_t i = 0; i < Lines::kSectorCells && to_turn != 0; ++i) {
        if (held.cell[i] == kEmptyCell<Cell>) {
          to = i;
          to_turn = 0;
        } else if (table.format.key(held.cell[i]) == key) {
          note_copy(status, held.cell[i], cell);
          return true;
        }
      }
      if (to_turn == 0) {
        if (device::atomic_exchange_if_relaxed(sector + to, kEmptyCell<Cell>, cell) == kEmptyCell<Cell>)
          return true;
        continue;
      }
      // The sector is full: of its cells, the one of least precedence goes, if this one has more.
      for (uint32_t i = 0; i < Lines::kSectorCells; ++i) {
        const uint32_t its_turn = table.turn(table.format.key(held.cell[i]), at);
        if (its_turn < to_turn || (its_turn == to_turn && held.cell[i] < held.cell[to])) {
          to = i;
          to_turn = its_turn;
        }
      }
      const Cell out = held.cell[to];
      if (first_turn < to_turn || (first_turn == to_turn && key < table.format.key(out))) return false;
      if (device::atomic_exchange_if_relaxed(sector + to, out, cell) != out) continue;
      for (uint32_t i = 0; i < Lines::kSectorCells; ++i)
        if (i != to && table.format.key(held.cell[i]) == table.format.key(out))
          device::atomic_or_relaxed(&status->twice, 1u);
      cell = out;
      turn = to_turn;
      return false;
    }
  }
};

// Sorts the cells of a sector, and says in the filters of first sectors what was sent on from there.
template <CellWord Cell>
struct FinishSector {
  using Lines = LinesRef<Cell>;
  Lines table;
  KeyBuildStatus* status;

  VOX_HD void operator()(uint64_t at) const {
    auto* const place = reinterpret_cast<SectorCells<Cell>*>(table.cells + at * Lines::kSectorCells);
    SectorCells<Cell> held = *place;
    for (uint32_t i = 1; i < Lines::kSectorCells; ++i)
      for (uint32_t j = i; j > 0 && held.cell[j] < held.cell[j - 1]; --j) {
        const Cell less = held.cell[j];
        held.cell[j] = held.cell[j - 1];
        held.cell[j - 1] = less;
      }
    *place = held;
    uint32_t most_probes = 0;
    for (uint32_t i = 0; i < Lines::kSectorCells && held.cell[i] != kEmptyCell<Cell>; ++i) {
      const Cell key = table.format.key(held.cell[i]);
      if (i > 0 && key == table.format.key(held.cell[i - 1])) device::atomic_or_relaxed(&status->twice, 1u);
      const uint32_t turn = table.turn(key, at);
      if (turn + 1 > most_probes) most_probes = turn + 1;
      if (turn == 0) continue;
      const uint64_t first = table.sector(key, 0);
      device::atomic_or_relaxed(table.filters + first / 2, table.filter_bit(key) << first % 2 * 16);
    }
    note_probes(status, most_probes);
  }
};

template <class Device, CellWord Cell>
class LinesTable final : public SearchedKeyTable<Device, Cell, LinesRef<Cell>> {
 public:
  static constexpr const char* kName = "lines";
  static constexpr uint32_t kMostAttempts = 8;

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
        result.keys = distinct.count;
        cells = distinct.cells.data();
        n = distinct.count;
        --result.attempts;
        continue;
      }
      result.keys = n - status.copies;
      result.most_probes = status.most_probes;
      if (status.failed == 0) break;
      if (result.attempts == kMostAttempts) throw cannot_build(this->options_, n, result.attempts);
    }
    return result;
  }

 private:
  using Lines = LinesRef<Cell>;

  uint64_t bytes_beside_cells() const override { return filters_.size() * sizeof(uint32_t); }

  KeyBuildStatus attempt(const Cell* cells, uint64_t n, uint64_t seed) {
    auto& device = this->device_;
    const double wanted = std::ceil(static_cast<double>(n) / this->options_.load_factor / Lines::kLineCells);
    const uint64_t lines = std::max<uint64_t>(1, static_cast<uint64_t>(wanted));
    this->make_cells(lines * Lines::kLineCells);
    filters_.reset();
    filters_ = device.template make<uint32_t>(lines * Lines::kLineSectors / 2);
    device.fill(filters_.data(), filters_.size(), 0u);
    auto on_device = device.template make<KeyBuildStatus>(1);
    device.fill(on_device.data(), 1, KeyBuildStatus{});
    this->ref_ = {this->cells_.data(), filters_.data(), lines, seed, this->format_, Lines::kMostProbes};
    device.for_each({"insert into lines", sizeof(Cell) + 64.0}, n,
                    InsertIntoLines<Cell>{this->ref_, cells, on_device.data()});
    device.for_each({"finish sectors", 68}, this->ref_.sectors(),
                    FinishSector<Cell>{this->ref_, on_device.data()});
    KeyBuildStatus status;
    device.download(&status, on_device.data(), 1);
    this->ref_.probes = status.most_probes;
    if (status.apart != 0)
      this->keep_apart(
          this->format_.cell(this->format_.apart_key(), static_cast<uint32_t>(status.apart - 1)));
    return status;
  }

  uint64_t seed_;
  device::Buffer<uint32_t> filters_;
};

}  // namespace vox::hash
