// Finds nodes that become each other, by fingerprints of their voxels.
//
// The fingerprint of a set of voxels is the sum of a^x · b^y · c^z over all voxels, modulo the prime 2^61 − 1, for bases a, b
// and c without a pattern; two of them with different bases are used together. Moving the voxels multiplies it by a power
// of each base, so that it can be normalized as if the voxels touched the cube's lower faces. The fingerprint of a
// node follows from those of its children. For the images under a symmetry, it follows from those of the children's images.
#include "libvox/measure/compression.h"

#include <tbb/parallel_sort.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <tuple>
#include <utility>

#include "libvox/base/bits.h"
#include "libvox/base/loops.h"
#include "libvox/base/morton.h"
#include "libvox/base/progress.h"
#include "libvox/base/symmetry.h"
#include "libvox/dag/node.h"

namespace vox::measure {
namespace {

constexpr uint64_t kPrime = (uint64_t{1} << 61) - 1;
constexpr uint32_t kUnset = UINT32_MAX;

uint64_t product(uint64_t a, uint64_t b) {
  const auto wide = static_cast<unsigned __int128>(a) * b;
  const uint64_t sum = static_cast<uint64_t>(wide & kPrime) + static_cast<uint64_t>(wide >> 61);
  return sum >= kPrime ? sum - kPrime : sum;
}

uint64_t sum_of(uint64_t a, uint64_t b) {
  return a + b >= kPrime ? a + b - kPrime : a + b;
}

uint64_t power(uint64_t base, uint64_t exponent) {
  uint64_t result = 1;
  for (; exponent > 0; exponent >>= 1, base = product(base, base))
    if (exponent & 1) result = product(result, base);
  return result;
}

struct Fingerprint {
  std::array<uint64_t, 2> parts = {};

  void add(const Fingerprint& other) {
    for (size_t i = 0; i < 2; ++i) parts[i] = sum_of(parts[i], other.parts[i]);
  }
  void add(const Fingerprint& other, const Fingerprint& factor) {
    for (size_t i = 0; i < 2; ++i) parts[i] = sum_of(parts[i], product(other.parts[i], factor.parts[i]));
  }
  Fingerprint times(const Fingerprint& factor) const {
    return {{product(parts[0], factor.parts[0]), product(parts[1], factor.parts[1])}};
  }
  friend bool operator==(const Fingerprint&, const Fingerprint&) = default;
};

// Powers of one axis's bases for exponents below 2^20.
class Powers {
 public:
  explicit Powers(const Fingerprint& base) {
    const Fingerprint step = {{power(base.parts[0], kLow), power(base.parts[1], kLow)}};
    low_[0] = high_[0] = {{1, 1}};
    for (size_t i = 1; i < kLow; ++i) {
      low_[i] = low_[i - 1].times(base);
      high_[i] = high_[i - 1].times(step);
    }
  }
  Fingerprint operator[](uint32_t exponent) const {
    if (exponent < kLow) return low_[exponent];
    return high_[exponent / kLow].times(low_[exponent % kLow]);
  }

 private:
  static constexpr uint32_t kLow = 1 << 10;
  std::array<Fingerprint, kLow> low_, high_;
};

class AxisPowers {
 public:
  AxisPowers() {
    for (uint64_t axis = 0; axis < 3; ++axis) {
      Fingerprint base, inverse;
      for (size_t i = 0; i < 2; ++i) {
        base.parts[i] = mix64(2 * axis + i + 1) % (kPrime - 2) + 2;
        inverse.parts[i] = power(base.parts[i], kPrime - 2);
      }
      up_.emplace_back(base);
      down_.emplace_back(inverse);
    }
  }
  Fingerprint moved_up(const Vec3<uint32_t>& by) const { return all(up_, by); }
  Fingerprint moved_down(const Vec3<uint32_t>& by) const { return all(down_, by); }

 private:
  static Fingerprint all(const std::vector<Powers>& powers, const Vec3<uint32_t>& by) {
    return powers[0][by.x].times(powers[1][by.y]).times(powers[2][by.z]);
  }
  std::vector<Powers> up_, down_;
};

using Corner = Vec3<uint32_t>;

// The smallest box around a node's voxels, within its cube.
struct NodeBox {
  Corner min = {UINT32_MAX, UINT32_MAX, UINT32_MAX}, end = {0, 0, 0};

  // Returns the lower corner of the box after a symmetry of the cube.
  Corner moved_min(uint32_t symmetry, uint32_t side) const {
    Corner moved;
    for (uint32_t axis = 0; axis < 3; ++axis) {
      const uint32_t to = kAxisPermutations[symmetry / kMirrors][axis];
      moved[to] = (symmetry % kMirrors >> to & 1) != 0 ? side - end[axis] : min[axis];
    }
    return moved;
  }
};

// Returns the distance that a symmetry makes of this one.
Int3 turned(uint32_t symmetry, const Int3& distance) {
  Int3 moved;
  for (uint32_t axis = 0; axis < 3; ++axis) {
    const uint32_t to = kAxisPermutations[symmetry / kMirrors][axis];
    moved[to] = (symmetry % kMirrors >> to & 1) != 0 ? -distance[axis] : distance[axis];
  }
  return moved;
}

// The least normalized fingerprint of a node's images, and the symmetries that lead to it.
struct NodeForm {
  Fingerprint least = {{UINT64_MAX, UINT64_MAX}};
  uint64_t symmetries = 0;
};

class TransformFinder {
 public:
  explicit TransformFinder(const dag::FrozenDag& geometry)
      : geometry_(geometry), boxes_(geometry.levels.size()), forms_(geometry.levels.size()) {}

