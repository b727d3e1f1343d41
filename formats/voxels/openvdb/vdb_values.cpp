// Reads the values of a node, which may be compressed with ZIP or Blosc.
#include <libdeflate.h>

#include <algorithm>
#include <cstring>
#include <memory>

#include "formats/io/scan.h"
#include "formats/voxels/openvdb/vdb.h"
#include "libvox/base/bits.h"
#include "libvox/base/error.h"

namespace vox {
namespace {

// The way in which inactive values are stored, by its number in the file.
enum class VdbInactive : uint8_t {
  Background = 0,
  Negated = 1,              // the background's negative
  One = 2,                  // one value, which is stored
  BackgroundOrNegated = 3,  // a mask selects
  BackgroundOrOne = 4,
  OneOrOther = 5,  // both are stored
  All = 6,         // all values are stored
};

uint64_t count_bits(std::span<const std::byte> mask) {
  uint64_t count = 0;
  for (size_t i = 0; i < mask.size(); i += 8)
    count += static_cast<uint64_t>(popcount(value_at<uint64_t>(mask.data() + i)));
  return count;
}

VdbBlock::Value negative(const VdbBlock::Value& value, const VdbType& type) {
  VdbBlock::Value result = value;
  if (type.kind != VdbType::Kind::Number) return result;  // inactive values count for numbers only
  with_stored_type(type.number, [&]<class T>() {
    const T number = stored_value<T>(value.data(), 0);
    if constexpr (std::is_floating_point_v<T>) {
      const T negated = -number;
      std::memcpy(result.data(), &negated, sizeof negated);
    } else {
      const auto negated = static_cast<T>(0 - static_cast<uint64_t>(number));
      std::memcpy(result.data(), &negated, sizeof negated);
    }
  });
  return result;
}

// Expands halves to floats, or to doubles.
std::vector<std::byte> expanded(std::span<const std::byte> halves, uint64_t bytes_each) {
  const uint64_t count = halves.size() / 2;
  std::vector<std::byte> values(count * bytes_each);
  for (uint64_t i = 0; i < count; ++i) {
    const float value = float_of_half(stored_value<uint16_t>(halves.data(), i));
    const double wide = value;
    std::memcpy(values.data() + i * bytes_each, bytes_each == 8 ? static_cast<const void*>(&wide) : &value,
                bytes_each);
  }
  return values;
}

bool inflate_exactly(std::span<const std::byte> data, std::span<std::byte> to) {
  thread_local const std::unique_ptr<libdeflate_decompressor, void (*)(libdeflate_decompressor*)>
      decompressor = {libdeflate_alloc_decompressor(), libdeflate_free_decompressor};
  return libdeflate_zlib_decompress(decompressor.get(), data.data(), data.size(), to.data(), to.size(),
                                    nullptr) == LIBDEFLATE_SUCCESS;
}

// Blosc 1 (https://github.com/Blosc/c-blosc, README_HEADER) with LZ4 (lz4_Block_format). The data is small, up to 384 KB
// for a node, and may be hostile.

constexpr uint32_t kShuffled = 1, kCopied = 2, kBitShuffled = 4, kNotSplit = 16, kLz4 = 1;

struct BloscHead {
  uint8_t version, lz_version, flags, type_bytes;
  uint32_t bytes, block_bytes, packed_bytes;
};
static_assert(sizeof(BloscHead) == 16);

// Reads the rest of a length whose first part is 15: bytes are added up to the first one that is not 255.
bool add_length(std::span<const std::byte> data, size_t& at, size_t& length) {
  for (uint32_t byte = 255; byte == 255; length += byte) {
    if (at == data.size()) return false;
    byte = std::to_integer<uint32_t>(data[at++]);
  }
  return true;
}

// A sequence is a token, literals, and a match: an offset back and a length of at least 4. The last one has no match.
bool unlz4(std::span<const std::byte> data, std::span<std::byte> to) {
  size_t at = 0, end = 0;
  while (at < data.size()) {
    const auto token = std::to_integer<uint32_t>(data[at++]);
    size_t literals = token >> 4, length = token & 15;
    if (literals == 15 && !add_length(data, at, literals)) return false;
    if (literals > data.size() - at || literals > to.size() - end) return false;
    std::copy_n(data.begin() + static_cast<ptrdiff_t>(at), literals,
                to.begin() + static_cast<ptrdiff_t>(end));
    at += literals;
    end += literals;
    if (at == data.size()) return end == to.size();
    if (data.size() - at < 2) return false;
    const size_t back = value_at<uint16_t>(data.data() + at);
    at += 2;
    if (length == 15 && !add_length(data, at, length)) return false;
    length += 4;
    if (back == 0 || back > end || length > to.size() - end) return false;
    for (size_t i = 0; i < length; ++i, ++end) to[end] = to[end - back];  // source and target may overlap
  }
  return false;
}

// Takes one piece: its size in 4 bytes, and its bytes, which are plain if there are as many as the piece needs.
bool take_piece(std::span<const std::byte> data, size_t& at, std::span<std::byte> to) {
  if (data.size() - at < 4) return false;
  const size_t size = value_at<uint32_t>(data.data() + at);
  at += 4;
  if (size > data.size() - at) return false;
  const auto piece = data.subspan(at, size);
  at += size;
  if (size != to.size()) return unlz4(piece, to);
  std::ranges::copy(piece, to.begin());
  return true;
}

// Undoes the order in which the first bytes of all numbers come first, then the second ones, and so on.
void unshuffle(std::span<const std::byte> from, std::span<std::byte> to, size_t type_bytes) {
  const size_t count = from.size() / type_bytes;
  for (size_t byte = 0; byte < type_bytes; ++byte)
    for (size_t i = 0; i < count; ++i) to[i * type_bytes + byte] = from[byte * count + i];
  for (size_t i = count * type_bytes; i < from.size(); ++i) to[i] = from[i];
}

}  // namespace

bool VdbValues::is_background(const std::byte* value) const {
  return std::memcmp(value, background_.data(), type_.bytes) == 0;
}

VdbBlock VdbValues::next_block(VdbScan& scan, std::span<const std::byte> mask) const {
  constexpr std::string_view kWhat = "the values of a node";
  const auto state = scan.next<uint8_t>(kWhat);
  if (state > static_cast<uint8_t>(VdbInactive::All))
    throw Error("a node states its inactive values in an unknown way").hint("is the file damaged?");
  const auto inactive = static_cast<VdbInactive>(state);
  const auto next_value = [&](VdbBlock::Value& to) {
    std::ranges::copy(scan.take(type_.bytes, kWhat), to.begin());
  };
  VdbBlock block;
  block.values = mask.size() * 8;
  block.inactive[0] = inactive == VdbInactive::Background ? background_ : negative(background_, type_);
  block.inactive[1] = background_;
  const bool is_other = inactive == VdbInactive::OneOrOther;
  if (inactive == VdbInactive::One || inactive == VdbInactive::BackgroundOrOne || is_other)
    next_value(block.inactive[0]);
  if (is_other) next_value(block.inactive[1]);
  if (inactive == VdbInactive::BackgroundOrNegated || inactive == VdbInactive::BackgroundOrOne || is_other) {
    block.selection_at = scan.at;
    scan.take(mask.size(), kWhat);
  }
  const bool active_only = (compression_ & kVdbActiveMask) != 0 && inactive != VdbInactive::All;
  block.stored = active_only ? count_bits(mask) : block.values;
  block.data_bytes = block.stored * stored_bytes_each();
  if ((compression_ & (kVdbZip | kVdbBlosc)) != 0 && !(halves_ && block.stored == 0)) {
    const auto size = scan.next<int64_t>(kWhat);  // negative: not compressed
    if (size > 0) {
      block.packed = true;
      block.data_bytes = static_cast<uint64_t>(size);
    } else if (0 - static_cast<uint64_t>(size) != block.data_bytes) {
      throw Error("a node states a wrong size of its values").hint("is the file damaged?");
    }
  }
  block.data_at = scan.at;
  scan.take(block.data_bytes, kWhat);
  return block;
}

std::vector<std::byte> VdbValues::unpacked(const VdbBlock& block) const {
  const auto data = bytes_.part(block.data_at, block.data_bytes, "values");
  std::vector<std::byte> bytes(block.stored * stored_bytes_each());
  if (!block.packed) {
    std::ranges::copy(data, bytes.begin());
  } else if (!((compression_ & kVdbBlosc) != 0 ? unblosc(data, bytes) : inflate_exactly(data, bytes))) {
    throw Error("the compressed values of a node are damaged").hint("is the file damaged?");
  }
  return halves_ ? expanded(bytes, type_.bytes / type_.reals) : bytes;
}

std::vector<std::byte> VdbValues::decoded(const VdbBlock& block, std::span<const std::byte> mask) const {
  std::vector<std::byte> stored = unpacked(block);
  if (block.stored == block.values) return stored;
  std::span<const std::byte> selection;
  if (block.selection_at) selection = bytes_.part(*block.selection_at, mask.size(), "a mask");
  std::vector<std::byte> values(block.values * type_.bytes);
  const std::byte* next = stored.data();
  for (uint32_t i = 0; i < block.values; ++i) {
    const bool active = mask_bit(mask, i);
    const std::byte* from =
        active ? next : block.inactive[!selection.empty() && mask_bit(selection, i) ? 1 : 0].data();
    std::memcpy(values.data() + uint64_t{i} * type_.bytes, from, type_.bytes);
    if (active) next += type_.bytes;
  }
  return values;
}

bool unblosc(std::span<const std::byte> data, std::span<std::byte> to) {
  if (data.size() < sizeof(BloscHead)) return false;
  const auto head = value_at<BloscHead>(data.data());
  if (head.bytes != to.size() || head.block_bytes == 0 || head.type_bytes == 0) return false;
  if ((head.flags & kCopied) != 0) {
    if (data.size() - sizeof head < to.size()) return false;
    std::copy_n(data.begin() + sizeof head, to.size(), to.begin());
    return true;
  }
  if (head.flags >> 5 != kLz4 || (head.flags & kBitShuffled) != 0) return false;
  // Blocks are split into a piece for each byte of a number if these are large enough, except for a shorter last block.
  constexpr size_t kMostPieces = 16, kLeastPiece = 128;
  const bool split = (head.flags & kNotSplit) == 0 && head.type_bytes <= kMostPieces &&
                     head.block_bytes / head.type_bytes >= kLeastPiece;
  const bool shuffled = (head.flags & kShuffled) != 0 && head.type_bytes > 1;
  std::vector<std::byte> block_bytes(std::min<size_t>(head.block_bytes, to.size()));
  size_t starts = sizeof head;
  for (size_t done = 0; done < to.size(); starts += 4) {
    const size_t size = std::min<size_t>(head.block_bytes, to.size() - done);
    if (data.size() - starts < 4) return false;
    size_t at = value_at<uint32_t>(data.data() + starts);
    if (at > data.size()) return false;
    const std::span<std::byte> target = to.subspan(done, size);
    const std::span<std::byte> block = shuffled ? std::span(block_bytes).first(size) : target;
    const size_t pieces = split && size == head.block_bytes ? head.type_bytes : 1, each = size / pieces;
    if (each * pieces != size) return false;
    for (size_t i = 0; i < pieces; ++i)
      if (!take_piece(data, at, block.subspan(i * each, each))) return false;
    if (shuffled) unshuffle(block, target, head.type_bytes);
    done += size;
  }
  return true;
}

}  // namespace vox
