
#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "libvox/base/bits.h"
#include "libvox/base/error.h"
#include "libvox/base/loops.h"
#include "libvox/base/morton.h"
#include "libvox/base/progress.h"
#include "libvox/dag/node.h"
#include "libvox/dag/walk.h"
#include "libvox/voxelize/inside.h"
#include "libvox/voxelize/joined_sets.h"
#include "libvox/voxelize/lattice.h"

namespace vox::voxelize {
namespace {

constexpr uint32_t kBlockSide = dag::kLeafSide << InsideNodes::kRunHeight;
constexpr uint32_t kOutside = 0;
constexpr uint32_t kNoRegion = UINT32_MAX;
constexpr size_t kBatch = 256;  // blocks between two looks at an interrupt

// Voxels of a face of a block that lie in one region, one behind the other.
struct FaceRun {
  uint16_t region;          // 2 B, among those of the block that touch faces
  uint8_t row, begin, end;  // 3 B
};

// The runs on the six faces of a block: 2 k is the lower face along axis k, and 2 k + 1 the upper one.
struct BlockFaces {
  std::array<uint32_t, 7> starts = {};
  std::vector<FaceRun> runs;
  uint32_t regions = 0, first = 0;  // its regions have the numbers from `first` on

  std::span<const FaceRun> of(uint32_t face) const {
    return std::span(runs).subspan(starts[face], starts[face + 1] - starts[face]);
  }
};

// A row of bits along x for each y and z.
using BlockBits = std::vector<uint64_t>;

// The empty voxels of a block and their regions.
class BlockRegions {
 public:
  // `side` is that of the block: less than 64 if the scene is smaller.
  BlockRegions(const BlockBits& filled, uint32_t side) : side_(side), starts_(side * side + 1) {
    const uint64_t all = side == 64 ? UINT64_MAX : (uint64_t{1} << side) - 1;
    for (uint32_t row = 0; row < side * side; ++row) {
      starts_[row] = static_cast<uint32_t>(runs_.size());
      for (uint64_t rest = ~filled[row] & all; rest != 0;) {
        const auto begin = static_cast<uint32_t>(lowest_bit(rest));
        const uint64_t from = rest >> begin;
        const auto length = from == UINT64_MAX ? 64 : static_cast<uint32_t>(lowest_bit(~from));
        runs_.push_back({begin, begin + length});
        rest = begin + length == 64 ? 0 : rest >> (begin + length) << (begin + length);
      }
    }
    starts_.back() = static_cast<uint32_t>(runs_.size());
    joined_ = JoinedSets(runs_.size());
    for (uint32_t row = 0; row < side * side; ++row) {
      if (row % side + 1 < side) join_rows(row, row + 1);
      if (row / side + 1 < side) join_rows(row, row + side);
    }
    joined_.finish();
    number_faces();
  }

  BlockFaces take_faces() { return std::move(faces_); }

  // Returns the voxels in regions that touch no face, or for which is_inside(number of the region in the block) is true.
  template <class IsInside>
  BlockBits inside(const IsInside& is_inside) const {
    BlockBits bits(side_ * side_);
    for (uint32_t row = 0; row < side_ * side_; ++row)
      for (uint32_t i = starts_[row]; i < starts_[row + 1]; ++i) {
        const uint32_t region = numbers_[joined_[i]];
        if (region != kNoRegion && !is_inside(region)) continue;
        const uint32_t length = runs_[i].end - runs_[i].begin;
        bits[row] |= (length == 64 ? UINT64_MAX : (uint64_t{1} << length) - 1) << runs_[i].begin;
      }
    return bits;
  }

 private:
  struct Run {
    uint32_t begin, end;
  };

  void join_rows(uint32_t a, uint32_t b) {
    for (uint32_t i = starts_[a], k = starts_[b]; i < starts_[a + 1] && k < starts_[b + 1];) {
      if (runs_[i].begin < runs_[k].end && runs_[k].begin < runs_[i].end) joined_.join(i, k);
      runs_[i].end <= runs_[k].end ? ++i : ++k;
    }
  }

