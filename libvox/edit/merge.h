// Merges the temporary octree into the DAG (Molenaar & Eisemann 2024, §4.3.2). Level by level from the leaves
// up, duplicates are removed, items that the store holds are found, and the others are inserted.
#pragma once

#include "libvox/dag/store.h"
#include "libvox/device/device.h"
#include "libvox/edit/edit_session.h"
#include "libvox/edit/octree.h"
#include "libvox/hash/find_or_insert.h"
#include "libvox/hash/linked_batches.h"

namespace vox::edit {

// The items of one level of an edit: first the nodes', then one for each material that may fill a region
// of this level. An item's size is 0 if the content is known without the store.
struct EditItems {
  hash::BatchItems items;
  Content* content;  // the nodes' content
  uint64_t nodes;

  // Returns the content of a node whose level has been merged.
  VOX_HD Content settled(uint64_t node) const {
    if (!items.leader_of) return items.sizes[node] == 0 ? content[node] : items.pointers[node];
    const uint32_t leader = items.leader_of[node];
    return leader == hash::BatchStart::kNone ? content[node] : items.pointers[leader];
  }
  // Returns the pointer of this level's item that is full of this material.
  VOX_HD Content filled(uint32_t material) const { return items.pointer(nodes + material); }
};

inline constexpr uint32_t kMaterials = 16;

// Makes the items of the leaves that tools may change.
template <class Tools>
struct EditLeaves {
  Tools tools;
  StoredDag dag;
  const Int3* corners;
  const Content* old;
  const typename Tools::State* states;
  Content* content;

  // Makes the item of leaf i and sets the leaf's content. The item's size is 0 if the leaf needs none.
  VOX_HD hash::ItemWords operator()(uint64_t i) const {
    hash::ItemWords item;
    const Region leaf = {corners[i], dag.depth, static_cast<int32_t>(dag::kLeafSide)};
    tools.edit_leaf(leaf, states[i], [&](uint64_t changes, const auto& voxel) {
      if (!write_at_once(i, changes, item)) write(i, changes, voxel, item);
    });
    return item;
  }

 private:
  // Writes the leaf without visiting each voxel, if it was empty or full before and will hold only one
  // material. Most leaves of large shapes are like that. Returns false for other leaves.
  VOX_HD bool write_at_once(uint64_t i, uint64_t changes, hash::ItemWords& item) const {
    if constexpr (Tools::kByOld) {
      if (is_pointer(old[i]) || states[i].tool == Tools::kSeveral) return false;
      const int was = is_filled(old[i]) ? static_cast<int>(material_of(old[i])) : dag::kEmptyVoxel;
      const int is = tools.becomes(states[i], was);
      if (was != dag::kEmptyVoxel && is != dag::kEmptyVoxel && was != is) return false;
      const uint64_t mask = (is == dag::kEmptyVoxel ? 0 : changes) | (was == dag::kEmptyVoxel ? 0 : ~changes);
      const auto material = static_cast<uint32_t>(is == dag::kEmptyVoxel ? was : is);
      const bool stored = was != is && changes != 0 && mask != 0;
      dag::write_leaf_of_one_material(item.words, mask, dag.materials != 0, material);
      content[i] = stored || mask == 0 ? kEmptyContent : old[i];
      item.size = stored ? dag::leaf_words(mask, dag.materials != 0) : 0;
      return true;
    }
    return false;
  }

  template <class Voxel>
  VOX_HD void write(uint64_t i, uint64_t changes, const Voxel& voxel, hash::ItemWords& item) const {
    const Content before = old[i];
    LeafVoxelReader voxels(dag, before);
    dag::LeafWriter writer(item.words, dag.materials != 0);
    bool changed = false;
    for (uint32_t bit = 0; bit < 64; ++bit) {
      const int was = voxels.next();
      const int is = changes >> bit & 1 ? voxel(bit, was) : was;
      changed = changed || is != was;
      if (is == dag::kEmptyVoxel) continue;
      writer.put(bit, static_cast<uint32_t>(is));
    }
    const uint32_t size = writer.finish();
    content[i] = changed ? kEmptyContent : before;
    item.size = changed && writer.mask() != 0 ? size : 0;
  }
};

// Makes the items of the nodes above the leaves, from their parts.
struct EditNodes {
  StoredDag dag;
  uint32_t level;
  const Content* parts;
  const uint8_t* splits;
  const Content* old;
  EditItems below;    // the items of the next level
  Content* contents;  // the nodes' content

