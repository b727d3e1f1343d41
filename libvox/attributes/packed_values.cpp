#include "libvox/attributes/packed_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <span>

#include "libvox/attributes/pack.h"
#include "libvox/base/bits.h"
#include "libvox/base/error.h"
#include "libvox/base/loops.h"
#include "libvox/base/progress.h"
#include "libvox/device/cpu_device.h"

namespace vox::attributes {
namespace {

// The groups that are packed or compared at once.
constexpr uint64_t kPieceGroups = 1 << 12;

// Writes the stored values of a block, of which there are `count`.
void unpack_block(const ValuesRef& ref, uint64_t block, uint64_t count, uint32_t* to) {
  const ValueGroup& group = ref.groups[block / kGroupBlocks];
  const uint32_t code = group.blocks[block % kGroupBlocks], width = code & 15;
  const uint8_t* const bytes = ref.bytes + group.first_byte + (code >> 4);
  if (width == 0) {
    std::fill_n(to, count, load_bits(bytes, 0, ref.value_bits));
    return;
  }
  const uint8_t* const palette = bytes + kBlockValues / 8 * width;
  for (uint32_t i = 0; i < count; ++i)
    to[i] = width == kPlainBlock ? load_bits(bytes, i, ref.value_bits)
                                 : load_bits(palette, load_bits(bytes, i, width), ref.value_bits);
}

// Calls body(first value, values as they are stored) for pieces of whole groups, on all threads.
template <class Body>
void parallel_for_values(const PackedValues& values, uint64_t first_group, uint64_t end_group, Body body) {
  const ValuesRef ref = values.ref();
  parallel_for(tbb::blocked_range<uint64_t>(first_group, end_group, 16), [&](const auto& range) {
    uint32_t block[kBlockValues];
    for (uint64_t i = range.begin() * kGroupBlocks; i < range.end() * kGroupBlocks; ++i) {
      const uint64_t first = i * kBlockValues;
      if (first >= values.count) return;
      const uint64_t count = std::min<uint64_t>(values.count - first, kBlockValues);
      unpack_block(ref, i, count, block);
      body(first, std::span<const uint32_t>(block, count));
    }
  });
}

// Calls body(first group, stored values of these groups) for one piece after the other. The values may be changed.
template <class Body>
void for_each_piece(const PackedValues& values, Body body) {
  std::vector<uint32_t> unpacked;
  for (uint64_t group = 0; group < values.groups.size(); group += kPieceGroups) {
    throw_if_cancelled();
    const uint64_t first = group * kGroupValues, end = std::min(group + kPieceGroups, values.groups.size());
    unpacked.resize(std::min(values.count - first, kPieceGroups * kGroupValues));
    parallel_for_values(values, group, end, [&](uint64_t at, std::span<const uint32_t> block) {
      std::ranges::copy(block, unpacked.begin() + static_cast<ptrdiff_t>(at - first));
    });
    body(group, std::span(unpacked));
  }
}

Error error_at(uint64_t group, uint32_t block, const std::string& what) {
  return Error(what).at(fmt::format("values, block {}", group * kGroupBlocks + block));
}

void check_block(const PackedValues& values, uint64_t group, uint32_t block) {
  const ValueGroup& head = values.groups[group];
  const uint64_t first = group * kGroupValues + block * kBlockValues;
  const uint32_t code = head.blocks[block], width = code & 15, value_bits = values.value_bits;
  if (first >= values.count) {
    if (code != 0) throw error_at(group, block, "lies behind the last value, and is not 0");
    return;
  }
  if (width > 6 && width != kPlainBlock)
    throw error_at(group, block, fmt::format("has indices of {} bits, expected at most 6", width));
  const uint64_t room = values.byte_count - std::min(head.first_byte, values.byte_count);
  const uint64_t at = code >> 4;
  if (at + block_bytes(width, 1, value_bits) > room)
    throw error_at(group, block, "reaches beyond the last byte");
  const uint8_t* const bytes = values.ref().bytes + head.first_byte + at;
  const auto check_entries = [&](const uint8_t* entries, uint32_t entry_count) {
    for (uint32_t i = 0; i < entry_count && !values.table.empty(); ++i)
      if (load_bits(entries, i, value_bits) >= values.table.size())
        throw error_at(group, block, "names a value that the table does not have");
  };
  if (width == kPlainBlock) return check_entries(bytes, kBlockValues);
  uint32_t most = 0;
  for (uint32_t i = 0; i < kBlockValues && width > 0; ++i) most = std::max(most, load_bits(bytes, i, width));
  if (at + block_bytes(width, most + 1, value_bits) > room)
    throw error_at(group, block, "has an index beyond its palette, which reaches beyond the last byte");
  check_entries(bytes + kBlockValues / 8 * width, most + 1);
}

}  // namespace

struct ValueWriter::Packed {
  device::CpuDevice device{UINT64_MAX, false};
  PackedList list;
};

ValueWriter::ValueWriter(uint32_t value_bits, std::vector<uint32_t> table)
    : value_bits_(value_bits), table_(std::move(table)), packed_(std::make_unique<Packed>()) {}
ValueWriter::~ValueWriter() = default;

void ValueWriter::put(std::span<const uint32_t> values) {
  while (!values.empty()) {
    const auto now = values.first(std::min<size_t>(values.size(), kAtOnce - waiting_.size()));
    waiting_.insert(waiting_.end(), now.begin(), now.end());
    if (waiting_.size() == kAtOnce) pack();
    values = values.subspan(now.size());
  }
}

void ValueWriter::pack() {
  throw_if_cancelled();
  PackedList& list = packed_->list;
  list.add(packed_->device,
           pack_on(packed_->device, waiting_.data(), waiting_.size(), value_bits_, list.byte_count()));
  count_ += waiting_.size();
  waiting_.clear();
}

PackedValues ValueWriter::finish() {
  pack();
  return packed_->list.take(count_, value_bits_, std::move(table_));
}

PackedValues packed_values(std::span<const uint32_t> values, uint32_t value_bits) {
  ValueWriter writer(value_bits);
  writer.put(values);
  return writer.finish();
}

std::vector<uint32_t> different_values(const PackedValues& values) {
  std::vector<uint64_t> is_used((size_t{1} << kMostValueBits) / 64);  // a bit for each value
  parallel_for_values(values, 0, values.groups.size(), [&](uint64_t, std::span<const uint32_t> block) {
    for (size_t i = 0; i < block.size(); ++i) {
      if (i > 0 && block[i] == block[i - 1]) continue;
      const std::atomic_ref bits(is_used[block[i] / 64]);
      const uint64_t bit = uint64_t{1} << block[i] % 64;
      if ((bits.load(std::memory_order_relaxed) & bit) == 0) bits.fetch_or(bit, std::memory_order_relaxed);
    }
  });
  std::vector<uint32_t> different;
  for (uint32_t value = 0; value < uint32_t{1} << kMostValueBits; ++value)
    if ((is_used[value / 64] >> value % 64 & 1) != 0)
      different.push_back(values.table.empty() ? value : values.table[value]);
  std::ranges::sort(different);  // a table of another program may have any order, and values twice
  different.erase(std::unique(different.begin(), different.end()), different.end());
  return different;
}

namespace {

// The place of each value in an ascending table, found from a bit for each number. An array of places would take 32 MiB for
// 24-bit colors.
class TablePlaces {
 public:
  explicit TablePlaces(const std::vector<uint32_t>& table)
      : bits_(table.empty() ? 0 : table.back() / 64 + 1), before_(bits_.size()) {
    for (const uint32_t value : table) bits_[value / 64] |= uint64_t{1} << value % 64;
    for (size_t i = 1; i < bits_.size(); ++i)
      before_[i] = before_[i - 1] + static_cast<uint32_t>(popcount(bits_[i - 1]));
  }
  uint32_t operator[](uint32_t value) const {
    const uint64_t lower = (uint64_t{1} << value % 64) - 1;
    return before_[value / 64] + static_cast<uint32_t>(popcount(bits_[value / 64] & lower));
  }

