// Takes nodes out of a level on the host, as they pass through a device. Nodes that are not taken move to the level's
// front, and the memory behind them is freed:
//
//   level    │a b c d e f g h│       a piece: │a b c d│ ─▶ b and c are taken, a and d are put back
//   becomes  │a d e h│               the next: │e f g h│ ─▶ f and g are taken, e and h are put back
//
// A level that is worked on in several portions thus shrinks while its result grows.
#pragma once

#include <cstdint>

#include "libvox/build/round.h"
#include "libvox/device/pool.h"

namespace vox::build {

// The level must outlive the sieve.
template <class Device>
class NodeSieve {
 public:
  // The bytes that a node takes on the device: as it comes, and packed if it is put back.
  static constexpr uint64_t kBytesPerNode = 2 * kBytesOnTheWay + 8;

  NodeSieve(Device& device, RoundLevel& level)
      : device_(device),
        level_(level),
        stream_(device, level.words.values(), level.sizes.values(), level.nodes()) {}

  bool done() const { return stream_.done(); }
  // Returns the next nodes, at most this many.
  NodePiece next(uint64_t most) {
    NodePiece piece = stream_.next(most);
    level_.rest();
    return piece;
  }

  // Keeps the chosen nodes of the last piece in the level, with the words that they have now.
  void put_back(const NodePiece& piece, const uint32_t* chosen, uint64_t n) {
    auto offsets = device_.template make<uint32_t>(n + 1);
    const uint64_t count = device_.exclusive_scan({"rounds: places", 12}, n,
                                                  SizeOfChosen{piece.offsets.data(), chosen}, offsets.data());
    auto words = device_.template make<uint32_t>(count);
    auto sizes = device_.template make<uint8_t>(n);
    device_.for_each({"rounds: pack nodes", 60}, n,
                     PackNodes{piece.words.data(), piece.offsets.data(), chosen, offsets.data(), words.data(),
                               sizes.data()});
    device_.download(level_.words.data() + words_, words.data(), count);
    device_.download(level_.sizes.data() + nodes_, sizes.data(), n);
    words_ += count;
    nodes_ += n;
  }

  uint64_t nodes_left() const { return nodes_; }  // the number of nodes that were put back

  // Frees the memory of the nodes that were taken. All pieces must have been read.
  void finish() {
    level_.words.shrink(words_);
    level_.sizes.shrink(nodes_);
  }

 private:
  Device& device_;
  RoundLevel& level_;
  NodeStream<Device> stream_;
  uint64_t words_ = 0, nodes_ = 0;  // put back so far
};

}  // namespace vox::build
