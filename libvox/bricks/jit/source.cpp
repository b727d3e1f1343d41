#include "libvox/bricks/jit/source.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <optional>
#include <queue>
#include <string_view>
#include <tuple>

#include "libvox/base/error.h"

namespace vox::bricks {
namespace {

// Compilers limit how deep conditions nest, and take long over functions with very many of them.
constexpr uint32_t kDeepest = 24, kTogether = 64;
constexpr uint32_t kEmpty = BrickTypes::kNumber<EmptyBrick>;

// The text of the access to a volume's bricks. Known sizes and types are constants in it.
constexpr std::string_view kText = R"(
namespace vox::bricks {{
namespace {{
using Bits = uint{entry_bits}_t;  // an entry as in the root grid
constexpr Bits kInRoot = ~Bits{{0}} >> kRootTypeBits;  // a place that is to be read there
struct JitBricks {{
  BricksRef bricks;
{branches}  {apart} VOX_HD static Bits entry(int x, int y, int z) {{
{tree}    return {empty};
  }}
  VOX_HD BricksRef known() const {{
    BricksRef b = bricks;
    b.size = {{{size_x}, {size_y}, {size_z}}};
    b.grid = {{{grid_x}, {grid_y}, {grid_z}}};
    b.shape = {{{log2_side}}};
    b.entry_words = {entry_words};
    b.place_log2 = {place_log2};
    b.groups.levels = {group_levels};
    b.groups.grid = {{{group_x}, {group_y}, {group_z}}};
    return b;
  }}
  VOX_HD Int3 place_of(Int3 v) const {{ return known().place_of(v); }}
  VOX_HD BricksRef::Entry find(Int3 p) const {{
    const BricksRef::Entry at = BricksRef::unpack(entry(p.x, p.y, p.z));
    if (at.place != kInRoot) return at;
    const BricksRef::Entry read = {read};
    return {{at.type == {mixed} ? read.type : at.type, read.place}};
  }}
  template <class T>
  VOX_HD T get(BricksRef::Entry at, Int3 v) const {{
    return known().get<T, {types:#x}>(at, v);
  }}
  template <class T>
  VOX_HD T get(Int3 v) const {{
    return get<T>(find(place_of(v)), v);
  }}
  template <class T>
  VOX_HD void corners(Int3 low, Int3 high, T* words) const {{
    corners_by<T, {types:#x}>(*this, known(), low, high, words);
  }}
}};
}}  // namespace
}}  // namespace vox::bricks
)";

class TreeWriter {
 public:
  TreeWriter(const FrozenBricks& bricks, const KdTree& tree, LeafPlaces places)
      : bricks_(bricks), access_(ref(bricks)), tree_(tree), places_(places) {}

  std::string text() {
    leaves_.assign(tree_.nodes.size(), 1);
    for (size_t i = tree_.nodes.size(); i-- > 0;)  // children come after their parents
      if (const KdNode node = tree_.nodes[i]; !node.is_leaf())
        leaves_[i] = leaves_[node.next] + leaves_[node.next + 1];
    const std::string body = branch(0, {{0, 0, 0}, tree_.grid}, 0);
    const Int3 grid = access_.grid, size = access_.size;
    return fmt::format(
        kText, fmt::arg("entry_bits", bricks_.entry_words * 32), fmt::arg("branches", functions_),
        fmt::arg("apart", keep_apart()), fmt::arg("tree", body), fmt::arg("empty", kEmpty),
        fmt::arg("size_x", size.x), fmt::arg("size_y", size.y), fmt::arg("size_z", size.z),
        fmt::arg("grid_x", grid.x), fmt::arg("grid_y", grid.y), fmt::arg("grid_z", grid.z),
        fmt::arg("log2_side", bricks_.log2_side), fmt::arg("entry_words", bricks_.entry_words),
        fmt::arg("place_log2", bricks_.place_log2), fmt::arg("group_levels", access_.groups.levels),
        fmt::arg("group_x", access_.groups.grid.x), fmt::arg("group_y", access_.groups.grid.y),
        fmt::arg("group_z", access_.groups.grid.z), fmt::arg("read", read()),
        fmt::arg("mixed", KdNode::kMixed), fmt::arg("types", types()));
  }

