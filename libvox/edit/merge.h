// The temporary octree becomes part of the DAG (Molenaar & Eisemann 2024, §4.3.2): level by level from the
// leaves up, duplicates are removed, what the store holds is found, the rest inserted.
#pragma once

#include "libvox/dag/store.h"
#include "libvox/edit/edit_session.h"
#include "libvox/edit/octree.h"

namespace vox {

// Items of one level of an edit, kMaxItemWords apart; behind those of the nodes one for each material that
// may fill a region of this level. Sizes are 0 where the content is known without a look into the store.
struct EditItems {
  uint32_t* words;
  uint8_t* sizes;
  Content* content;  // of the nodes

  VOX_HD uint32_t* item(uint64_t i) const { return words + i * kMaxItemWords; }
};

inline constexpr uint32_t kMaterials = 16;

template <class Tools>
struct EditLeaves {
  Tools tools;
  StoredDag dag;
  const Int3* corners;
  const Content* old;
  const typename Tools::State* states;
  EditItems items;
  uint32_t* used;

  VOX_HD void operator()(uint64_t i) const {
    const Region leaf = {corners[i], dag.depth, static_cast<int32_t>(kLeafSide)};
    tools.edit_leaf(leaf, states[i], [&](uint64_t changes, const auto& voxel) { write(i, changes, voxel); });
  }

 private:
  template <class Voxel>
  VOX_HD void write(uint64_t i, uint64_t changes, const Voxel& voxel) const {
    const Content before = old[i];
    LeafVoxels voxels(dag, before);
    uint32_t* words = items.item(i);
    uint64_t mask = 0;
    uint32_t packed = 0, rank = 0, first = 0;
    bool changed = false, alike = true;
    for (uint32_t bit = 0; bit < 64; ++bit) {
      const int was = voxels.next();
      const int is = changes >> bit & 1 ? voxel(bit, was) : was;
      changed = changed || is != was;
      if (is == kEmptyVoxel) continue;
      const auto material = static_cast<uint32_t>(is);
      if (rank == 0) first = material;
      alike = alike && material == first;
      mask |= uint64_t{1} << bit;
      packed |= material << rank % 8 * 4;
      if (++rank % 8 == 0 && dag.materials) words[1 + rank / 8] = packed, packed = 0;
    }
    if (rank % 8 != 0 && dag.materials) words[2 + rank / 8] = packed;
    words[0] = static_cast<uint32_t>(mask);
    words[1] = static_cast<uint32_t>(mask >> 32);
    items.sizes[i] = 0;
    if (!changed) {
      items.content[i] = before;
    } else if (mask == 0) {
      items.content[i] = kEmptyContent;
    } else if (mask == UINT64_MAX && (alike || !dag.materials)) {
      items.content[i] = filled_with(dag.materials ? first : 0);
    } else {
      items.sizes[i] = static_cast<uint8_t>(leaf_words(mask, dag.materials != 0));
    }
    note_filled(used, items.sizes[i] == 0 ? items.content[i] : kEmptyContent);
  }
};

// Nodes above the leaves, from their parts.
struct EditNodes {
  StoredDag dag;
  uint32_t level;
  const Content* parts;
  const uint8_t* splits;
  const Content* old;
  const Content* content_below;  // of the nodes of the next level
  const uint32_t* filled_below;  // where the store holds the next level's regions of one material
  EditItems items;

  VOX_HD void operator()(uint64_t i) const {
    Content content[8];
    uint32_t mask = 0;
    bool alike = true;
    for (uint32_t c = 0; c < 8; ++c) {
      content[c] = splits[8 * i + c] ? content_below[parts[8 * i + c]] : parts[8 * i + c];
      if (content[c] != kEmptyContent) mask |= 1u << c;
      if (is_filled(content[c])) content[c] = filled_below[material_of(content[c])];
      alike = alike && content[c] == content[0];
    }
    items.sizes[i] = 0;
    items.content[i] = kEmptyContent;
    if (mask == 0) return;
    uint32_t header = mask;
    const int filling = alike ? dag.filling(content[0], level + 1) : kEmptyVoxel;
    if (filling != kEmptyVoxel) header = homogeneous_header(static_cast<uint32_t>(filling));
    uint32_t* words = items.item(i);
    uint32_t size = 0;
    words[size++] = header;
    for (uint32_t c = 0; c < 8; ++c)
      if (mask >> c & 1) words[size++] = content[c];
    if (is_pointer(old[i]) && dag.store.item(old[i])[0] == header &&
        same_words(dag.store.item(old[i]), words, size))
      items.content[i] = old[i];
    else
      items.sizes[i] = static_cast<uint8_t>(size);
  }
};

// The items that stand for regions of one material.
struct FilledItems {
  StoredDag dag;
  uint32_t level;
  const uint32_t* filled_below;
  const uint32_t* used;
  uint64_t first;  // item
  EditItems items;