  TransformDag find() {
    TransformDag result;
    result.levels.resize(geometry_.levels.size());
    if (geometry_.empty()) return result;
    find_boxes();
    find_forms();
    std::vector<std::vector<uint32_t>> first(geometry_.levels.size());
    for (size_t level = 0; level < first.size(); ++level)
      std::tie(first[level], result.levels[level].distinct) = first_equals(forms_[level]);
    store(first, result);
    return result;
  }

 private:
  static constexpr uint64_t kNodesAtOnce = 1 << 16;

  // Calls f(number) for all nodes of a level on all cores.
  template <class F>
  void for_each_node(uint32_t level, const F& f) const {
    const uint64_t n = geometry_.levels[level].nodes;
    for (uint64_t begin = 0; begin < n; begin += kNodesAtOnce) {
      throw_if_cancelled();
      parallel_for(begin, std::min(n, begin + kNodesAtOnce), f);
    }
  }

  // Calls f(octant, child) for the children of a node.
  template <class F>
  static void for_each_child(const uint32_t* node, const F& f) {
    const uint32_t* pointer = node + 1;
    for (uint32_t octants = dag::child_mask(node[0]); octants != 0; octants &= octants - 1)
      f(static_cast<uint32_t>(lowest_bit(octants)), *pointer++);
  }

  void find_boxes() {
    for (uint32_t level = geometry_.depth() + 1; level-- > 0;) {
      boxes_[level].resize(geometry_.levels[level].nodes);
      for_each_node(level, [&](uint64_t number) {
        const uint32_t* const node = geometry_.levels[level].node(number);
        NodeBox box;
        const auto add = [&](uint32_t axis, uint32_t min, uint32_t end) {
          box.min[axis] = std::min(box.min[axis], min);
          box.end[axis] = std::max(box.end[axis], end);
        };
        if (level == geometry_.depth()) {
          const VoxelBox voxels = dag::leaf_bounds(dag::leaf_mask(node));
          for (uint32_t axis = 0; axis < 3; ++axis)
            add(axis, static_cast<uint32_t>(voxels.min[axis]), static_cast<uint32_t>(voxels.max[axis]));
        } else {
          const uint32_t half = geometry_.level_side(level + 1);
          for_each_child(node, [&](uint32_t octant, uint32_t child) {
            const NodeBox& below = boxes_[level + 1][child];
            for (uint32_t axis = 0; axis < 3; ++axis) {
              const uint32_t corner = (octant >> axis & 1) * half;
              add(axis, corner + below.min[axis], corner + below.end[axis]);
            }
          });
        }
        boxes_[level][number] = box;
      });
    }
  }

  void find_forms() {
    for (size_t level = 0; level < forms_.size(); ++level)
      forms_[level].resize(geometry_.levels[level].nodes);
    Progress progress("finding equal nodes", kSymmetries);
    for (uint32_t symmetry = 0; symmetry < kSymmetries; ++symmetry) {
      std::vector<Fingerprint> below;
      for (uint32_t level = geometry_.depth() + 1; level-- > 0;) {
        std::vector<Fingerprint> here = fingerprints(level, symmetry, below);
        const uint32_t side = geometry_.level_side(level);
        for_each_node(level, [&](uint64_t number) {
          const Fingerprint normalized =
              here[number].times(powers_.moved_down(boxes_[level][number].moved_min(symmetry, side)));
          NodeForm& form = forms_[level][number];
          if (normalized.parts < form.least.parts) form = {normalized, 0};
          if (normalized == form.least) form.symmetries |= uint64_t{1} << symmetry;
        });
        below = std::move(here);
      }
      progress.update(symmetry + 1, "");
    }
  }

  // The fingerprints of the images of a level's nodes under a symmetry.
  std::vector<Fingerprint> fingerprints(uint32_t level, uint32_t symmetry,
                                        const std::vector<Fingerprint>& below) const {
    std::vector<Fingerprint> here(geometry_.levels[level].nodes);
    if (level == geometry_.depth()) {
      for_each_node(level, [&](uint64_t number) {
        uint64_t mask = turned_voxels(dag::leaf_mask(geometry_.levels[level].node(number)), symmetry);
        for (size_t block = 0; block < kBlocks; ++block, mask >>= 8)
          here[number].add(blocks_[block][mask & 0xff]);
      });
      return here;
    }
    std::array<Fingerprint, 8> weights;  // of the octant that a child comes from
    const uint32_t half = geometry_.level_side(level + 1);
    for (uint32_t octant = 0; octant < 8; ++octant) {
      const uint32_t to = moved_octant(symmetry, octant);
      weights[octant] = powers_.moved_up({(to & 1) * half, (to >> 1 & 1) * half, (to >> 2) * half});
    }
    for_each_node(level, [&](uint64_t number) {
      for_each_child(geometry_.levels[level].node(number), [&](uint32_t octant, uint32_t child) {
        here[number].add(below[child], weights[octant]);
      });
    });
    return here;
  }