 private:
  // Returns the entry of brick p as it is read from the root, as text. 32 bits are enough for its index in a dense one,
  // because a tree has fewer than 2^32 bricks.
  std::string read() const {
    if (bricks_.is_sparse()) return "SparseRootRef{known()}.find(p)";
    return fmt::format("known().entry(static_cast<uint32_t>((p.z * {}u + p.y) * {}u + p.x))", access_.grid.y,
                       access_.grid.x);
  }

  // Returns the set of types that occur. A sparse root does not count the bricks that it leaves out, which are empty.
  uint32_t types() const {
    uint32_t set = bricks_.is_sparse() ? 1u << kEmpty : 0;
    for (uint32_t type = 0; type < kBrickTypeCount; ++type)
      if (bricks_.counts[type] > 0) set |= 1u << type;
    return set;
  }

  static bool empty(KdNode node) { return node.is_leaf() && node.next == kEmpty; }

  // Returns the text for one node of the tree. Empty regions fall through to the end of the function.
  std::string branch(uint32_t number, const VoxelBox& box, uint32_t depth) {
    const KdNode node = tree_.nodes[number];
    if (empty(node)) return "";
    if (node.is_leaf() && places_ == LeafPlaces::Code && box.voxels() > 1) return array_of_leaf(box);
    if (node.is_leaf()) return "    return " + leaf(box, node) + ";\n";
    if (depth == kDeepest) return function(number, box);
    const auto side = [&](uint32_t child, const VoxelBox& part) {
      const bool apart = leaves_[number] > kTogether && leaves_[child] <= kTogether && leaves_[child] > 1;
      return apart ? function(child, part) : branch(child, part, depth + 1);
    };
    const std::string low = side(node.next, low_side(box, node));
    const std::string high = side(node.next + 1, high_side(box, node));
    const char axis = "xyz"[node.axis()];
    if (low.empty() && high.empty()) return "";
    if (low.empty()) return fmt::format("    if ({} >= {}) {{\n{}    }}\n", axis, node.position(), high);
    if (high.empty()) return fmt::format("    if ({} < {}) {{\n{}    }}\n", axis, node.position(), low);
    return fmt::format("    if ({} < {}) {{\n{}    }} else {{\n{}    }}\n", axis, node.position(), low, high);
  }

  // Compilers optimize a small tree together with the loop that uses it, but take ever longer over large
  // trees.
  const char* keep_apart() const { return tree_.leaves > kTogether ? "VOX_JIT_APART" : ""; }

  std::string function(uint32_t number, const VoxelBox& box) {
    const std::string body = branch(number, box, 0);
    functions_ += fmt::format(
        "  VOX_JIT_APART VOX_HD static Bits branch{}(int x, int y, int z) {{\n{}    return {};\n  }}\n",
        number, body, kEmpty);
    return fmt::format("    return branch{}(x, y, z);\n", number);
  }

  std::string leaf(const VoxelBox& box, KdNode node) const {
    if (node.next != KdNode::kMixed && box.voxels() == 1) return fmt::format("{}u", entry(box.min));
    return fmt::format("kInRoot << kRootTypeBits | {}", node.next);
  }

  // Returns text that looks a brick's entry up in an array with those of all bricks of the leaf, x fastest.
  std::string array_of_leaf(const VoxelBox& box) const {
    std::string entries;
    for (uint64_t i = 0; i < box.voxels(); ++i)
      entries += fmt::format("{}{}u", i == 0 ? "" : ",", entry(volume::voxel_at(box, i)));
    const Int3 size = box.size(), low = box.min;
    return fmt::format(
        "    constexpr Bits places[] = {{{}}};\n    return places[((z - {}) * {} + y - {}) * {} + x - {}];\n",
        entries, low.z, size.y, low.y, size.x, low.x);
  }

  // Returns the entry of a brick as it stands in the root grid.
  uint64_t entry(Int3 brick) const {
    const auto [type, place] = access_.entry(access_.index(brick));
    return place << kRootTypeBits | type;
  }

