#include "libvox/dag/graft.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "libvox/base/loops.h"
#include "libvox/base/morton.h"
#include "libvox/base/progress.h"
#include "libvox/dag/digests.h"
#include "libvox/dag/node.h"
#include "libvox/dag/paged_level.h"
#include "libvox/dag/walk.h"

namespace vox::dag {

VoxelBox box_of_cubes(const VoxelBox& box, uint32_t side) {
  constexpr uint32_t kShareOfSide = 8;  // of the box's longest side
  const VoxelBox inside = intersection(box, cube_at({0, 0, 0}, side));
  const Int3 size = inside.size();
  const auto longest = static_cast<uint32_t>(std::max({size.x, size.y, size.z}));
  const auto cube = static_cast<int32_t>(std::max(kLeafSide, std::bit_floor(longest / kShareOfSide)));
  VoxelBox result;
  for (uint32_t k = 0; k < 3; ++k) {
    result.min[k] = inside.min[k] / cube * cube;
    result.max[k] = (inside.max[k] + cube - 1) / cube * cube;
  }
  return result;
}

namespace {

bool is_covered(VoxelBox box, std::span<const VoxelBox> region) {
  const auto first =
      std::ranges::find_if(region, [&](const VoxelBox& one) { return !intersection(box, one).empty(); });
  if (first == region.end()) return false;
  const std::span<const VoxelBox> others(first + 1, region.end());
  for (uint32_t k = 0; k < 3; ++k) {
    VoxelBox below = box, above = box;
    below.max[k] = box.min[k] = std::max(box.min[k], first->min[k]);
    above.min[k] = box.max[k] = std::min(box.max[k], first->max[k]);
    for (const VoxelBox& beside : {below, above})
      if (!beside.empty() && !is_covered(beside, others)) return false;
  }
  return true;
}

}  // namespace

Overlap overlap(const VoxelBox& box, std::span<const VoxelBox> region) {
  if (is_covered(box, region)) return Overlap::Whole;
  const bool meets =
      std::ranges::any_of(region, [&](const VoxelBox& one) { return !intersection(box, one).empty(); });
  return meets ? Overlap::Part : Overlap::None;
}

namespace {

uint32_t child_of(const FrozenDag& dag, uint32_t level, uint32_t number, uint32_t octant) {
  if (number == kNoNode) return kNoNode;
  const uint32_t* node = dag.levels[level].node(number);
  return (node[0] >> octant & 1) != 0 ? node[child_word(node[0], octant)] : kNoNode;
}

}  // namespace

CutCubes find_cut_cubes(const FrozenDag& whole, const FrozenDag& before, const FrozenDag& after,
                        const VoxelRegion& region) {
  CutCubes cut(whole.levels.size());
  const auto root = [](const FrozenDag& dag) { return dag.empty() ? kNoNode : 0; };
  cut[0].push_back({.corner = {0, 0, 0}, .whole = root(whole), .before = root(before), .after = root(after)});
  for (uint32_t level = 0; level < whole.depth(); ++level) {
    const uint32_t half = whole.level_side(level + 1);
    for (CutCube& cube : cut[level])
      for (uint32_t octant = 0; octant < 8; ++octant) {
        const Int3 corner = cube.corner + octant_corner(octant, static_cast<int32_t>(half));
        const Overlap place = overlap(cube_at(corner, half), region);
        const uint32_t of_whole = child_of(whole, level, cube.whole, octant),
                       of_after = child_of(after, level, cube.after, octant);
        CutChild& child = cube.children[octant];
        if (place == Overlap::None) {
          if (of_whole != kNoNode) child = {Origin::Whole, of_whole};
        } else if (place == Overlap::Whole) {
          if (of_after != kNoNode) child = {Origin::Part, of_after};
        } else if (of_whole != kNoNode || of_after != kNoNode) {
          child = {Origin::Cut, static_cast<uint32_t>(cut[level + 1].size())};
          cut[level + 1].push_back({.corner = corner,
                                    .whole = of_whole,
                                    .before = child_of(before, level, cube.before, octant),
                                    .after = of_after});
        }
      }
  }
  return cut;
}

std::vector<std::vector<uint32_t>> children_from(Origin origin, const CutCubes& cut) {
  std::vector<std::vector<uint32_t>> numbers(cut.size());
  for (size_t level = 0; level + 1 < cut.size(); ++level) {
    for (const CutCube& cube : cut[level])
      for (const CutChild& child : cube.children)
        if (child.origin == origin) numbers[level + 1].push_back(child.number);
    std::ranges::sort(numbers[level + 1]);
    std::vector<uint32_t>& next = numbers[level + 1];
    next.erase(std::unique(next.begin(), next.end()), next.end());
  }
  return numbers;
}

namespace {

// Nodes of a level of the result whose ids follow each other.
struct IdRun {
  uint64_t number = 0;  // of the first, in the result
  uint64_t id = 0;      // of the first
  uint64_t nodes = 0;
  uint64_t word = 0;  // where the first begins
};

// A level of the result. A node's id is its number in the whole, or that of the first node behind these plus its place
// among the added nodes.
struct GraftedLevel {
  NodeList added;
  std::vector<IdRun> runs, by_id;  // in the order of numbers, and of ids
  uint64_t nodes = 0, words = 0;
  LongWords starts;
};

// The result of a graft. The words of its levels are made by read().
class Grafted {
 public:
  Grafted(std::shared_ptr<const FrozenDag> whole, const FrozenDag& before, const FrozenDag& part,
          const VoxelRegion& region)
      : whole_(std::move(whole)),
        levels_(whole_->levels.size()),
        cut_(find_cut_cubes(*whole_, before, part, region)) {
    std::vector<uint32_t> part_ids;
    for (uint32_t level = whole_->depth() + 1; level-- > 0;) part_ids = add_nodes(level, part, part_ids);
  }

