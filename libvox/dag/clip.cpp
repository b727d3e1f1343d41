#include "libvox/dag/parts.h"

#include <tbb/parallel_for.h>
#include <tbb/parallel_sort.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <span>
#include <utility>
#include <vector>

#include "libvox/base/progress.h"
#include "libvox/dag/colors.h"
#include "libvox/dag/cut_cubes.h"
#include "libvox/dag/node.h"
#include "libvox/dag/paged_level.h"
#include "libvox/dag/walk.h"

namespace vox::dag {
namespace {

// Returns the places of nodes of these sizes in words, one behind the other.
NodePlaces places_of(const std::vector<uint8_t>& sizes) {
  PlacesBlocks blocks(NodePlaces::blocks_for(sizes.size()));
  uint64_t words = 0;
  for (size_t i = 0; i < sizes.size(); ++i) {
    put_place(blocks, i, words);
    words += sizes[i];
  }
  put_place(blocks, sizes.size(), words);
  return NodePlaces(std::move(blocks), sizes.size());
}

// The nodes of a level that a clipped scene keeps as they are, in the order of their numbers, without gaps between
// their words. Node i has the id i.
class KeptNodes {
 public:
  // Reads the nodes with these numbers, which ascend, each chunk of a file once.
  void read(const FrozenDag& dag, uint32_t level, std::vector<uint32_t> numbers) {
    const DagLevel& from = dag.levels[level];
    numbers_ = std::move(numbers);
    size_ = numbers_.size();
    for (size_t begin = 0; begin < numbers_.size(); begin += kBatch) {
      const std::span<const uint32_t> batch =
          std::span(numbers_).subspan(begin, std::min(kBatch, numbers_.size() - begin));
      Words slots(batch.size() * hash::kMaxItemWords);
      std::vector<uint8_t> sizes(batch.size());
      const auto take = [&](size_t i, const uint32_t* node) {
        sizes[i] = static_cast<uint8_t>(words_of(node, kind_at(dag, level), dag.materials));
        std::copy_n(node, sizes[i], slots.data() + i * hash::kMaxItemWords);
      };
      if (from.filed)
        parallel_for_each_of(from, batch, take);
      else
        tbb::parallel_for(size_t{0}, batch.size(), [&](size_t i) { take(i, from.node(batch[i])); });
      batches_.push_back(without_gaps(slots, sizes));
    }
  }

  // Replaces the pointers of inner nodes by the ids of the nodes below.
  void point_to(const KeptNodes& below) {
    tbb::parallel_for(uint64_t{0}, size(), [&](uint64_t id) {
      uint32_t* node = mutable_node(id);
      for (uint32_t child = 1; child < node_words(node[0]); ++child) node[child] = below.id_of(node[child]);
    });
  }

  uint64_t size() const { return size_; }
  const uint32_t* node(uint64_t id) const {
    const Batch& batch = batches_[id / kBatch];
    return batch.words.data() + batch.places[id % kBatch];
  }
  uint32_t id_of(uint32_t number) const {
    return static_cast<uint32_t>(std::ranges::lower_bound(numbers_, number) - numbers_.begin());
  }
  // id_of() must not be called afterwards.
  void forget_numbers() { std::vector<uint32_t>().swap(numbers_); }

 private:
  static constexpr size_t kBatch = size_t{1} << 18;
  struct Batch {
    Words words;
    NodePlaces places;
  };

  static Batch without_gaps(const Words& slots, const std::vector<uint8_t>& sizes) {
    Batch batch = {{}, places_of(sizes)};
    batch.words.resize(batch.places.words());
    tbb::parallel_for(size_t{0}, sizes.size(), [&](size_t i) {
      std::copy_n(slots.data() + i * hash::kMaxItemWords, sizes[i], batch.words.data() + batch.places[i]);
    });
    return batch;
  }

  uint32_t* mutable_node(uint64_t id) {
    Batch& batch = batches_[id / kBatch];
    return batch.words.data() + batch.places[id % kBatch];
  }

  uint64_t size_ = 0;
  std::vector<uint32_t> numbers_;
  std::vector<Batch> batches_;
};

// The clipped scene has the nodes of the whole that lie inside the box, and new ones for those that the box cuts. All
// nodes get ids, those that are kept first. The result's order follows from the ids, from the root down.
class Clipping {
 public:
  Clipping(const FrozenDag& dag, const VoxelBox& box)
      : dag_(dag), box_(box), levels_(dag.levels.size()), cut_(dag.levels.size()) {}