  // Makes the item of node i and sets the node's content. The item's size is 0 if the node needs none.
  VOX_HD hash::ItemWords operator()(uint64_t i) const {
    hash::ItemWords item;
    Content content[8];
    uint32_t mask = 0;
    bool alike = true;
    for (uint32_t c = 0; c < 8; ++c)
      content[c] = splits[8 * i + c] ? below.settled(parts[8 * i + c]) : parts[8 * i + c];
    for (uint32_t c = 0; c < 8; ++c) {
      if (content[c] != kEmptyContent) mask |= 1u << c;
      if (is_filled(content[c])) content[c] = below.filled(material_of(content[c]));
      alike = alike && content[c] == content[0];
    }
    contents[i] = kEmptyContent;
    if (mask == 0) return item;
    uint32_t header = mask;
    const int filling = alike ? dag.filling(content[0], level + 1) : dag::kEmptyVoxel;
    if (filling != dag::kEmptyVoxel) header = dag::homogeneous_header(static_cast<uint32_t>(filling));
    uint32_t size = 0;
    item.words[size++] = header;
    for (uint32_t c = 0; c < 8; ++c)
      if (mask >> c & 1) item.words[size++] = content[c];
    if (is_pointer(old[i]) && dag.store.item(old[i])[0] == header &&
        hash::same_words(dag.store.item(old[i]), item.words, size))
      contents[i] = old[i];
    else
      item.size = size;
    return item;
  }
};

// Makes the items of regions that are filled with one material.
struct FilledItems {
  StoredDag dag;
  uint32_t level;
  EditItems below;  // the next level's items, for levels above the leaves
  const uint32_t* used;

  VOX_HD hash::ItemWords operator()(uint32_t material) const {
    hash::ItemWords item;
    if ((*used >> material & 1) == 0) return item;
    const bool leaf = level == dag.depth;
    const uint32_t word = leaf ? dag::word_of_one_material(material) : below.filled(material);
    item.size = leaf ? dag::leaf_words(UINT64_MAX, dag.materials != 0) : 9;
    item.words[0] = leaf ? UINT32_MAX : dag::homogeneous_header(material);
    item.words[1] = leaf ? UINT32_MAX : word;
    for (uint32_t w = 2; w < item.size; ++w) item.words[w] = word;
    return item;
  }
};

// Makes all items of a level.
template <class Nodes>
struct EditLevel {
  static constexpr int kBlocksAtOnce = 4;
  Nodes nodes;
  FilledItems filled;
  uint64_t node_count;
  hash::BatchStart start;

  VOX_HD void operator()(uint64_t i) const {
    if (start.stopped()) return;
    hash::ItemWords item = i < node_count ? nodes(i) : filled(static_cast<uint32_t>(i - node_count));
    start(i, item);
  }
};
static_assert(device::ResidentBody<EditLevel<EditNodes>>);

// The arrays of the items of all levels. The root's items come first, then those of the next level.
template <class Tools>
struct EditLevels {
  static constexpr uint32_t kMost = 24;

  Tools tools;
  StoredDag dag;
  OctreeRef<typename Tools::State> octree;
  const uint32_t* used;
  uint32_t* words;  // the words of one level at a time
  uint8_t* sizes;
  Content* content;
  uint32_t* pointers;
  uint32_t* leader_of;  // nullptr if items have no leaders
  uint64_t all;
  uint32_t firsts[kMost], counts[kMost];  // the octree's nodes of each level

  VOX_HD EditItems operator[](uint32_t level) const {
    const uint64_t first = firsts[level] + uint64_t{kMaterials} * level,
                   n = counts[level] + uint64_t{kMaterials};
    return {
        {words, sizes + first, leader_of ? leader_of + first : nullptr, pointers + first, n, all - first - n},
        content + first,
        counts[level]};
  }
  // Returns the number of a level's batch. The leaves are batch 0.
  VOX_HD uint32_t batch(uint32_t level) const { return dag.depth - level; }

  // These functions return the bodies that make the items of the leaves, and of a level above them.
  VOX_HD EditLevel<EditLeaves<Tools>> leaves(const hash::BatchStart& start) const {
    const uint64_t first = firsts[dag.depth];
    const EditItems here = (*this)[dag.depth];
    return {{tools, dag, octree.corners + first, octree.old + first, octree.states + first, here.content},
            {dag, dag.depth, {}, used},
            here.nodes,
            start};
  }
  VOX_HD EditLevel<EditNodes> nodes(uint32_t level, const hash::BatchStart& start) const {
    const uint64_t first = firsts[level];
    const EditItems here = (*this)[level], below = (*this)[level + 1];
    return {{dag, level, octree.content + 8 * first, octree.splits + 8 * first, octree.old + first, below,
             here.content},
            {dag, level, below, used},
            here.nodes,
            start};
  }
};

// Writes the root's pointer. The root needs one even if it is filled with one material.
struct RootPointer {
  EditItems items;
  hash::BatchStart start;
  uint32_t* root;
  VOX_HD void operator()(uint64_t) const {
    if (start.stopped()) return;
    const Content content = items.settled(0);
    *root = is_filled(content) ? items.filled(material_of(content)) : content;
  }
};

// Merges the levels above `end`, up to the root, one after the other in one launch. These loops are so small
// that a launch for each would take longer than the loop.
template <class Tools>
struct MergeTop {
  EditLevels<Tools> levels;
  hash::BlockBatches batches;
  uint32_t end;
  uint32_t* root;

