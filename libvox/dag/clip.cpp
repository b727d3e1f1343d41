
#include <tbb/parallel_sort.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <numeric>
#include <span>
#include <utility>

#include "libvox/base/loops.h"
#include "libvox/base/progress.h"
#include "libvox/dag/colors.h"
#include "libvox/dag/graft.h"
#include "libvox/dag/node.h"
#include "libvox/dag/paged_level.h"
#include "libvox/dag/walk.h"

namespace vox::dag {
namespace {

// Returns the places of nodes of these sizes in words, one behind the other.
NodePlaces places_of(const std::vector<uint8_t>& sizes) {
  constexpr uint64_t kNodes = PlacesBlock::kNodes;
  PlacesBlocks blocks(NodePlaces::blocks_for(sizes.size()));
  std::vector<uint64_t> firsts(blocks.size() + 1);
  const auto in_block = [&](uint64_t block) {
    return std::span(sizes).subspan(block * kNodes, std::min(kNodes, sizes.size() - block * kNodes));
  };
  parallel_for(size_t{0}, blocks.size(), [&](size_t block) {
    for (const uint8_t size : in_block(block)) firsts[block + 1] += size;
  });
  std::partial_sum(firsts.begin(), firsts.end(), firsts.begin());
  parallel_for(size_t{0}, blocks.size(), [&](size_t block) {
    uint64_t number = block * kNodes, word = firsts[block];
    for (const uint8_t size : in_block(block)) {
      put_place(blocks, number++, word);
      word += size;
    }
    if (number == sizes.size() && number / kNodes == block) put_place(blocks, number, word);
  });
  return NodePlaces(std::move(blocks), sizes.size());
}

// Some of the numbers of a level's nodes: a bit for each node.
class NumberSet {
 public:
  explicit NumberSet(uint64_t nodes) : bits_(nodes / 64 + 1) {}

  // Any thread may call this.
  void add(uint32_t number) {
    const std::atomic_ref bits(bits_[number / 64]);
    const uint64_t bit = uint64_t{1} << number % 64;
    if ((bits.load(std::memory_order_relaxed) & bit) == 0) bits.fetch_or(bit, std::memory_order_relaxed);
  }

  uint64_t count() const {
    uint64_t count = 0;
    for (const uint64_t bits : bits_) count += static_cast<uint64_t>(popcount(bits));
    return count;
  }

  // Must be called after all numbers have been added. Returns them in ascending order.
  std::vector<uint32_t> close() {
    before_.resize(bits_.size() + 1);
    for (size_t i = 0; i < bits_.size(); ++i)
      before_[i + 1] = before_[i] + static_cast<uint32_t>(popcount(bits_[i]));
    std::vector<uint32_t> numbers(before_.back());
    parallel_for(size_t{0}, bits_.size(), [&](size_t i) {
      size_t at = before_[i];
      visit_bits(bits_[i], [&](uint32_t bit) { numbers[at++] = static_cast<uint32_t>(i * 64) + bit; });
    });
    return numbers;
  }
  // Returns how many numbers are lower.
  uint32_t place_of(uint32_t number) const {
    const uint64_t lower = (uint64_t{1} << number % 64) - 1;
    return before_[number / 64] + static_cast<uint32_t>(popcount(bits_[number / 64] & lower));
  }

 private:
  std::vector<uint64_t> bits_;
  std::vector<uint32_t> before_;  // the number of bits in all words before each
};

// The nodes of a level that a clipped scene keeps as they are, in the order of their numbers, without gaps between
// their words. Node i has the id i.
class KeptNodes {
 public:
  // Reads the nodes with these numbers, each chunk of a file once or twice.
  void read(const FrozenDag& dag, uint32_t level, NumberSet set) {
    set_ = std::move(set);
    const std::vector<uint32_t> numbers = set_.close();
    begins_ = begins_of_batches(dag.levels[level], numbers);
    batches_.resize(begins_.size() - 1);
    parallel_for(size_t{0}, batches_.size(), [&](size_t i) {
      const std::span<const uint32_t> batch =
          std::span(numbers).subspan(begins_[i], begins_[i + 1] - begins_[i]);
      Words words;
      words.reserve(batch.size() * hash::kMaxItemWords / 2);  // most levels need no more
      PlacesBlocks blocks(NodePlaces::blocks_for(batch.size()));
      for_each_of(dag.levels[level], batch, [&](size_t number, const uint32_t* node) {
        put_place(blocks, number, words.size());
        words.insert(words.end(), node, node + words_of(node, kind_at(dag, level), dag.materials));
      });
      put_place(blocks, batch.size(), words.size());
      batches_[i] = {std::move(words), NodePlaces(std::move(blocks), batch.size())};
    });
    first_batches_.clear();
    for (uint64_t id = 0, batch = 0; id < size(); id += kIdsOfEntry) {
      while (begins_[batch + 1] <= id) ++batch;
      first_batches_.push_back(static_cast<uint32_t>(batch));
    }
  }