  VOX_HD void operator()(uint64_t i) const {
    const auto material = static_cast<uint32_t>(i);
    uint32_t* words = items.item(first + i);
    items.sizes[first + i] = 0;
    if ((*used >> material & 1) == 0) return;
    const bool leaf = level == dag.depth;
    items.sizes[first + i] = static_cast<uint8_t>(leaf ? leaf_words(UINT64_MAX, dag.materials != 0) : 9);
    words[0] = leaf ? UINT32_MAX : homogeneous_header(material);
    words[1] = leaf ? UINT32_MAX : filled_below[material];
    for (uint32_t w = 2; w < items.sizes[first + i]; ++w)
      words[w] = leaf ? material * 0x11111111u : filled_below[material];
  }
};

struct TakePointers {
  EditItems items;
  const uint32_t* pointers;
  uint64_t nodes;
  uint32_t* filled;  // by material
  VOX_HD void operator()(uint64_t i) const {
    if (items.sizes[i] != 0) (i < nodes ? items.content[i] : filled[i - nodes]) = pointers[i];
  }
};

// A root that is a leaf filled completely needs a pointer all the same.
struct RootPointer {
  const Content* content;
  const uint32_t* filled;
  uint32_t* root;
  VOX_HD void operator()(uint64_t) const {
    *root = is_filled(*content) ? filled[material_of(*content)] : *content;
  }
};

struct MergeWork {
  uint32_t root = kNullPointer;
  EditCounts leaves, nodes;
};

template <class Device, class Store, class Tools>
MergeWork merge_octree(Device& device, Store& store, const Tools& tools, const StoredDag& dag,
                       std::vector<EditLevel<typename Tools::State>> levels, uint32_t* used) {
  MergeWork work;
  auto filled = device.template make<uint32_t>(kMaterials),
       filled_below = device.template make<uint32_t>(kMaterials);
  Buffer<Content> content, content_below;
  for (uint32_t l = dag.depth + 1; l-- > 0;) {
    auto level = std::move(levels[l]);
    const uint64_t nodes = level.count, all = nodes + kMaterials;
    auto words = device.template make<uint32_t>(all * kMaxItemWords);
    auto sizes = device.template make<uint8_t>(all);
    auto pointers = device.template make<uint32_t>(all);
    content = device.template make<Content>(nodes);
    const EditItems items = {words.data(), sizes.data(), content.data()};
    if (l == dag.depth)
      device.for_each({"edit: leaves", 80}, nodes,
                      EditLeaves<Tools>{tools, dag, level.corners.data(), level.old.data(),
                                        level.states.data(), items, used});
    else
      device.for_each({"edit: nodes", 100}, nodes,
                      EditNodes{dag, l, level.content.data(), level.splits.data(), level.old.data(),
                                content_below.data(), filled_below.data(), items});
    device.for_each("edit: filled", kMaterials, FilledItems{dag, l, filled_below.data(), used, nodes, items});
    const InternWork intern = store.intern(
        BatchRef{words.data(), nullptr, nullptr, kMaxItemWords, sizes.data()}, all, pointers.data());
    device.for_each({"edit: pointers", 9}, all, TakePointers{items, pointers.data(), nodes, filled.data()});
    EditCounts& counts = l == dag.depth ? work.leaves : work.nodes;
    counts.made += nodes;
    counts.distinct += intern.distinct;
    counts.inserted += intern.inserted;
    content_below = std::move(content);
    filled_below.swap(filled);
  }
  auto root = device.template make<uint32_t>(1);
  device.for_each("edit: root", 1, RootPointer{content_below.data(), filled_below.data(), root.data()});
  device.download(&work.root, root.data(), 1);
  return work;
}

}  // namespace vox
