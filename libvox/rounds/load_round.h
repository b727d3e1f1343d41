// Brings the nodes of a round back into a store, level by level from the leaves up: numbers become pointers.
#pragma once

#include "libvox/base/cancel.h"
#include "libvox/dag/store.h"
#include "libvox/device/uploaded.h"
#include "libvox/rounds/freeze_round.h"

namespace vox::rounds {

struct SizeOfNode {
  const uint8_t* sizes;
  VOX_HD uint32_t operator()(uint64_t i) const { return sizes[i]; }
};

// Replaces the numbers of children by what an array has for each.
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

// Nodes of a level on a device: node i has the words from offsets[i] to offsets[i + 1].
struct NodePiece {
  device::Buffer<uint32_t> words, offsets;
  uint64_t first = 0, count = 0;  // the numbers of the nodes
};

// Goes through the nodes of a level that lies on the host, in pieces. What it was given outlives it.
template <class Device>
class NodeStream {
 public:
  NodeStream(Device& device, std::span<const uint32_t> words, std::span<const uint8_t> sizes,
             uint64_t at_once)
      : device_(device), words_(words), sizes_(sizes), at_once_(at_once) {}

  bool done() const { return first_ == sizes_.size(); }

  NodePiece next() {
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

// Returns where the store has each root. The store may hold other things already.
template <class Device>
std::vector<uint32_t> load_round(Device& device, dag::DagStore<Device>& store, const Round& round) {
  constexpr uint64_t kBytesPerNode =
      160;  // its words twice, its place, hash and leader, and what the store grows by
  device::Buffer<uint32_t> below;
  for (size_t l = round.levels.size(); l-- > 0;) {
    const RoundLevel& level = round.levels[l];
    auto pointers = device.template make<uint32_t>(level.nodes());
    NodeStream<Device> stream(device, level.words.values(), level.sizes.values(),
                              nodes_at_once(device, kBytesPerNode));
    while (!stream.done()) {
      throw_if_cancelled();
      const NodePiece piece = stream.next();
      if (l + 1 < round.levels.size())
        device.for_each({"load: translate", 40}, piece.count,
                        ReplaceChildren{piece.words.data(), piece.offsets.data(), below.data()});
      store.intern(piece.words.data(), piece.offsets.data(), piece.count, pointers.data() + piece.first);
    }
    below = std::move(pointers);
  }
  std::vector<uint32_t> first(below.size()), roots;
  device.download(first.data(), below.data(), first.size());
  for (const RoundRoot& root : round.roots) roots.push_back(first[root.number]);
  return roots;
}

}  // namespace vox::rounds