  // Finds the digests of the cut cubes from those of the nodes beside and inside the boxes.
  void find_digests(const std::vector<std::vector<uint32_t>>& beside,
                    const std::vector<std::vector<Digest>>& of_beside, const FrozenDag& part) {
    const std::vector<std::vector<uint32_t>> inside = children_from(Origin::Part, cut_);
    const std::vector<std::vector<Digest>> of_inside = digests_of(part, inside);
    const auto found = [](const std::vector<uint32_t>& numbers, const std::vector<Digest>& digests,
                          uint32_t number) {
      return digests[static_cast<size_t>(std::ranges::lower_bound(numbers, number) - numbers.begin())];
    };
    for (uint32_t level = whole_->depth(); level-- > 0;)
      for (CutCube& cube : cut_[level]) {
        std::array<Digest, 8> digests;
        uint32_t mask = 0, count = 0;
        for (uint32_t octant = 0; octant < 8; ++octant) {
          const CutChild& child = cube.children[octant];
          if (!is_left(level, child)) continue;
          mask |= 1u << octant;
          digests[count++] =
              child.origin == Origin::Whole  ? found(beside[level + 1], of_beside[level + 1], child.number)
              : child.origin == Origin::Part ? found(inside[level + 1], of_inside[level + 1], child.number)
                                             : cut_[level + 1][child.number].digest;
        }
        cube.digest = node_digest(mask, [&](uint32_t i) { return digests[i]; });
      }
  }

  const CutCubes& cut() const { return cut_; }
  const CutCube& root() const { return cut_[0][0]; }

  // Numbers the nodes of all levels from the root down.
  void bring_into_order() {
    levels_[0].runs = {{.number = 0, .id = root().id, .nodes = 1}};
    for (uint32_t level = 0; level < levels_.size(); ++level) {
      if (level > 0) order_level(level);
      place_level(level);
      std::vector<uint64_t>().swap(seen_);
    }
    cut_.clear();
  }

  FiledLevel filed_level(uint32_t level, std::shared_ptr<const Grafted> self) const {
    constexpr uint64_t kPieceWords = 1 << 18;
    return {.where = "the edited scene",
            .form = {level, kind_at(*whole_, level), whole_->materials},
            .words = levels_[level].words,
            .nodes = levels_[level].nodes,
            .svo_nodes = 0,
            .nodes_below = level < whole_->depth() ? levels_[level + 1].nodes : 0,
            .starts = levels_[level].starts,
            .piece_words = kPieceWords,
            .read = [self = std::move(self), level](uint64_t first, std::span<uint32_t> to) {
              self->read(level, first, to);
            }};
  }

