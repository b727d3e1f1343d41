// Merges the temporary octree into the DAG (Molenaar & Eisemann 2024, §4.3.2): level by level from the leaves
// up, duplicates are removed, items that the store holds are found, the rest is inserted.
#pragma once

#include "libvox/dag/store.h"
#include "libvox/edit/edit_session.h"
#include "libvox/edit/octree.h"
#include "libvox/hash/linked_batches.h"

namespace vox::edit {

// The items of one level of an edit, kMaxItemWords apart: first those of the nodes, then one for each
// material that may fill a region of this level. Sizes are 0 where the content is known without a look into
// the store.
struct EditItems {
  uint32_t* words;
  uint8_t* sizes;
  Content* content;     // of the nodes
  uint32_t* pointers;   // of the items
  uint32_t* leader_of;  // whose pointer each item takes; nullptr: its own
  uint64_t nodes;

  VOX_HD uint32_t* item(uint64_t i) const { return words + i * hash::kMaxItemWords; }
  // What a node of the level holds, once the level has been merged.
  VOX_HD Content settled(uint64_t node) const { return sizes[node] == 0 ? content[node] : pointer(node); }
  // The pointer of this level's item that is filled with this material.
  VOX_HD Content filled(uint32_t material) const { return pointer(nodes + material); }
  VOX_HD uint32_t pointer(uint64_t i) const { return pointers[leader_of ? leader_of[i] : i]; }
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
  EditItems items;

  VOX_HD void operator()(uint64_t i) const {
    const Region leaf = {corners[i], dag.depth, static_cast<int32_t>(dag::kLeafSide)};
    tools.edit_leaf(leaf, states[i], [&](uint64_t changes, const auto& voxel) {
      if (!write_at_once(i, changes)) write(i, changes, voxel);
    });
  }

 private:
  // Where one material is all that the leaf is going to hold, and it was empty or full before, there is no
  // need to go through its voxels. Most leaves of large shapes are such.
  VOX_HD bool write_at_once(uint64_t i, uint64_t changes) const {
    if constexpr (Tools::kByOld) {
      if (is_pointer(old[i]) || states[i].tool == Tools::kSeveral) return false;
      const int was = is_filled(old[i]) ? static_cast<int>(material_of(old[i])) : dag::kEmptyVoxel;
      const int is = tools.becomes(states[i], was);
      if (was != dag::kEmptyVoxel && is != dag::kEmptyVoxel && was != is) return false;
      const uint64_t mask = (is == dag::kEmptyVoxel ? 0 : changes) | (was == dag::kEmptyVoxel ? 0 : ~changes);
      const auto material = static_cast<uint32_t>(is == dag::kEmptyVoxel ? was : is);
      const bool stored = was != is && changes != 0 && mask != 0;
      dag::write_leaf_of_one_material(items.item(i), mask, dag.materials != 0, material);
      items.content[i] = stored || mask == 0 ? kEmptyContent : old[i];
      items.sizes[i] = static_cast<uint8_t>(stored ? dag::leaf_words(mask, dag.materials != 0) : 0);
      return true;
    }
    return false;
  }

  template <class Voxel>
  VOX_HD void write(uint64_t i, uint64_t changes, const Voxel& voxel) const {
    const Content before = old[i];
    LeafVoxels voxels(dag, before);
    dag::LeafWriter writer(items.item(i), dag.materials != 0);
    bool changed = false;
    for (uint32_t bit = 0; bit < 64; ++bit) {
      const int was = voxels.next();
      const int is = changes >> bit & 1 ? voxel(bit, was) : was;
      changed = changed || is != was;
      if (is == dag::kEmptyVoxel) continue;
      writer.put(bit, static_cast<uint32_t>(is));
    }
    const uint32_t size = writer.finish();
    items.content[i] = changed ? kEmptyContent : before;
    items.sizes[i] = static_cast<uint8_t>(changed && writer.mask() != 0 ? size : 0);
  }
};

// Makes the items of the nodes above the leaves, from their parts.
struct EditNodes {
  StoredDag dag;
  uint32_t level;
  const Content* parts;
  const uint8_t* splits;
  const Content* old;
  EditItems below;  // of the next level
  EditItems items;

  VOX_HD void operator()(uint64_t i) const {
    Content content[8];
    uint32_t mask = 0;
    bool alike = true;
    for (uint32_t c = 0; c < 8; ++c) {
      content[c] = splits[8 * i + c] ? below.settled(parts[8 * i + c]) : parts[8 * i + c];
      if (content[c] != kEmptyContent) mask |= 1u << c;
      if (is_filled(content[c])) content[c] = below.filled(material_of(content[c]));
      alike = alike && content[c] == content[0];
    }
    items.sizes[i] = 0;
    items.content[i] = kEmptyContent;
    if (mask == 0) return;
    uint32_t header = mask;
    const int filling = alike ? dag.filling(content[0], level + 1) : dag::kEmptyVoxel;
    if (filling != dag::kEmptyVoxel) header = dag::homogeneous_header(static_cast<uint32_t>(filling));
    uint32_t* words = items.item(i);
    uint32_t size = 0;
    words[size++] = header;
    for (uint32_t c = 0; c < 8; ++c)
      if (mask >> c & 1) words[size++] = content[c];
    if (is_pointer(old[i]) && dag.store.item(old[i])[0] == header &&
        hash::same_words(dag.store.item(old[i]), words, size))
      items.content[i] = old[i];
    else
      items.sizes[i] = static_cast<uint8_t>(size);
  }
};

// Makes the items of regions that are filled with one material.
struct FilledItems {
  StoredDag dag;
  uint32_t level;
  EditItems below;  // for levels above the leaves
  EditItems items;
  const uint32_t* used;