 private:
  std::vector<uint64_t> bits_;
  std::vector<uint32_t> before_;
};

}  // namespace

PackedValues with_table(PackedValues values) {
  std::vector<uint32_t> table = different_values(values);
  if (table.size() > kMostTabled || table == values.table) return values;
  const TablePlaces place_of(table);
  const uint32_t bits = bits_for_table(table.size());
  device::CpuDevice device(UINT64_MAX, false);
  PackedList list;
  for_each_piece(values, [&](uint64_t, std::span<uint32_t> piece) {
    parallel_for(tbb::blocked_range<size_t>(0, piece.size(), 1 << 14), [&](const auto& range) {
      for (size_t i = range.begin(); i < range.end(); ++i)
        piece[i] = place_of[values.table.empty() ? piece[i] : values.table[piece[i]]];
    });
    list.add(device, pack_on(device, piece.data(), piece.size(), bits, list.byte_count()));
  });
  return list.take(values.count, bits, std::move(table));
}

void read_values(const PackedValues& values, uint64_t first, std::span<uint32_t> to) {
  parallel_for(tbb::blocked_range<uint64_t>(0, to.size(), 1 << 14), [&](const auto& range) {
    for (uint64_t i = range.begin(); i < range.end(); ++i) to[i] = values[first + i];
  });
}

void check_structure(const PackedValues& values) {
  if (values.value_bits < 1 || values.value_bits > kMostValueBits)
    throw Error(fmt::format("values have {} bits, expected 1 to {}", values.value_bits, kMostValueBits));
  if (values.table.size() > kMostTabled)
    throw Error(
        fmt::format("the table has {} values, expected at most {}", values.table.size(), kMostTabled));
  if (values.groups.size() != groups_of(values.count))
    throw Error(fmt::format("{} groups hold {} values, expected {}", values.groups.size(), values.count,
                            groups_of(values.count)));
  if (values.words.size() != values.byte_count / 4 + (values.byte_count % 4 != 0 ? 1 : 0))
    throw Error(fmt::format("{} bytes are given in {} words", values.byte_count, values.words.size()));
  parallel_for(tbb::blocked_range<uint64_t>(0, values.groups.size(), 64), [&](const auto& range) {
    for (uint64_t group = range.begin(); group < range.end(); ++group)
      for (uint32_t block = 0; block < kGroupBlocks; ++block) check_block(values, group, block);
  });
}

void verify(const PackedValues& values) {
  device::CpuDevice device(UINT64_MAX, false);
  uint64_t bytes = 0;
  for_each_piece(values, [&](uint64_t group, std::span<uint32_t> unpacked) {
    const PackedPiece piece = pack_on(device, unpacked.data(), unpacked.size(), values.value_bits, bytes);
    const auto* const known = values.groups.data() + group;
    for (uint64_t i = 0; i < piece.groups.size(); ++i)
      if (piece.groups.data()[i] != known[i])
        throw error_at(group + i, 0, "is not packed as vox packs these values");
    if (piece.bytes.size() > values.byte_count - bytes ||
        std::memcmp(piece.bytes.data(), values.ref().bytes + bytes, piece.bytes.size()) != 0)
      throw error_at(group, 0, "or one after it is not packed as vox packs these values");
    bytes += piece.bytes.size();
  });
  if (bytes != values.byte_count)
    throw Error(fmt::format("the values take {} bytes, {} are given", bytes, values.byte_count));
  if (values.byte_count % 4 != 0 && values.words.back() >> 8 * (values.byte_count % 4) != 0)
    throw Error("the rest of the last word is not 0");
}

}  // namespace vox::attributes