 private:
  uint64_t nodes_of_whole(uint32_t level) const { return whole_->levels[level].places.nodes(); }

  const uint32_t* node(uint32_t level, uint64_t id) const {
    const uint64_t of_whole = nodes_of_whole(level);
    return id < of_whole ? whole_->levels[level].node(id) : levels_[level].added[id - of_whole].data();
  }

  uint64_t size_of(uint32_t level, const uint32_t* node) const {
    return words_of(node, kind_at(*whole_, level), whole_->materials);
  }

  bool is_left(uint32_t level, const CutChild& child) const {
    return child.origin != Origin::Nowhere &&
           (child.origin != Origin::Cut || cut_[level + 1][child.number].id != kNoNode);
  }

  // Gives the part's nodes and the cut cubes of a level their ids, and returns those of the part's nodes. Nodes that the
  // whole has already get the ids that they have there.
  std::vector<uint32_t> add_nodes(uint32_t level, const FrozenDag& part,
                                  const std::vector<uint32_t>& ids_below) {
    throw_if_cancelled();
    const DagLevel& of_part = part.levels[level];
    NodeList wanted;
    for (uint64_t number = 0; number < of_part.places.nodes(); ++number) {
      const uint32_t* node = of_part.node(number);
      const uint64_t size = size_of(level, node);
      wanted.words.push_back(node[0]);
      for (uint64_t i = 1; i < size; ++i)
        wanted.words.push_back(level == whole_->depth() ? node[i] : ids_below[node[i]]);
      wanted.close();
    }
    std::vector<CutCube*> left;
    for (CutCube& cube : cut_[level])
      if (level < whole_->depth() && push_cut_cube(level, part, ids_below, cube, wanted))
        left.push_back(&cube);
    std::vector<uint32_t> ids = ids_in_level(level, wanted);
    for (size_t i = 0; i < left.size(); ++i) left[i]->id = ids[of_part.places.nodes() + i];
    ids.resize(of_part.places.nodes());
    return ids;
  }

  // Adds the node of a cut cube to the list, unless nothing is left of it.
  bool push_cut_cube(uint32_t level, const FrozenDag& part, const std::vector<uint32_t>& part_ids,
                     CutCube& cube, NodeList& list) const {
    uint32_t mask = 0;
    std::optional<int32_t> material;  // of all children
    const auto join = [&](int32_t of_child) {
      material = material.value_or(of_child) == of_child ? of_child : -1;
    };
    list.words.push_back(0);
    for (uint32_t octant = 0; octant < 8; ++octant) {
      const CutChild& child = cube.children[octant];
      if (!is_left(level, child)) continue;
      mask |= 1u << octant;
      if (child.origin == Origin::Cut) {
        const CutCube& below = cut_[level + 1][child.number];
        join(below.material);
        list.words.push_back(below.id);
        continue;
      }
      const FrozenDag& dag = child.origin == Origin::Whole ? *whole_ : part;
      join(homogeneous_content(dag.levels[level + 1].node(child.number), kind_at(dag, level + 1),
                               dag.materials));
      list.words.push_back(child.origin == Origin::Whole ? child.number : part_ids[child.number]);
    }
    if (mask == 0) {
      list.words.pop_back();
      return false;
    }
    cube.material = mask == 0xff ? *material : -1;
    list.words[list.places.back()] =
        cube.material < 0 ? mask : homogeneous_header(static_cast<uint32_t>(cube.material));
    list.close();
    return true;
  }

  // Returns the ids of nodes, of which those are added that the whole lacks.
  std::vector<uint32_t> ids_in_level(uint32_t level, const NodeList& wanted) {
    return ids_of(wanted, nodes_of_whole(level), levels_[level].added, [&](const auto& body) {
      parallel_for(node_numbers(whole_->levels[level]), [&](const NodeNumbers& range) {
        for_each_in_order(whole_->levels[level], range, [&](uint64_t number, const uint32_t* node) {
          body(number, std::span(node, size_of(level, node)));
        });
      });
    });
  }