  VOX_HD void operator()(uint32_t material) const {
    const uint64_t i = items.nodes + material;
    uint32_t* words = items.item(i);
    items.sizes[i] = 0;
    if ((*used >> material & 1) == 0) return;
    const bool leaf = level == dag.depth;
    const uint32_t word = leaf ? dag::word_of_one_material(material) : below.filled(material);
    items.sizes[i] = static_cast<uint8_t>(leaf ? dag::leaf_words(UINT64_MAX, dag.materials != 0) : 9);
    words[0] = leaf ? UINT32_MAX : dag::homogeneous_header(material);
    words[1] = leaf ? UINT32_MAX : word;
    for (uint32_t w = 2; w < items.sizes[i]; ++w) words[w] = word;
  }
};

// Makes all items of a level.
template <class Nodes>
struct EditLevel {
  static constexpr int kBlocksAtOnce = 4;
  Nodes nodes;
  FilledItems filled;
  hash::BatchStart start;

  VOX_HD void operator()(uint64_t i) const {
    if (start.stopped()) return;
    if (i < filled.items.nodes)
      nodes(i);
    else
      filled(static_cast<uint32_t>(i - filled.items.nodes));
    start(i);
  }
};

// Writes the pointer of the root, which needs one even where it is filled with one material.
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
      : device_(device), store_(store), tools_(tools), dag_(dag), octree_(octree), used_(used) {
    uint64_t all = 0;
    for (uint32_t level = 0; level <= dag_.depth; ++level) {
      first_items_.push_back(all);
      all += items(level);
      most_ = std::max(most_, items(level));
    }
    first_items_.push_back(all);
    words_ = device_.template make<uint32_t>(most_ * hash::kMaxItemWords);
    sizes_ = device_.template make<uint8_t>(all);
    content_ = device_.template make<Content>(all);
    pointers_ = device_.template make<uint32_t>(all);
    batches_ = store.tables().link_batches(dag_.depth + 1, most_);
    if (batches_->has_leaders()) leader_of_ = device_.template make<uint32_t>(all);
  }

  MergeWork run() {
    const uint32_t levels = dag_.depth + 1;
    hash::BatchesResult result;
    for (size_t first = 0;; first = *result.stopped) {
      for (size_t number = first; number < levels; ++number) merge(number);
      const auto root = level_items(0);
      device_.for_each("edit: root pointer", 1, RootPointer{root, batches_->start({}, 1), batches_->word()});
      result = batches_->finish();
      if (!result.stopped) break;
    }
    store_.keep(pointers_.data(), first_items_.back());
    MergeWork work;
    work.root = result.word;
    for (uint32_t level = 0; level < levels; ++level) {
      EditCounts& counts = level == dag_.depth ? work.leaves : work.nodes;
      const hash::InternWork& interned = batches_->work()[dag_.depth - level];
      counts.made += octree_.counts[level];
      counts.distinct += interned.distinct;
      counts.inserted += interned.inserted;
    }
    return work;
  }

 private:
  uint64_t items(uint32_t level) const { return octree_.counts[level] + uint64_t{kMaterials}; }
  EditItems level_items(uint32_t level) const {
    const uint64_t first = first_items_[level];
    return {words_.data(),
            sizes_.data() + first,
            content_.data() + first,
            pointers_.data() + first,
            batches_->has_leaders() ? leader_of_.data() + first : nullptr,
            octree_.counts[level]};
  }

  // The leaves are the first batch.
  void merge(size_t number) {
    const auto level = static_cast<uint32_t>(dag_.depth - number);
    const uint64_t n = items(level);
    const EditItems here = level_items(level);
    const hash::BatchRef batch = {here.words, nullptr, nullptr, hash::kMaxItemWords, here.sizes};
    const hash::BatchStart start = batches_->start(batch, n);
    const uint64_t first = octree_.firsts[level];
    const Content* old = octree_.ref.old + first;
    if (level == dag_.depth) {
      const EditLeaves<Tools> leaves = {
          tools_, dag_, octree_.ref.corners + first, old, octree_.ref.states + first, here};
      device_.for_each({"edit: leaves", 80}, n,
                       EditLevel<EditLeaves<Tools>>{leaves, {dag_, level, {}, here, used_}, start});
    } else {
      const EditItems below = level_items(level + 1);
      const EditNodes nodes = {
          dag_, level, octree_.ref.content + 8 * first, octree_.ref.splits + 8 * first, old, below, here};
      device_.for_each({"edit: nodes", 100}, n,
                       EditLevel<EditNodes>{nodes, {dag_, level, below, here, used_}, start});
    }
    batches_->intern(number, batch, n, here.leader_of, here.pointers);
  }

  Device& device_;
  dag::DagStore<Device>& store_;
  const Tools& tools_;
  const StoredDag& dag_;
  const Octree<State>& octree_;
  const uint32_t* used_;
  uint64_t most_ = 0;                  // items of a level
  std::vector<uint64_t> first_items_;  // of each level
  device::Buffer<uint32_t> words_, pointers_, leader_of_;
  device::Buffer<uint8_t> sizes_;
  device::Buffer<Content> content_;
  std::unique_ptr<hash::LinkedBatches> batches_;  // destroyed first: it waits for what reads the others
};

}  // namespace vox::edit