  // The fingerprints of each block of 2³ voxels of a leaf, for all of its masks.
  static constexpr size_t kBlocks = 8;
  using BlockFingerprints = std::array<std::array<Fingerprint, 256>, kBlocks>;

  BlockFingerprints block_fingerprints() const {
    BlockFingerprints blocks = {};
    for (uint32_t block = 0; block < kBlocks; ++block)
      for (uint32_t mask = 1; mask < 256; ++mask) {
        const auto voxel = static_cast<uint32_t>(lowest_bit(mask));
        Corner place;
        for (uint32_t axis = 0; axis < 3; ++axis) place[axis] = 2 * (block >> axis & 1) + (voxel >> axis & 1);
        blocks[block][mask] = blocks[block][mask & (mask - 1)];
        blocks[block][mask].add(powers_.moved_up(place));
      }
    return blocks;
  }

  // Returns for each node the first one that is equal, and the number of these.
  static std::pair<std::vector<uint32_t>, uint64_t> first_equals(const std::vector<NodeForm>& forms) {
    std::vector<uint32_t> order(forms.size()), first(forms.size());
    std::iota(order.begin(), order.end(), 0u);
    tbb::parallel_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
      const auto &one = forms[a].least.parts, &other = forms[b].least.parts;
      return one != other ? one < other : a < b;
    });
    uint64_t distinct = 0;
    for (size_t i = 0; i < order.size(); ++i) {
      const bool is_new = i == 0 || !(forms[order[i]].least == forms[order[i - 1]].least);
      distinct += is_new;
      first[order[i]] = is_new ? order[i] : first[order[i - 1]];
    }
    return {std::move(first), distinct};
  }

  // Stores the nodes that a walk from the root meets if it goes on from the first equal node of each.
  void store(const std::vector<std::vector<uint32_t>>& first, TransformDag& result) const {
    std::vector<uint32_t> here = {0};  // the nodes of a level that are stored
    for (uint32_t level = 0; level <= geometry_.depth(); ++level) {
      throw_if_cancelled();
      TransformLevel& stored = result.levels[level];
      if (level == geometry_.depth()) {
        for (const uint32_t number : here)
          stored.masks.push_back(dag::leaf_mask(geometry_.levels[level].node(number)));
        return;
      }
      std::vector<uint32_t> below, numbers(geometry_.levels[level + 1].nodes, kUnset);
      for (const uint32_t number : here) {
        const uint32_t* const node = geometry_.levels[level].node(number);
        stored.masks.push_back(dag::child_mask(node[0]));
        for_each_child(node, [&](uint32_t, uint32_t child) {
          const uint32_t to = first[level + 1][child];
          if (numbers[to] == kUnset) {
            numbers[to] = static_cast<uint32_t>(below.size());
            below.push_back(to);
          }
          stored.children.push_back(transform(level + 1, to, child));
          stored.children.back().node = numbers[to];
        });
      }
      here = std::move(below);
    }
  }

  // The transform that makes the node `to` of the equal node `from`. Of several, one without a move, and then the least.
  MovedChild transform(uint32_t level, uint32_t from, uint32_t to) const {
    const uint32_t side = geometry_.level_side(level);
    const auto start = static_cast<uint32_t>(lowest_bit(forms_[level][from].symmetries));
    const Corner begin = boxes_[level][from].moved_min(start, side);
    MovedChild best;
    bool is_first = true;
    for (uint64_t left = forms_[level][to].symmetries; left != 0; left &= left - 1) {
      const auto end = static_cast<uint32_t>(lowest_bit(left));
      const Corner corner = boxes_[level][to].moved_min(end, side);
      Int3 distance;
      for (uint32_t axis = 0; axis < 3; ++axis)
        distance[axis] = static_cast<int32_t>(corner[axis]) - static_cast<int32_t>(begin[axis]);
      const uint32_t back = kSymmetryTables.inverses[end];
      const MovedChild found = {0, kSymmetryTables.products[back][start], turned(back, distance)};
      const auto key = [](const MovedChild& child) {
        const Int3& move = child.move;
        return std::tuple(move != Int3{0, 0, 0}, child.symmetry, move.x, move.y, move.z);
      };
      if (is_first || key(found) < key(best)) best = found;
      is_first = false;
    }
    return best;
  }

  const dag::FrozenDag& geometry_;
  const AxisPowers powers_;
  const BlockFingerprints blocks_ = block_fingerprints();
  std::vector<std::vector<NodeBox>> boxes_;
  std::vector<std::vector<NodeForm>> forms_;
};

}  // namespace

TransformDag transform_dag(const dag::FrozenDag& geometry) {
  return TransformFinder(geometry).find();
}

}  // namespace vox::measure
