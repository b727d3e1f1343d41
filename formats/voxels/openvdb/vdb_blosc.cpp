// Blosc 1 (https://github.com/Blosc/c-blosc, README_HEADER) with LZ4 (lz4_Block_format). The data is small, up to 384 KB
// for a node, and may be hostile.
#include <algorithm>

#include "formats/io/values.h"
#include "formats/voxels/openvdb/vdb_file.h"

namespace vox {
namespace {

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
