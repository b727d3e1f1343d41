#include "libvox/bricks/jit/source.h"

#include <fmt/format.h>

#include <array>
#include <iterator>
#include <string_view>

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
    return b;
  }}
  VOX_HD Int3 place_of(Int3 v) const {{ return known().place_of(v); }}
  VOX_HD BricksRef::Entry find(Int3 p) const {{
    const BricksRef::Entry at = BricksRef::unpack(entry(p.x, p.y, p.z));
    if (at.place != kInRoot) return at;
    const BricksRef::Entry read = known().entry({index});
    return {{at.type == {mixed} ? read.type : at.type, read.place}};
  }}
  template <class T>
  VOX_HD T get(BricksRef::Entry at, Int3 v) const {{
    return known().get<T, {types:#x}>(at, v);
  }}
  VOX_HD bool empty_brick(Int3 v) const {{ return find(place_of(v)).type == {empty}; }}
  template <class T>
  VOX_HD T get(Int3 v) const {{
    return get<T>(find(place_of(v)), v);
  }}
}};
}}  // namespace
}}  // namespace vox::bricks
)";

class TreeWriter {
 public:
  TreeWriter(const FrozenBricks& bricks, const KdTree& tree)
      : bricks_(bricks), access_(ref(bricks)), tree_(tree) {}

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
        fmt::arg("index", index()), fmt::arg("mixed", KdNode::kMixed), fmt::arg("types", types()));
  }

 private:
  // Returns the index of brick p in the root grid, as text. 32 bits are enough, because a tree has fewer than
  // 2^32 bricks.
  std::string index() const {
    return fmt::format("static_cast<uint32_t>((p.z * {}u + p.y) * {}u + p.x)", access_.grid.y,
                       access_.grid.x);
  }

  // Returns the set of types that occur.
  uint32_t types() const {
    uint32_t set = 0;
    for (uint32_t type = 0; type < kBrickTypeCount; ++type)
      if (bricks_.counts[type] > 0) set |= 1u << type;
    return set;
  }

  static bool empty(KdNode node) { return node.is_leaf() && node.next == kEmpty; }

  // Returns the text for one node of the tree. Empty regions fall through to the end of the function.
  std::string branch(uint32_t number, const VoxelBox& box, uint32_t depth) {
    const KdNode node = tree_.nodes[number];
    if (empty(node)) return "";
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

  // Compilers optimise a small tree together with the loop that uses it, but take ever longer over large
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

  // Returns the entry of a brick as it stands in the root grid.
  uint64_t entry(Int3 brick) const {
    const auto [type, place] = access_.entry(access_.index(brick));
    return place << kRootTypeBits | type;
  }

  const FrozenBricks& bricks_;
  BricksRef access_;
  const KdTree& tree_;
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

std::string jit_tree_text(const FrozenBricks& bricks, const KdTree& tree) {
  return TreeWriter(bricks, tree).text();
}

std::string jit_source(const FrozenBricks& bricks, const KdTree& tree) {
  constexpr std::array<const char*, 5> kWord = {"", "uint8_t", "uint16_t", "", "uint32_t"};
  return fmt::format("{}{}{}namespace vox::bricks {{ using JitWord = {}; }}\nVOX_READ_LOOPS(VOX_JIT_ENTRY)\n",
                     kJitHeaders, kPrologue, jit_tree_text(bricks, tree),
                     kWord[volume::value_bytes(bricks.info.type)]);
}

}  // namespace vox::bricks
