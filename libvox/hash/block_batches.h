// Linked batches as one block of threads sees them. A kernel starts and interns many small batches with it, one after
// the other, which takes less time than a launch for each of their loops:
//
//   for each batch:  block.each(items.n, …)   makes the items and hands each to batches.start(number, items)
//                    batches.intern(block, number, items)
//
// LinkedBatches::in_block() returns it. Only variants that intern without the host have one. To add such a variant,
// give it a member beside `sectors_` and a case in each function.
#pragma once

#include "libvox/hash/linked_batches.h"
#include "libvox/hash/sector/chains.h"

namespace vox::hash {

class BlockBatches {
 public:
  BlockBatches() = default;  // for variants that need the host
  explicit BlockBatches(const SectorContext* sectors) : sectors_(sectors) {}

  // False if these batches cannot be interned in a block.
  explicit operator bool() const { return sectors_ != nullptr; }

  // Does what LinkedBatches::start() does. All threads of the block may call it.
  VOX_HD BatchStart start(uint32_t number, const BatchItems& items) const {
    return sectors_->start(number, items);
  }

  // Does what LinkedBatches::intern() does. All threads of the block call it together.
  template <class Block>
  VOX_HD void intern(const Block& block, uint32_t number, const BatchItems& items) const {
    const SectorBatch batch = {sectors_, items, sectors_->scratch(number, items), sectors_->room, number};
    const auto places = static_cast<uint32_t>(PartedList::all(items.n));
    block.each(places, FindOrChain{batch});
    block.each(places, InsertChains{batch});
  }

 private:
  const SectorContext* sectors_ = nullptr;  // in the memory of the device
};

}  // namespace vox::hash