  FrozenDag run() {
    if (dag_.empty()) return dag_;
    const bool is_whole = place_of(0, {0, 0, 0}) == Place::Inside;
    if (!is_whole) cut_[0].push_back({{0, 0, 0}, 0, kNoNode});
    levels_[0].kept.read(dag_, 0, is_whole ? std::vector<uint32_t>{0} : std::vector<uint32_t>());
    for (uint32_t level = 0; level < dag_.depth(); ++level) find_below(level);
    for (uint32_t level = dag_.depth() + 1; level-- > 0;) {
      throw_if_cancelled();
      add_cut_nodes(level);
      if (level < dag_.depth()) levels_[level + 1].kept.forget_numbers();
    }
    FrozenDag result = empty_dag(dag_.resolution, dag_.materials);
    const uint32_t root = is_whole ? 0 : cut_[0][0].id;
    if (root == kNoNode) return result;
    std::vector<uint32_t> order = {root};
    for (uint32_t level = 0; level < levels_.size(); ++level)
      order = write_level(level, order, result.levels[level]);
    result.digest = compute_digest(result);
    count_octree(result);
    return result;
  }

 private:
  // A node that lies partly outside the box, and the id of what is left of it.
  struct CutNode {
    Int3 corner;
    uint32_t number;
    uint32_t id;  // kNoNode if nothing is left
  };
  enum class Place { Inside, Outside, Cut };

  struct Level {
    KeptNodes kept;
    NodeList added;

    uint64_t size() const { return kept.size() + added.size(); }
  };

  Place place_of(uint32_t level, Int3 corner) const {
    const VoxelBox cube = cube_at(corner, dag_.level_side(level));
    const VoxelBox common = intersection(cube, box_);
    if (common.empty()) return Place::Outside;
    return common == cube ? Place::Inside : Place::Cut;
  }

  // Calls body(place, octant, corner, number) for the children of a node.
  template <class Body>
  void for_each_child(uint32_t level, const CutNode& node, Body body) const {
    const uint32_t* words = dag_.levels[level].node(node.number);
    const uint32_t* pointer = words + 1;
    const auto half = static_cast<int32_t>(dag_.level_side(level + 1));
    for (uint32_t mask = child_mask(*words); mask != 0; mask &= mask - 1, ++pointer) {
      const auto octant = static_cast<uint32_t>(lowest_bit(mask));
      const Int3 corner = node.corner + octant_corner(octant, half);
      body(place_of(level + 1, corner), octant, corner, *pointer);
    }
  }

  // Finds the nodes of the next level that are cut, and reads those that stay as they are.
  void find_below(uint32_t level) {
    throw_if_cancelled();
    std::vector<uint32_t> numbers;
    for (const CutNode& node : cut_[level])
      for_each_child(level, node, [&](Place place, uint32_t, Int3 corner, uint32_t number) {
        if (place == Place::Cut) cut_[level + 1].push_back({corner, number, kNoNode});
        if (place == Place::Inside) numbers.push_back(number);
      });
    KeptNodes& kept = levels_[level].kept;
    std::vector<uint64_t> firsts(kept.size() + 1, numbers.size());
    for (uint64_t id = 0; id < kept.size(); ++id)
      firsts[id + 1] = firsts[id] + node_words(kept.node(id)[0]) - 1;
    numbers.resize(firsts.back());
    tbb::parallel_for(uint64_t{0}, kept.size(), [&](uint64_t id) {
      const uint32_t* node = kept.node(id);
      std::copy(node + 1, node + node_words(node[0]), numbers.data() + firsts[id]);
    });
    tbb::parallel_sort(numbers.begin(), numbers.end());
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
    levels_[level + 1].kept.read(dag_, level + 1, std::move(numbers));
    kept.point_to(levels_[level + 1].kept);
  }

  // Gives the cut nodes of a level their ids, and adds those that are not among the kept nodes.
  void add_cut_nodes(uint32_t level) {
    NodeList wanted;
    std::vector<CutNode*> left;
    const CutNode* cut_child = level < dag_.depth() ? cut_[level + 1].data() : nullptr;
    for (CutNode& node : cut_[level])
      if (level == dag_.depth() ? push_leaf(node, wanted) : push_node(level, node, cut_child, wanted))
        left.push_back(&node);
    Level& here = levels_[level];
    const std::vector<uint32_t> ids = ids_of(wanted, here.kept.size(), here.added, [&](const auto& body) {
      tbb::parallel_for(uint64_t{0}, here.kept.size(), [&](uint64_t id) {
        const uint32_t* node = here.kept.node(id);
        body(id, std::span(node, words_of(node, kind_at(dag_, level), dag_.materials)));
      });
    });
    for (size_t i = 0; i < left.size(); ++i) left[i]->id = ids[i];
  }

  // These add what is left of a cut leaf or node, and return false if nothing is. No cut node is full.
  bool push_leaf(const CutNode& node, NodeList& list) const {
    const uint32_t* leaf = dag_.levels.back().node(node.number);
    const uint64_t mask = leaf_mask(leaf) & leaf_mask_inside(node.corner, box_);
    if (mask == 0) return false;
    std::array<uint32_t, hash::kMaxItemWords> words = {};
    LeafWriter writer(words.data(), dag_.materials);
    for (uint64_t bits = mask; bits != 0; bits &= bits - 1) {
      const auto bit = static_cast<uint32_t>(lowest_bit(bits));
      writer.put(bit, dag_.materials ? leaf_material(leaf, bit) : 0);
    }
    list.words.insert(list.words.end(), words.begin(), words.begin() + writer.finish());
    list.close();
    return true;
  }

