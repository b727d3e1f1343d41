// Reads nodes that lie on the host in pieces that fit in a device's memory.
#pragma once

#include <algorithm>
#include <span>

#include "libvox/base/cancel.h"
#include "libvox/base/hd.h"
#include "libvox/device/pool.h"
#include "libvox/hash/item.h"

namespace vox::rounds {

// The most words that one array with 32-bit offsets may hold. It is somewhat less than 2^32, because many
// nodes are added at once.
inline constexpr uint64_t kMostWords = uint64_t{15} << 28;

// The bytes that a node takes on a device while it passes through: its words, at most, its offset and its
// size.
inline constexpr uint64_t kBytesOnTheWay = 4 * hash::kMaxItemWords + 5;

// Returns how many nodes go through a device at once if each takes `bytes_each` bytes there.
template <class Device>
uint64_t nodes_at_once(Device& device, uint64_t bytes_each) {
  constexpr uint64_t kLeast = 1024, kMost = uint64_t{1} << 25;
  return std::clamp(device.pool().available() / 2 / bytes_each, kLeast, kMost);
}

struct SizeOfNode {
  const uint8_t* sizes;
  VOX_HD uint32_t operator()(uint64_t i) const { return sizes[i]; }
};

struct SizesOfNodes {
  const uint32_t* offsets;
  uint8_t* sizes;
  VOX_HD void operator()(uint64_t i) const { sizes[i] = static_cast<uint8_t>(offsets[i + 1] - offsets[i]); }
};

// Replaces the number of each child by the value that `below` has for it.
struct ReplaceChildren {
  uint32_t* words;
  const uint32_t* offsets;
  const uint32_t* below;
  VOX_HD void prefetch(uint64_t i, int stage) const {
    const uint32_t* node = words + offsets[i];
    if (stage == 0) return prefetch_line(node);
    for (uint32_t w = 1; w < offsets[i + 1] - offsets[i]; ++w) prefetch_line(below + node[w]);
  }
  VOX_HD void operator()(uint64_t i) const {
    uint32_t* node = words + offsets[i];
    for (uint32_t w = 1; w < offsets[i + 1] - offsets[i]; ++w) node[w] = below[node[w]];
  }
};

// The nodes of a level that are on a device at once. Node i has the words from offsets[i] to before offsets[i
// + 1].
struct NodePiece {
  device::Buffer<uint32_t> words, offsets;
  uint64_t first = 0, count = 0;  // the number of the first node, and how many there are
};

// Reads the nodes of a level on the host in pieces. The words and sizes must outlive the stream.
template <class Device>
class NodeStream {
 public:
  NodeStream(Device& device, std::span<const uint32_t> words, std::span<const uint8_t> sizes,
             uint64_t at_once)
      : device_(device), words_(words), sizes_(sizes), at_once_(at_once) {}

  bool done() const { return first_ == sizes_.size(); }

  NodePiece next() {
    throw_if_cancelled();
    NodePiece piece = {.words = {}, .offsets = {}, .first = first_};
    piece.count = std::min<uint64_t>(at_once_, sizes_.size() - first_);
    auto sizes = device_.template make<uint8_t>(piece.count);
    device_.upload(sizes.data(), sizes_.data() + first_, piece.count);
    piece.offsets = device_.template make<uint32_t>(piece.count + 1);
    const uint64_t count = device_.exclusive_scan({"rounds: places", 5}, piece.count,
                                                  SizeOfNode{sizes.data()}, piece.offsets.data());
    piece.words = device_.template make<uint32_t>(count);
    device_.upload(piece.words.data(), words_.data() + word_, count);
    first_ += piece.count;
    word_ += count;
    return piece;
  }

 private:
  Device& device_;
  std::span<const uint32_t> words_;
  std::span<const uint8_t> sizes_;
  uint64_t at_once_, first_ = 0, word_ = 0;
};

}  // namespace vox::rounds