  void number_faces() {
    numbers_.assign(runs_.size(), kNoRegion);
    const uint32_t last = side_ - 1;
    for (const uint32_t x : {0u, last}) add_face_along_x(x);
    for (const uint32_t y : {0u, last}) add_face([&](uint32_t z) { return y + side_ * z; });
    for (const uint32_t z : {0u, last}) add_face([&](uint32_t y) { return y + side_ * z; });
    faces_.runs.shrink_to_fit();
  }
  uint16_t number(uint32_t run) {
    uint32_t& number = numbers_[joined_[run]];
    if (number == kNoRegion) number = faces_.regions++;
    return static_cast<uint16_t>(number);  // a face has at most 2048 regions
  }
  void end_face() { faces_.starts[++face_] = static_cast<uint32_t>(faces_.runs.size()); }
  template <class RowOf>
  void add_face(const RowOf& row_of) {
    for (uint32_t row = 0; row < side_; ++row)
      for (uint32_t i = starts_[row_of(row)]; i < starts_[row_of(row) + 1]; ++i)
        faces_.runs.push_back({number(i), static_cast<uint8_t>(row), static_cast<uint8_t>(runs_[i].begin),
                               static_cast<uint8_t>(runs_[i].end)});
    end_face();
  }
  // On this face the runs go along y.
  void add_face_along_x(uint32_t x) {
    for (uint32_t z = 0; z < side_; ++z)
      for (uint32_t y = 0; y < side_; ++y) {
        const uint32_t row = y + side_ * z;
        if (starts_[row] == starts_[row + 1]) continue;
        const uint32_t i = x == 0 ? starts_[row] : starts_[row + 1] - 1;
        if (x == 0 ? runs_[i].begin != 0 : runs_[i].end != side_) continue;
        const uint16_t region = number(i);
        const bool goes_on = !faces_.runs.empty() && faces_.runs.size() > faces_.starts[face_] &&
                             faces_.runs.back().row == z && faces_.runs.back().end == y &&
                             faces_.runs.back().region == region;
        if (goes_on)
          ++faces_.runs.back().end;
        else
          faces_.runs.push_back(
              {region, static_cast<uint8_t>(z), static_cast<uint8_t>(y), static_cast<uint8_t>(y + 1)});
      }
    end_face();
  }

  uint32_t side_;
  std::vector<uint32_t> starts_;  // of each row, the place of its first run
  std::vector<Run> runs_;         // of empty voxels
  JoinedSets joined_;             // runs, as regions
  std::vector<uint32_t> numbers_;
  BlockFaces faces_;
  uint32_t face_ = 0;
};

// A part of space: a block with some of the surface, an empty node or one that is full.
struct SpacePart {
  enum class Kind : uint8_t { Block, Empty, Full };
  uint64_t key;     // of its first block
  uint32_t number;  // of the block's node in the DAG, of the region, or the material of a full node
  uint8_t height;   // above the leaves
  Kind kind;
  uint32_t block = 0;  // the place of its faces
};

class Flood {
 public:
  Flood(const dag::FrozenDag& dag, uint8_t material, uint64_t memory_limit)
      : dag_(dag),
        material_(material),
        run_height_(InsideNodes::run_height(dag)),
        side_(dag::kLeafSide << run_height_),
        memory_limit_(memory_limit) {}

  // Finds out what the outside reaches. Returns true if there is anything inside.
  bool run() {
    divide(0, 0, 0);
    blocks_.resize(block_count_);
    std::vector<uint8_t> encloses(block_count_);
    for_blocks("finding regions of blocks", [&](const SpacePart& part) {
      BlockRegions regions(filled_of(part), side_);
      encloses[part.block] = has_bits(regions.inside([](uint32_t) { return false; })) ? 1 : 0;
      blocks_[part.block] = regions.take_faces();
    });
    uint64_t regions = empty_nodes_ + 1;
    for (BlockFaces& block : blocks_) {
      block.first = static_cast<uint32_t>(regions);
      regions += block.regions;
      if (regions > UINT32_MAX)
        throw Error("the empty space has more than 2^32 regions, and a flood through it is too large");
    }
    joined_ = JoinedSets(regions);
    for (const SpacePart& part : parts_)
      for (uint32_t face = 0; face < 6; ++face) join_at(part, face);
    bool is_any = std::ranges::find(encloses, 1) != encloses.end();
    joined_.finish();
    for (uint32_t i = 0; i < joined_.size(); ++i) is_any |= joined_[i] != kOutside;
    return is_any;
  }

  dag::FrozenDag filled() const {
    InsideNodes nodes(dag_, memory_limit_);
    std::vector<NodeRun> runs;
    for (size_t begin = 0, end = 0; begin < parts_.size(); begin = end) {
      throw_if_cancelled();
      end = std::min(begin + kBatch, parts_.size());
      runs.assign(end - begin, {});
      for (size_t i = begin; i < end; ++i) {
        const SpacePart& part = parts_[i];
        if (part.kind == SpacePart::Kind::Block || part.height == run_height_) continue;
        const uint64_t key = part.key >> 3 * (part.height - run_height_);
        if (const int content = content_of(part); content >= 0)
          nodes.add_large(part.height, {key, kFullNode, static_cast<uint32_t>(content)});
      }
      parallel_for(begin, end, [&](size_t i) { make(parts_[i], runs[i - begin]); });
      nodes.add(runs);
    }
    return nodes.finish();
  }