  // Calls body(id) for the nodes of a level from number `begin` on, in order, until it returns false.
  template <class Body>
  void for_ids(uint32_t level, uint64_t begin, uint64_t end, const Body& body) const {
    const std::vector<IdRun>& runs = levels_[level].runs;
    auto run = std::ranges::upper_bound(runs, begin, {}, &IdRun::number) - 1;
    for (uint64_t number = begin; number < end; ++number) {
      if (number == run->number + run->nodes) ++run;
      if (!body(run->id + (number - run->number))) return;
    }
  }

  // Finds the order of a level's nodes: that of the first pointers to them in the level above.
  void order_level(uint32_t level) {
    constexpr uint64_t kShare = 4096, kShares = 64;
    const uint64_t of_whole = nodes_of_whole(level), parents = levels_[level - 1].nodes;
    GraftedLevel& here = levels_[level];
    seen_.assign((of_whole + here.added.size() + 63) / 64, 0);
    std::vector<std::vector<uint32_t>> children(kShares);
    for (uint64_t begin = 0; begin < parents; begin += kShare * kShares) {
      throw_if_cancelled();
      parallel_for(uint64_t{0}, kShares, [&](uint64_t share) {
        children[share].clear();
        const uint64_t from = std::min(begin + share * kShare, parents),
                       to = std::min(from + kShare, parents);
        if (from == to) return;
        for_ids(level - 1, from, to, [&](uint64_t id) {
          const uint32_t* parent = node(level - 1, id);
          children[share].insert(children[share].end(), parent + 1, parent + node_words(parent[0]));
          return true;
        });
      });
      for (const std::vector<uint32_t>& share : children)
        for (const uint32_t id : share) {
          uint64_t& bits = seen_[id / 64];
          const uint64_t bit = uint64_t{1} << id % 64;
          if ((bits & bit) != 0) continue;
          bits |= bit;
          IdRun* last = here.runs.empty() ? nullptr : &here.runs.back();
          if (last != nullptr && last->id + last->nodes == id && id != of_whole)
            ++last->nodes;
          else
            here.runs.push_back({.number = here.nodes, .id = id, .nodes = 1});
          ++here.nodes;
        }
    }
  }

  uint64_t place(uint32_t level, uint64_t id) const {
    const uint64_t of_whole = nodes_of_whole(level);
    return id < of_whole ? whole_->levels[level].places[id] : levels_[level].added.places[id - of_whole];
  }

  // Returns the words of some nodes whose ids follow each other and are all below those of added nodes, or all not.
  uint64_t words_of_run(uint32_t level, uint64_t id, uint64_t nodes) const {
    if (nodes == 0) return 0;
    return place(level, id + nodes - 1) - place(level, id) + size_of(level, node(level, id + nodes - 1));
  }

  void place_level(uint32_t level) {
    throw_if_cancelled();
    GraftedLevel& here = levels_[level];
    here.nodes = here.runs.back().number + here.runs.back().nodes;
    std::vector<uint64_t> words(here.runs.size());
    parallel_for(size_t{0}, words.size(),
                 [&](size_t i) { words[i] = words_of_run(level, here.runs[i].id, here.runs[i].nodes); });
    for (size_t i = 0; i < words.size(); ++i) {
      here.runs[i].word = here.words;
      here.words += words[i];
    }
    here.starts.resize((here.nodes + kStartEvery - 1) / kStartEvery);
    parallel_for(size_t{0}, here.starts.size(), [&](size_t i) {
      const uint64_t number = i * kStartEvery;
      const auto run = std::ranges::upper_bound(here.runs, number, {}, &IdRun::number) - 1;
      here.starts[i] = run->word + place(level, run->id + (number - run->number)) - place(level, run->id);
    });
    here.by_id = here.runs;
    std::ranges::sort(here.by_id, {}, &IdRun::id);
  }

