// A store for readers of files, which put nodes together on the host from the leaves up. Equal nodes are
// stored once, and freeze() makes a FrozenDag of all nodes below a root.
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
  // `memory_limit` bounds the memory of the whole process, as for an engine; 0 stands for 80 % of what is
  // free.
  HostStore(bool materials, uint64_t memory_limit = 0);
  ~HostStore();
  HostStore(const HostStore&) = delete;
  HostStore& operator=(const HostStore&) = delete;

  // Returns how many more bytes the store may use.
  uint64_t room() const;

  // Announces that in the end there will be about `growth` times as many items as after the next call that
  // stores some.
  void expect_growth(double growth);

  // Stores leaves and returns their pointers. Leaf i has the words from offsets[i] to before offsets[i + 1].
  // Each leaf must have a voxel.
  std::vector<uint32_t> put_leaves(std::span<const uint32_t> words, std::span<const uint32_t> offsets);

  // Stores inner nodes and returns their pointers. masks[i] is the child mask of node i. `children` holds the
  // pointers of all children, in the order of the nodes and of the octants. All children are of one kind.
  std::vector<uint32_t> put_nodes(std::span<const uint8_t> masks, std::span<const uint32_t> children,
                                  NodeKind kind_of_children);

  // Nodes of one level: their Morton keys, ascending, and their pointers.
  struct Level {
    std::vector<uint64_t> keys;
    std::vector<uint32_t> pointers;
  };
  Level put_parents(const Level& children, NodeKind kind_of_children);

  // Returns the scene below a root that covers the whole grid of this resolution, with all of its counts.
  FrozenDag freeze(uint32_t root, uint32_t resolution);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace vox::dag