 private:
  static bool has_bits(const BlockBits& bits) {
    return std::ranges::any_of(bits, [](uint64_t row) { return row != 0; });
  }

  void divide(uint32_t level, uint32_t number, uint64_t key) {
    const uint32_t height = dag_.depth() - level;
    const uint32_t* const node = dag_.levels[level].node(number);
    const auto start = [&](uint64_t at, uint32_t h) { return at << 3 * (h - run_height_); };
    if (height == run_height_) {
      parts_.push_back({key, number, static_cast<uint8_t>(height), SpacePart::Kind::Block, block_count_++});
      return;
    }
    if (dag::is_homogeneous(node[0])) {
      parts_.push_back({start(key, height), dag::homogeneous_material(node[0]), static_cast<uint8_t>(height),
                        SpacePart::Kind::Full});
      return;
    }
    for (uint32_t octant = 0; octant < 8; ++octant) {
      const uint64_t child = key << 3 | octant;
      if ((node[0] >> octant & 1) != 0)
        divide(level + 1, node[dag::child_word(node[0], octant)], child);
      else
        parts_.push_back({start(child, height - 1), ++empty_nodes_, static_cast<uint8_t>(height - 1),
                          SpacePart::Kind::Empty});
    }
  }

  template <class Body>
  void for_blocks(const char* what, const Body& body) const {
    Progress progress(what, parts_.size());
    for (size_t begin = 0, end = 0; begin < parts_.size(); begin = end) {
      throw_if_cancelled();
      end = std::min(begin + kBatch, parts_.size());
      parallel_for(begin, end, [&](size_t i) {
        if (parts_[i].kind == SpacePart::Kind::Block) body(parts_[i]);
      });
      progress.update(end, "");
    }
  }

  BlockBits filled_of(const SpacePart& part) const {
    BlockBits bits(side_ * side_);
    fill(dag_.depth() - part.height, part.number, {0, 0, 0}, bits);
    return bits;
  }
  void fill(uint32_t level, uint32_t number, Int3 corner, BlockBits& bits) const {
    const uint32_t* const node = dag_.levels[level].node(number);
    if (level == dag_.depth()) {
      const uint64_t rows = lattice::morton_to_rows(dag::leaf_mask(node));
      for (uint32_t row = 0; row < 16; ++row) bits[row_at(corner, row)] |= (rows >> 4 * row & 15) << corner.x;
      return;
    }
    const auto half = static_cast<int32_t>(dag_.level_side(level + 1));
    dag::visit_children(node, [&](uint32_t octant, uint32_t child) {
      fill(level + 1, child, corner + octant_corner(octant, half), bits);
    });
  }
  // Returns the place of a leaf's row in a block.
  size_t row_at(Int3 corner, uint32_t row) const {
    return static_cast<uint32_t>(corner.y) + row % 4 + side_ * (static_cast<uint32_t>(corner.z) + row / 4);
  }

  // Joins a part with its neighbor at a face, if that is as large or larger: smaller ones join it themselves.
  void join_at(const SpacePart& part, uint32_t face) {
    if (part.kind == SpacePart::Kind::Full) return;
    const uint32_t axis = face / 2;
    const bool is_upper = face % 2 != 0;
    const auto blocks = static_cast<int32_t>(1u << (part.height - run_height_)),
               end = static_cast<int32_t>(1u << (dag_.depth() - run_height_));
    Int3 at = morton_decode(part.key);
    at[axis] += is_upper ? blocks : -blocks;
    if (at[axis] < 0 || at[axis] >= end) return join_all(part, face, kOutside);
    const uint64_t key =
        morton_encode(static_cast<uint32_t>(at.x), static_cast<uint32_t>(at.y), static_cast<uint32_t>(at.z));
    const SpacePart& other = *(std::ranges::upper_bound(parts_, key, {}, &SpacePart::key) - 1);
    if (other.kind == SpacePart::Kind::Full || other.height < part.height) return;
    if (other.height == part.height && !is_upper) return;
    if (other.kind == SpacePart::Kind::Empty)
      join_all(part, face, other.number);
    else if (part.kind == SpacePart::Kind::Empty)
      join_all(other, face ^ 1, part.number);
    else
      join_faces(part, other, face);
  }
  void join_all(const SpacePart& part, uint32_t face, uint32_t region) {
    if (part.kind == SpacePart::Kind::Empty) return joined_.join(part.number, region);
    const BlockFaces& block = blocks_[part.block];
    for (const FaceRun& run : block.of(face)) joined_.join(block.first + run.region, region);
  }
  void join_faces(const SpacePart& part, const SpacePart& other, uint32_t face) {
    const BlockFaces &one = blocks_[part.block], &two = blocks_[other.block];
    const std::span<const FaceRun> a = one.of(face), b = two.of(face ^ 1);
    for (size_t i = 0, k = 0; i < a.size() && k < b.size();) {
      if (a[i].row == b[k].row && a[i].begin < b[k].end && b[k].begin < a[i].end)
        joined_.join(one.first + a[i].region, two.first + b[k].region);
      std::pair(a[i].row, a[i].end) <= std::pair(b[k].row, b[k].end) ? ++i : ++k;
    }
  }