  // Makes the words of a level from number `first` on.
  void read(uint32_t level, uint64_t first, std::span<uint32_t> to) const {
    const GraftedLevel& here = levels_[level];
    const auto start = std::ranges::upper_bound(here.starts, first) - 1;
    const auto number = static_cast<uint64_t>(start - here.starts.begin()) * kStartEvery;
    const std::vector<IdRun>* below = level < whole_->depth() ? &levels_[level + 1].by_id : nullptr;
    const IdRun* near = nullptr;  // most children follow each other
    const auto number_of = [&](uint32_t id) {
      if (near == nullptr || id < near->id || id >= near->id + near->nodes)
        near = &*(std::ranges::upper_bound(*below, id, {}, &IdRun::id) - 1);
      return static_cast<uint32_t>(near->number + (id - near->id));
    };
    uint64_t word = *start;
    const uint64_t end = first + to.size();
    for_ids(level, number, here.nodes, [&](uint64_t id) {
      const uint32_t* words = node(level, id);
      const uint64_t size = size_of(level, words);
      for (uint64_t at = std::max(word, first); at < std::min(word + size, end); ++at) {
        const uint64_t i = at - word;
        to[at - first] = i == 0 || below == nullptr ? words[i] : number_of(words[i]);
      }
      word += size;
      return word < end;
    });
  }

  std::shared_ptr<const FrozenDag> whole_;
  std::vector<GraftedLevel> levels_;
  CutCubes cut_;
  std::vector<uint64_t> seen_;  // a bit for each id of a level
};

}  // namespace

// The part may take a quarter of the memory, of which digests take an eighth.
constexpr uint64_t kMostOfPart = 2;

static VoxelRegion regions_of_cubes(const VoxelRegion& boxes, uint32_t side) {
  VoxelRegion region;
  for (const VoxelBox& box : boxes) region.push_back(box_of_cubes(box, side));
  return region;
}

Graft::Graft(std::shared_ptr<const FrozenDag> whole, const VoxelRegion& boxes, uint64_t memory)
    : whole_(std::move(whole)),
      region_(regions_of_cubes(boxes, whole_->side())),
      memory_(memory),
      part_(clipped(*whole_, region_, memory > UINT64_MAX / kMostOfPart ? UINT64_MAX : kMostOfPart * memory)),
      beside_(children_from(Origin::Whole, find_cut_cubes(*whole_, part_, part_, region_))) {}

FrozenDag Graft::with(const FrozenDag& part) const {
  constexpr uint64_t kLeastBudget = 8 << 20, kMostBudget = 32 << 20;
  if (overlap(cube_at({0, 0, 0}, whole_->side()), region_) == Overlap::Whole) return part;
  const auto grafted = std::make_shared<Grafted>(whole_, part_, part, region_);
  FrozenDag result = empty_dag(whole_->resolution, whole_->materials);
  if (grafted->root().id == kNoNode) return result;
  if (digests_beside_.empty()) digests_beside_ = digests_of(*whole_, beside_, memory_);
  result.voxels = whole_->voxels - part_.voxels + part.voxels;
  grafted->find_digests(beside_, digests_beside_, part);
  result.digest = scene_digest(result.resolution, result.depth(), result.materials, &grafted->root().digest);
  std::vector<uint64_t> svo_nodes(result.levels.size());
  for (size_t level = 0; level < svo_nodes.size(); ++level) {
    svo_nodes[level] =
        whole_->levels[level].svo_nodes - part_.levels[level].svo_nodes + part.levels[level].svo_nodes;
    // A cut cube has been counted in the whole, and in the part before and after the edits.
    for (const CutCube& cube : grafted->cut()[level])
      svo_nodes[level] += uint64_t{cube.id != kNoNode} - uint64_t{cube.whole != kNoNode} +
                          uint64_t{cube.before != kNoNode} - uint64_t{cube.after != kNoNode};
  }
  grafted->bring_into_order();
  const auto budget = std::make_shared<PagedBudget>(std::clamp(memory_, kLeastBudget, kMostBudget));
  for (uint32_t level = 0; level < result.levels.size(); ++level) {
    FiledLevel source = grafted->filed_level(level, grafted);
    source.svo_nodes = svo_nodes[level];
    result.levels[level] = paged_level(std::move(source), budget);
  }
  result.paged = true;
  return result;
}

}  // namespace vox::dag