  // Replaces the pointers of inner nodes by the ids of the nodes below.
  void point_to(const KeptNodes& below) {
    parallel_for(uint64_t{0}, size(), [&](uint64_t id) {
      const size_t i = batch_of(id);
      uint32_t* node = batches_[i].words.data() + batches_[i].places[id - begins_[i]];
      for (uint32_t child = 1; child < node_words(node[0]); ++child) node[child] = below.id_of(node[child]);
    });
  }

  uint64_t size() const { return begins_.back(); }
  const uint32_t* node(uint64_t id) const {
    const size_t i = batch_of(id);
    return batches_[i].words.data() + batches_[i].places[id - begins_[i]];
  }
  uint32_t id_of(uint32_t number) const { return set_.place_of(number); }
  // id_of() must not be called afterwards.
  void forget_numbers() { set_ = NumberSet(0); }

 private:
  static constexpr uint64_t kIdsOfEntry = 64;

  // Returns the ids with which batches begin, and the end of the last one. A batch has the nodes of a range of numbers,
  // which some chunks of the file contain. However few of a chunk's nodes are kept, all threads have work, and few chunks
  // are read by two of them.
  static std::vector<uint64_t> begins_of_batches(const DagLevel& level, std::span<const uint32_t> numbers) {
    constexpr uint64_t kChunks = 8, kInMemory = 1 << 16;
    const uint64_t range = level.filed ? kChunks * nodes_of_chunk(level) : kInMemory;
    std::vector<uint64_t> begins = {0};
    while (begins.back() < numbers.size()) {
      const uint64_t end = (numbers[begins.back()] / range + 1) * range;
      const auto from = numbers.begin() + static_cast<ptrdiff_t>(begins.back());
      begins.push_back(static_cast<uint64_t>(std::lower_bound(from, numbers.end(), end) - numbers.begin()));
    }
    return begins;
  }

  size_t batch_of(uint64_t id) const {
    size_t batch = first_batches_[id / kIdsOfEntry];
    while (begins_[batch + 1] <= id) ++batch;
    return batch;
  }

  struct Batch {
    Words words;
    NodePlaces places;
  };

  NumberSet set_ = NumberSet(0);
  std::vector<uint64_t> begins_ = {0};   // the first id of each batch, and the end of the last one
  std::vector<uint32_t> first_batches_;  // the batch of the ids 0, 64, 128, …
  std::vector<Batch> batches_;
};

// The clipped scene has the nodes of the whole that lie inside the boxes, and new ones for those that these cut. All
// nodes get ids, those that are kept first. The result's order follows from the ids, from the root down.
class Clipping {
 public:
  Clipping(const FrozenDag& dag, const VoxelRegion& region, uint64_t memory)
      : dag_(dag), region_(region), memory_(memory), levels_(dag.levels.size()), cut_(dag.levels.size()) {}

  FrozenDag run() {
    if (dag_.empty()) return dag_;
    const bool is_whole = place_of(0, {0, 0, 0}) == Overlap::Whole;
    if (!is_whole) cut_[0].push_back({.corner = {0, 0, 0}, .number = 0});
    NumberSet root_number(1);
    if (is_whole) root_number.add(0);
    levels_[0].kept.read(dag_, 0, std::move(root_number));
    for (uint32_t level = 0; level <= dag_.depth(); ++level) {
      read_cut_nodes(level);
      if (level < dag_.depth()) find_below(level);
    }
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
  // A node that lies partly outside the boxes, and the id of what is left of it.
  struct CutNode {
    Int3 corner;
    uint32_t number;
    uint32_t id = kNoNode;  // kNoNode if nothing is left
    std::array<uint32_t, hash::kMaxItemWords> words = {};
  };

  struct Level {
    KeptNodes kept;
    NodeList added;

    uint64_t size() const { return kept.size() + added.size(); }
  };

  Overlap place_of(uint32_t level, Int3 corner) const {
    return overlap(cube_at(corner, dag_.level_side(level)), region_);
  }

  // Calls body(place, octant, corner, number) for the children of a node.
  template <class Body>
  void for_each_child(uint32_t level, const CutNode& node, Body body) const {
    const auto half = static_cast<int32_t>(dag_.level_side(level + 1));
    visit_children(node.words.data(), [&](uint32_t octant, uint32_t number) {
      const Int3 corner = node.corner + octant_corner(octant, half);
      body(place_of(level + 1, corner), octant, corner, number);
    });
  }

  // Reads the words of a level's cut nodes, in the order of their numbers, so that threads share the work of reading the
  // file.
  void read_cut_nodes(uint32_t level) {
    std::vector<CutNode>& cut = cut_[level];
    std::vector<uint32_t> order(cut.size()), numbers(cut.size());
    std::iota(order.begin(), order.end(), 0u);
    tbb::parallel_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
      return std::pair(cut[a].number, a) < std::pair(cut[b].number, b);
    });
    std::ranges::transform(order, numbers.begin(), [&](uint32_t i) { return cut[i].number; });
    parallel_for_each_of(dag_.levels[level], numbers, [&](size_t i, const uint32_t* node) {
      std::copy_n(node, words_of(node, kind_at(dag_, level), dag_.materials), cut[order[i]].words.begin());
    });
  }