  template <class Block>
  VOX_HD void operator()(const Block& block, uint64_t) const {
    for (uint32_t level = end; level-- > 0;) {
      const uint32_t number = levels.batch(level);
      const EditItems here = levels[level];
      const hash::BatchStart start = batches.start(number, here.items);
      const auto n = static_cast<uint32_t>(here.items.n);
      if (level == levels.dag.depth)
        block.each(n, levels.leaves(start));
      else
        block.each(n, levels.nodes(level, start));
      batches.intern(block, number, here.items);
    }
    const hash::BatchStart reader = batches.start(levels.batch(0), levels[0].items);
    block.once([&] { RootPointer{levels[0], reader, root}(0); });
  }
};

struct MergeWork {
  uint32_t root = hash::kNullPointer;
  EditCounts leaves, nodes;
};

template <class Device, class Tools>
class Merger {
 public:
  using State = typename Tools::State;

  // `used` has a bit for each material that fills a whole region.
  Merger(Device& device, dag::DagStore<Device>& store, const Tools& tools, const StoredDag& dag,
         const Octree<State>& octree, const uint32_t* used)
      : device_(device), store_(store), octree_(octree) {
    if (dag.depth >= EditLevels<Tools>::kMost) throw Error("a scene has more levels than an edit can have");
    std::vector<uint64_t> sizes;  // the sizes of the batches
    uint64_t most = 0;
    for (uint32_t level = dag.depth + 1; level-- > 0;) {
      const uint64_t n = octree.counts[level] + uint64_t{kMaterials};
      sizes.push_back(n);
      most = std::max(most, n);
      levels_.all += n;
    }
    std::copy(octree.firsts.begin(), octree.firsts.end(), levels_.firsts);
    std::copy(octree.counts.begin(), octree.counts.end(), levels_.counts);
    batches_ = store.tables().link_batches(sizes);
    device::Layout layout;
    const auto words = layout.add<uint32_t>(most * hash::BatchItems::kStride);
    const auto item_sizes = layout.add<uint8_t>(levels_.all);
    const auto content = layout.add<Content>(levels_.all);
    const auto pointers = layout.add<uint32_t>(levels_.all);
    const auto leader_of = layout.add<uint32_t>(batches_->has_leaders() ? levels_.all : 0);
    memory_ = device_.template make<std::byte>(layout.bytes());
    levels_.tools = tools;
    levels_.dag = dag;
    levels_.octree = octree.ref;
    levels_.used = used;
    levels_.words = words.in(memory_);
    levels_.sizes = item_sizes.in(memory_);
    levels_.content = content.in(memory_);
    levels_.pointers = pointers.in(memory_);
    levels_.leader_of = batches_->has_leaders() ? leader_of.in(memory_) : nullptr;
  }

  MergeWork run() {
    const uint32_t levels = levels_.dag.depth + 1, top = top_levels();
    hash::BatchesResult result;
    for (uint32_t end = levels;; end = levels - static_cast<uint32_t>(*result.stopped)) {
      for (uint32_t level = end; level-- > top;) merge(level);
      if (top > 0)
        device_.template for_each_block<uint32_t>(
            "edit: merge top", 1,
            MergeTop<Tools>{levels_, batches_->in_block(), std::min(end, top), batches_->word()});
      else
        device_.for_each("edit: root pointer", 1,
                         RootPointer{levels_[0], batches_->reader(), batches_->word()});
      result = batches_->finish();
      if (!result.stopped) break;
    }
    store_.keep(levels_.pointers, levels_.all);
    MergeWork work;
    work.root = result.word;
    for (uint32_t level = 0; level < levels; ++level) {
      EditCounts& counts = level == levels_.dag.depth ? work.leaves : work.nodes;
      const hash::InternWork& interned = batches_->work()[levels_.batch(level)];
      counts.made += octree_.counts[level];
      counts.distinct += interned.distinct;
      counts.inserted += interned.inserted;
    }
    return work;
  }

 private:
  // Returns how many levels, from the root's down, have so few nodes that one launch merges all of them
  // without the host.
  uint32_t top_levels() const {
    constexpr uint64_t kFew = 512;
    if (!batches_->in_block()) return 0;
    uint32_t levels = 0;
    while (levels <= levels_.dag.depth && octree_.counts[levels] <= kFew) ++levels;
    return levels;
  }

  void merge(uint32_t level) {
    const size_t number = levels_.batch(level);
    const EditItems here = levels_[level];
    const hash::BatchStart start = batches_->start(number, here.items);
    if (level == levels_.dag.depth)
      device_.for_each({"edit: leaves", 80}, here.items.n, levels_.leaves(start));
    else
      device_.for_each({"edit: nodes", 100}, here.items.n, levels_.nodes(level, start));
    batches_->intern(number, here.items);
  }

  Device& device_;
  dag::DagStore<Device>& store_;
  const Octree<State>& octree_;
  EditLevels<Tools> levels_ = {};
  device::Buffer<std::byte> memory_;
  std::unique_ptr<hash::LinkedBatches> batches_;  // destroyed first, because it waits for work that reads the
                                                  // other members
};

}  // namespace vox::edit