  // Returns the material of a part that is no block, or -1 if it is empty.
  int content_of(const SpacePart& part) const {
    if (part.kind == SpacePart::Kind::Full) return static_cast<int>(part.number);
    return joined_[part.number] != kOutside ? material_ : -1;
  }

  void make(const SpacePart& part, NodeRun& run) const {
    if (part.kind == SpacePart::Kind::Block) {
      const BlockFaces& block = blocks_[part.block];
      const BlockBits inside = BlockRegions(filled_of(part), side_).inside([&](uint32_t region) {
        return joined_[block.first + region] != kOutside;
      });
      make_node(dag_.depth() - part.height, part.number, part.key, {0, 0, 0}, inside, run);
    } else if (part.height == run_height_) {
      if (const int content = content_of(part); content >= 0)
        run.wholes[run_height_].push_back({part.key, kFullNode, static_cast<uint32_t>(content)});
    }
  }

  void make_node(uint32_t level, uint32_t number, uint64_t key, Int3 corner, const BlockBits& inside,
                 NodeRun& run) const {
    const uint32_t* const node = dag_.levels[level].node(number);
    if (level == dag_.depth()) return make_leaf(node, key, corner, inside, run);
    const auto half = static_cast<int32_t>(dag_.level_side(level + 1));
    for (uint32_t octant = 0; octant < 8; ++octant) {
      const uint64_t child = key << 3 | octant;
      const Int3 at = corner + octant_corner(octant, half);
      if ((node[0] >> octant & 1) != 0)
        make_node(level + 1, node[dag::child_word(node[0], octant)], child, at, inside, run);
      else if ((inside[row_at(at, 0)] >> at.x & 1) != 0)  // an empty cube lies in one region
        run.wholes[dag_.depth() - level - 1].push_back({child, kFullNode, material_});
    }
  }

  void make_leaf(const uint32_t* leaf, uint64_t key, Int3 corner, const BlockBits& inside,
                 NodeRun& run) const {
    uint64_t rows = 0;
    for (uint32_t row = 0; row < 16; ++row) rows |= (inside[row_at(corner, row)] >> corner.x & 15) << 4 * row;
    const uint64_t old = dag::leaf_mask(leaf);
    std::array<uint32_t, hash::kMaxItemWords> words = {};
    dag::LeafWriter writer(words.data(), dag_.materials);
    uint32_t rank = 0;
    dag::visit_bits(old | lattice::rows_to_morton(rows), [&](uint32_t bit) {
      const bool was = (old >> bit & 1) != 0;
      writer.put(bit, !was || !dag_.materials ? material_ : dag::ranked_material(leaf + 2, rank));
      rank += was ? 1 : 0;
    });
    run.add_leaf(key, words.data(), writer.finish());
  }

  const dag::FrozenDag& dag_;
  const uint8_t material_;
  const uint32_t run_height_, side_;
  const uint64_t memory_limit_;
  std::vector<SpacePart> parts_;  // all of space, in Morton order
  std::vector<BlockFaces> blocks_;
  uint32_t block_count_ = 0, empty_nodes_ = 0;
  JoinedSets joined_;  // regions of blocks and empty nodes
};
static_assert(kBlockSide == 64, "a row of a block is a word");

}  // namespace

FloodedScene flooded(dag::FrozenDag surface, uint8_t material, uint64_t memory_limit) {
  FloodedScene result;
  if (!surface.empty()) {
    Flood flood(surface, material, memory_limit);
    if (flood.run()) {
      result.dag = flood.filled();
      result.filled = result.dag.voxels - surface.voxels;
      return result;
    }
  }
  result.dag = std::move(surface);
  return result;
}

}  // namespace vox::voxelize