  // Finds the nodes of the next level that are cut, and reads those that stay as they are.
  void find_below(uint32_t level) {
    throw_if_cancelled();
    NumberSet numbers(dag_.levels[level + 1].places.nodes());
    for (const CutNode& node : cut_[level])
      for_each_child(level, node, [&](Overlap place, uint32_t, Int3 corner, uint32_t number) {
        if (place == Overlap::Part) cut_[level + 1].push_back({.corner = corner, .number = number});
        if (place == Overlap::Whole) numbers.add(number);
      });
    KeptNodes& kept = levels_[level].kept;
    parallel_for(uint64_t{0}, kept.size(), [&](uint64_t id) {
      const uint32_t* node = kept.node(id);
      std::for_each(node + 1, node + node_words(node[0]), [&](uint32_t number) { numbers.add(number); });
    });
    check_room(level + 1, numbers.count());
    levels_[level + 1].kept.read(dag_, level + 1, std::move(numbers));
    kept.point_to(levels_[level + 1].kept);
  }

  // Throws OutOfMemory if so many nodes of a level, of the mean size there, do not fit beside those of the levels above.
  void check_room(uint32_t level, uint64_t nodes) {
    const DagLevel& from = dag_.levels[level];
    const double share = static_cast<double>(nodes) / static_cast<double>(from.places.nodes());
    kept_bytes_ +=
        static_cast<uint64_t>(share * static_cast<double>(from.words.size()) * double{sizeof(uint32_t)});
    if (kept_bytes_ > memory_) throw OutOfMemory(kept_bytes_, memory_);
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
      parallel_for(uint64_t{0}, here.kept.size(), [&](uint64_t id) {
        const uint32_t* node = here.kept.node(id);
        body(id, std::span(node, words_of(node, kind_at(dag_, level), dag_.materials)));
      });
    });
    for (size_t i = 0; i < left.size(); ++i) left[i]->id = ids[i];
  }

  // These add what is left of a cut leaf or node, and return false if nothing is. No cut node is full.
  bool push_leaf(const CutNode& node, NodeList& list) const {
    const uint32_t* const leaf = node.words.data();
    uint64_t mask = 0;
    for (const VoxelBox& box : region_) mask |= leaf_mask(leaf) & leaf_mask_inside(node.corner, box);
    if (mask == 0) return false;
    std::array<uint32_t, hash::kMaxItemWords> words = {};
    LeafWriter writer(words.data(), dag_.materials);
    visit_bits(mask, [&](uint32_t bit) { writer.put(bit, dag_.materials ? leaf_material(leaf, bit) : 0); });
    list.words.insert(list.words.end(), words.begin(), words.begin() + writer.finish());
    list.close();
    return true;
  }

  // The cut children stand in the level below in the order in which find_below() has visited them.
  bool push_node(uint32_t level, const CutNode& node, const CutNode*& cut_child, NodeList& list) const {
    const size_t header = list.words.size();
    list.words.push_back(0);
    for_each_child(level, node, [&](Overlap place, uint32_t octant, Int3, uint32_t number) {
      uint32_t id = kNoNode;
      if (place == Overlap::Part) id = (cut_child++)->id;
      if (place == Overlap::Whole) id = levels_[level + 1].kept.id_of(number);
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
      parallel_for(size_t{0}, below.size(),
                   [&](size_t number) { numbers_below[below[number]] = static_cast<uint32_t>(number); });
    }
    std::vector<uint8_t> sizes(order.size());
    parallel_for(size_t{0}, order.size(), [&](size_t number) {
      sizes[number] = static_cast<uint8_t>(node(level, order[number]).size());
    });
    to.nodes = order.size();
    to.places = places_of(sizes);
    to.words.resize(to.places.words());
    parallel_for(size_t{0}, order.size(), [&](size_t number) {
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
    parallel_for(size_t{0}, order.size(), [&](size_t number) {
      for_each_pointer(number, [&](uint64_t at, uint32_t id) {
        std::atomic_ref<uint64_t> seen(first[id]);
        for (uint64_t before = seen.load(std::memory_order_relaxed);
             at < before && !seen.compare_exchange_weak(before, at, std::memory_order_relaxed);) {
        }
      });
    });
    std::array<std::vector<uint32_t>, 64> found;
    parallel_for(size_t{0}, found.size(), [&](size_t share) {
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
  const VoxelRegion region_;
  const uint64_t memory_;
  uint64_t kept_bytes_ = 0;
  std::vector<Level> levels_;
  std::vector<std::vector<CutNode>> cut_;  // the cut nodes of each level
};

}  // namespace

FrozenDag clipped(const FrozenDag& dag, const VoxelRegion& region, uint64_t memory) {
  return Clipping(dag, region, memory).run();
}

FrozenDag clipped(const FrozenDag& dag, const VoxelBox& box) {
  return clipped(dag, VoxelRegion{box});
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