  // The cut children stand in the level below in the order in which find_below() has visited them.
  bool push_node(uint32_t level, const CutNode& node, const CutNode*& cut_child, NodeList& list) const {
    const size_t header = list.words.size();
    list.words.push_back(0);
    for_each_child(level, node, [&](Place place, uint32_t octant, Int3, uint32_t number) {
      uint32_t id = kNoNode;
      if (place == Place::Cut) id = (cut_child++)->id;
      if (place == Place::Inside) id = levels_[level + 1].kept.id_of(number);
      if (id == kNoNode) return;
      list.words[header] |= 1u << octant;
      list.words.push_back(id);
    });
    if (list.words[header] == 0) {
      list.words.pop_back();
      return false;
    }
    list.close();
    return true;
  }

  std::span<const uint32_t> node(uint32_t level, uint32_t id) const {
    const Level& here = levels_[level];
    const uint64_t kept = here.kept.size();
    if (id >= kept) return here.added[id - kept];
    const uint32_t* words = here.kept.node(id);
    return {words, words_of(words, kind_at(dag_, level), dag_.materials)};
  }

  // Writes the nodes of a level in this order of their ids, and returns the order of the next level.
  std::vector<uint32_t> write_level(uint32_t level, const std::vector<uint32_t>& order, DagLevel& to) {
    throw_if_cancelled();
    std::vector<uint32_t> below, numbers_below;
    if (level < dag_.depth()) {
      below = order_below(level, order);
      numbers_below.resize(levels_[level + 1].size());
      tbb::parallel_for(size_t{0}, below.size(),
                        [&](size_t number) { numbers_below[below[number]] = static_cast<uint32_t>(number); });
    }
    std::vector<uint8_t> sizes(order.size());
    tbb::parallel_for(size_t{0}, order.size(), [&](size_t number) {
      sizes[number] = static_cast<uint8_t>(node(level, order[number]).size());
    });
    to.nodes = order.size();
    to.places = places_of(sizes);
    to.words.resize(to.places.words());
    tbb::parallel_for(size_t{0}, order.size(), [&](size_t number) {
      const std::span<const uint32_t> from = node(level, order[number]);
      uint32_t* words_to = to.words.data() + to.places[number];
      words_to[0] = from[0];
      for (size_t i = 1; i < from.size(); ++i)
        words_to[i] = level < dag_.depth() ? numbers_below[from[i]] : from[i];
    });
    levels_[level] = {};
    return below;
  }

  // Returns the nodes of the next level in the order of the first pointers to them.
  std::vector<uint32_t> order_below(uint32_t level, const std::vector<uint32_t>& order) const {
    constexpr uint64_t kPointers = 8;  // of a node
    std::vector<uint64_t> first(levels_[level + 1].size(), UINT64_MAX);
    const auto for_each_pointer = [&](size_t number, const auto& body) {
      const std::span<const uint32_t> parent = node(level, order[number]);
      for (size_t i = 1; i < parent.size(); ++i) body(number * kPointers + (i - 1), parent[i]);
    };
    tbb::parallel_for(size_t{0}, order.size(), [&](size_t number) {
      for_each_pointer(number, [&](uint64_t at, uint32_t id) {
        std::atomic_ref<uint64_t> seen(first[id]);
        for (uint64_t before = seen.load(std::memory_order_relaxed);
             at < before && !seen.compare_exchange_weak(before, at, std::memory_order_relaxed);) {
        }
      });
    });
    std::array<std::vector<uint32_t>, 64> found;
    tbb::parallel_for(size_t{0}, found.size(), [&](size_t share) {
      const size_t end = (share + 1) * order.size() / found.size();
      for (size_t number = share * order.size() / found.size(); number < end; ++number)
        for_each_pointer(number, [&](uint64_t at, uint32_t id) {
          if (first[id] == at) found[share].push_back(id);
        });
    });
    std::vector<uint32_t> below;
    for (const std::vector<uint32_t>& share : found) below.insert(below.end(), share.begin(), share.end());
    return below;
  }

  const FrozenDag& dag_;
  const VoxelBox box_;
  std::vector<Level> levels_;
  std::vector<std::vector<CutNode>> cut_;  // the cut nodes of each level
};

}  // namespace

FrozenDag clipped(const FrozenDag& dag, const VoxelBox& box) {
  return Clipping(dag, box).run();
}

VoxelScene clipped_scene(const VoxelScene& scene, const VoxelBox& box) {
  VoxelScene part;
  part.dag = clipped(scene.dag, box);
  part.palette = scene.palette;
  if (scene.colors) part.colors = values_inside(scene.dag, *scene.colors, box);
  part.origin = scene.origin;
  part.voxel_size = scene.voxel_size;
  part.unit = scene.unit;
  part.up = scene.up;
  return part;
}

}  // namespace vox::dag