  const FrozenBricks& bricks_;
  BricksRef access_;
  const KdTree& tree_;
  LeafPlaces places_;
  std::vector<uint32_t> leaves_;  // the number of leaves below each node
  std::string functions_;
};

// The first lines of the text, for both compilers.
constexpr const char* kPrologue = R"(
#ifdef __CUDACC_RTC__
#define VOX_JIT_APART __noinline__
#define VOX_JIT_ENTRY(loop, name, Body)                                                                 \
  extern "C" __global__ void __launch_bounds__(256)                                                      \
      name(vox::bricks::BricksRef bricks, vox::bricks::JitTask task, uint64_t n) {                       \
    const vox::bricks::Body<vox::bricks::JitBricks, vox::bricks::JitWord> body = {{bricks}, task};       \
    const uint64_t stride = uint64_t{gridDim.x} * blockDim.x;                                            \
    for (uint64_t i = uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += stride) body(i);      \
  }
#else
#define VOX_JIT_APART __attribute__((noinline))
#define VOX_JIT_ENTRY(loop, name, Body)                                                                 \
  extern "C" void name(const void* const* arguments, uint64_t i, uint64_t end) {                         \
    const vox::bricks::Body<vox::bricks::JitBricks, vox::bricks::JitWord> body = {                       \
        {*static_cast<const vox::bricks::BricksRef*>(arguments[0])}, *static_cast<const vox::bricks::JitTask*>(arguments[1])}; \
    for (; i < end; ++i) body(i);                                                                        \
  }
#endif
)";

}  // namespace

std::string jit_tree_text(const FrozenBricks& bricks, const KdTree& tree, LeafPlaces places) {
  if (places == LeafPlaces::Code && bricks.bricks() > kMostPlacesInCode)
    throw Error(fmt::format("the places of {} bricks are too many for the code, which may have {}",
                            bricks.bricks(), kMostPlacesInCode))
        .hint("use larger bricks");
  return TreeWriter(bricks, tree, places).text();
}

std::string jit_source(const FrozenBricks& bricks, const KdTree& tree, LeafPlaces places) {
  constexpr std::array<const char*, 5> kWord = {"", "uint8_t", "uint16_t", "", "uint32_t"};
  return fmt::format("{}{}{}namespace vox::bricks {{ using JitWord = {}; }}\nVOX_READ_LOOPS(VOX_JIT_ENTRY)\n",
                     kJitHeaders, kPrologue, jit_tree_text(bricks, tree, places),
                     kWord[volume::value_bytes(bricks.info.type)]);
}

namespace {

using Counts = std::array<uint32_t, kBrickTypeCount>;

int32_t& along(Int3& v, uint32_t axis) {
  return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}
int32_t along(const Int3& v, uint32_t axis) {
  return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

// Counts the bricks of each type in any box, in time that does not depend on the box. It keeps the sums over
// all boxes that begin at the grid's corner (summed-area tables), side by side for the types that occur.
class TypeSums {
 public:
  TypeSums(Int3 grid, const std::vector<uint8_t>& types) {
    std::array<bool, kBrickTypeCount> occurs = {};
    for (const uint8_t type : types) occurs[type] = true;
    for (uint32_t type = 0; type < kBrickTypeCount; ++type)
      if (occurs[type]) types_.push_back(type);
    std::array<size_t, kBrickTypeCount> column = {};
    for (size_t i = 0; i < types_.size(); ++i) column[types_[i]] = i;
    step_ = {types_.size(), types_.size() * static_cast<size_t>(grid.x + 1),
             types_.size() * static_cast<size_t>(grid.x + 1) * static_cast<size_t>(grid.y + 1)};
    sums_.resize(step_[2] * static_cast<size_t>(grid.z + 1));
    size_t brick = 0;
    for (Int3 at = {0, 0, 1}; at.z <= grid.z; ++at.z)
      for (at.y = 1; at.y <= grid.y; ++at.y)
        for (at.x = 1; at.x <= grid.x; ++at.x) ++sums_[index(at) + column[types[brick++]]];
    for (uint32_t axis = 0; axis < 3; ++axis) add_up(grid, axis);
  }

  Counts counts(const VoxelBox& box) const {
    Counts result = {};
    const auto add = [&](Int3 corner, uint32_t sign) {
      const uint32_t* sums = sums_.data() + index(corner);
      for (size_t i = 0; i < types_.size(); ++i) result[types_[i]] += sign * sums[i];
    };
    const auto& [low, high] = box;
    add(high, 1);
    add({low.x, high.y, high.z}, -1u);
    add({high.x, low.y, high.z}, -1u);
    add({high.x, high.y, low.z}, -1u);
    add({low.x, low.y, high.z}, 1);
    add({low.x, high.y, low.z}, 1);
    add({high.x, low.y, low.z}, 1);
    add(low, -1u);
    return result;
  }

 private:
  size_t index(Int3 at) const {
    return static_cast<size_t>(at.x) * step_[0] + static_cast<size_t>(at.y) * step_[1] +
           static_cast<size_t>(at.z) * step_[2];
  }

  void add_up(Int3 grid, uint32_t axis) {
    for (Int3 at = {0, 0, 1}; at.z <= grid.z; ++at.z)
      for (at.y = 1; at.y <= grid.y; ++at.y)
        for (at.x = 1; at.x <= grid.x; ++at.x)
          for (size_t i = 0; i < types_.size(); ++i)
            sums_[index(at) + i] += sums_[index(at) + i - step_[axis]];
  }

  std::vector<uint32_t> types_;
  std::array<size_t, 3> step_ = {};
  std::vector<uint32_t> sums_;
};

// Computes n log2 n. Small n are looked up in an array.
class CountLog {
 public:
  CountLog() : small_(1 << 16) {
    for (size_t n = 2; n < small_.size(); ++n) small_[n] = static_cast<double>(n) * std::log2(n);
  }
  double operator()(uint64_t n) const {
    return n < small_.size() ? small_[n] : static_cast<double>(n) * std::log2(n);
  }

 private:
  std::vector<double> small_;
};

class KdBuilder {
 public:
  KdBuilder(Int3 grid, const std::vector<uint8_t>& types, uint32_t most_leaves, KdSplit split)
      : sums_(grid, types), most_leaves_(most_leaves), split_(split) {
    tree_.grid = grid;
    tree_.leaves = 1;
    tree_.nodes.emplace_back();
    place(0, {{0, 0, 0}, grid});
  }

  KdTree build() {
    while (!open_.empty() && tree_.leaves < most_leaves_) {
      const Leaf leaf = open_.top();
      open_.pop();
      const KdNode split = {
          .split = split_ == KdSplit::Median ? median_split(leaf.box) : best_split(leaf.box),
          .next = static_cast<uint32_t>(tree_.nodes.size())};
      tree_.nodes[leaf.node] = split;
      tree_.nodes.resize(tree_.nodes.size() + 2);
      ++tree_.leaves;
      place(split.next, low_side(leaf.box, split));
      place(split.next + 1, high_side(leaf.box, split));
    }
    for (const KdNode node : tree_.nodes)
      tree_.mixed += node.is_leaf() && node.next == KdNode::kMixed ? 1 : 0;
    return std::move(tree_);
  }

 private:
  // A leaf that may be split. The one with the most to gain comes first.
  struct Leaf {
    double bits;
    uint32_t node;
    VoxelBox box;
    bool operator<(const Leaf& other) const {
      return std::tie(bits, other.node) < std::tie(other.bits, node);  // the older one of two equal ones
    }
  };

  // Returns the bits that the types of a box take: v E(S) of eq. 4.1, where v is the box's volume.
  double bits(const VoxelBox& box) const {
    double bits = count_log_(box.voxels());
    for (const uint32_t count : sums_.counts(box)) bits -= count_log_(count);
    return bits;
  }

  void place(uint32_t node, const VoxelBox& box) {
    const Counts counts = sums_.counts(box);
    uint32_t type = 0;
    while (type < kBrickTypeCount && counts[type] != box.voxels()) ++type;
    if (type < kBrickTypeCount) tree_.nodes[node].next = type;
    if (split_ == KdSplit::Median) {
      if (box.voxels() > 1) open_.push({static_cast<double>(box.voxels()), node, box});
    } else if (type == kBrickTypeCount) {
      open_.push({bits(box), node, box});
    }
  }

  // Returns the split at the middle of the axis whose two sides differ least in their number of bricks, or of the first of
  // several.
  static uint32_t median_split(const VoxelBox& box) {
    std::optional<uint32_t> best;
    uint64_t least = 0;
    for (uint32_t axis = 0; axis < 3; ++axis) {
      const int32_t begin = along(box.min, axis), end = along(box.max, axis);
      if (end - begin < 2) continue;
      const auto middle = static_cast<uint32_t>(begin + (end - begin) / 2);
      const KdNode split = {.split = middle << 2 | axis};
      const uint64_t more = high_side(box, split).voxels() - low_side(box, split).voxels();
      if (best && more >= least) continue;
      least = more;
      best = split.split;
    }
    return *best;
  }

  // Returns the split with the least entropy. Among equal ones it is the split nearest to the middle, which
  // keeps the tree flat, and among several of these the first.
  uint32_t best_split(const VoxelBox& box) const {
    double least = 0;
    int32_t least_off = 0;
    std::optional<uint32_t> best;
    for (uint32_t axis = 0; axis < 3; ++axis) {
      const int32_t begin = along(box.min, axis), end = along(box.max, axis);
      for (int32_t position = begin + 1; position < end; ++position) {
        const KdNode split = {.split = static_cast<uint32_t>(position) << 2 | axis};
        const double cost = bits(low_side(box, split)) + bits(high_side(box, split));
        const int32_t off = std::abs(2 * position - begin - end);
        if (best && std::tie(cost, off) >= std::tie(least, least_off)) continue;
        std::tie(least, least_off, best) = std::tuple(cost, off, split.split);
      }
    }
    return *best;  // a box with several types has several bricks
  }

  TypeSums sums_;
  CountLog count_log_;
  uint32_t most_leaves_;
  KdSplit split_;
  KdTree tree_;
  std::priority_queue<Leaf> open_;
};

}  // namespace

VoxelBox low_side(const VoxelBox& box, KdNode split) {
  VoxelBox side = box;
  along(side.max, split.axis()) = split.position();
  return side;
}

VoxelBox high_side(const VoxelBox& box, KdNode split) {
  VoxelBox side = box;
  along(side.min, split.axis()) = split.position();
  return side;
}

uint32_t KdTree::depth() const {
  std::vector<uint32_t> below(nodes.size(), 0);
  for (size_t i = nodes.size(); i-- > 0;)  // children come after their parents
    if (const KdNode node = nodes[i]; !node.is_leaf())
      below[i] = 1 + std::max(below[node.next], below[node.next + 1]);
  return below[0];
}

KdTree build_kd_tree(Int3 grid, const std::vector<uint8_t>& types, uint32_t most_leaves, KdSplit split) {
  if (types.size() > UINT32_MAX)
    throw Error(fmt::format("{} bricks are too many for a kd tree", types.size())).hint("use larger bricks");
  return KdBuilder(grid, types, most_leaves, split).build();
}

KdTree build_kd_tree(const FrozenBricks& bricks, uint32_t most_leaves, KdSplit split) {
  if (bricks.is_sparse()) {
    if (most_leaves != 1)
      throw Error("a kd tree is made of a dense root of bricks, but this one is sparse")
          .hint("make them with a dense root");
    return {.grid = bricks.grid(), .nodes = {KdNode{}}, .leaves = 1, .mixed = 1};
  }
  const BricksRef access = ref(bricks);
  std::vector<uint8_t> types(bricks.bricks());
  for (uint64_t brick = 0; brick < types.size(); ++brick)
    types[brick] = static_cast<uint8_t>(access.entry(brick).type);
  return build_kd_tree(bricks.grid(), types, most_leaves, split);
}

}  // namespace vox::bricks
