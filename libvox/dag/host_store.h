// Nodes that readers of files put together on the host, from the leaves up: equal ones are stored once, and
// what hangs together below a root becomes a FrozenDag.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "libvox/dag/frozen_dag.h"
#include "libvox/dag/node.h"

namespace vox::dag {

class HostStore {
 public:
  // `memory_limit` bounds the process, as that of an engine does; 0 stands for 80 % of what is free.
  HostStore(bool materials, uint64_t memory_limit = 0);
  ~HostStore();
  HostStore(const HostStore&) = delete;
  HostStore& operator=(const HostStore&) = delete;

  // How many bytes it may still take.
  uint64_t room() const;

  // Tells that there will be about `growth` times as many items in the end as after what is stored next.
  void expect_growth(double growth);

  // Stores leaves of these words, of which leaf i has those from offsets[i] to offsets[i + 1], and returns
  // where each is. A leaf has a voxel at least.
  std::vector<uint32_t> put_leaves(std::span<const uint32_t> words, std::span<const uint32_t> offsets);

  // Stores inner nodes. Node i has the children that masks[i] names; children[] holds where all of them are, in
  // the order of nodes and of octants. They are of one kind.
  std::vector<uint32_t> put_nodes(std::span<const uint8_t> masks, std::span<const uint32_t> children,
                                  NodeKind kind_of_children);

  // Nodes of one level with their Morton keys, ascending, and where they are stored.
  struct Level {
    std::vector<uint64_t> keys;
    std::vector<uint32_t> pointers;
  };
  Level put_parents(const Level& children, NodeKind kind_of_children);

  // The scene below a root at the top of `resolution`, with all of its counts.
  FrozenDag freeze(uint32_t root, uint32_t resolution);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace vox::dag
