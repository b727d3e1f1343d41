// Loads the nodes of a round into a store, level by level from the leaves up. Numbers become pointers.
#pragma once

#include "libvox/dag/store.h"
#include "libvox/rounds/node_stream.h"
#include "libvox/rounds/round.h"

namespace vox::rounds {

// Returns the store's pointer to each root. The store may already hold other nodes.
template <class Device>
std::vector<uint32_t> load_round(Device& device, dag::DagStore<Device>& store, const Round& round) {
  constexpr uint64_t kBytesPerNode =
      160;  // twice its words, its place, hash and leader, and the store's growth
  device::Buffer<uint32_t> below;
  for (size_t l = round.levels.size(); l-- > 0;) {
    const RoundLevel& level = round.levels[l];
    auto pointers = device.template make<uint32_t>(level.nodes());
    NodeStream<Device> stream(device, level.words.values(), level.sizes.values(),
                              nodes_at_once(device, kBytesPerNode));
    while (!stream.done()) {
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
