// Generates code for access to the bricks at hand, and compiles it to an image.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "libvox/bricks/frozen_bricks.h"
#include "libvox/bricks/jit/loops.h"

namespace vox::bricks {

// A cache of compiled images in $XDG_CACHE_HOME/vox or ~/.cache/vox. An image's name is a hash of
// everything from which it was made. Nothing relies on the cache: an image that is missing or damaged is
// compiled again.

using JitImage = std::vector<std::byte>;

// Returns the cached image for these two texts, which contain everything on which the image depends. If there
// is none, returns the image that `compile` makes, and caches it. A file holds the image, followed by a hash
// of the image and of the texts.
JitImage cached_image(std::string_view source, std::string_view compiler,
                      const std::function<JitImage()>& compile);

// Makes a shared object with a C++ compiler: `compiler`, or $CXX if that is empty, or c++. Throws Error if
// there is no such compiler, or if it fails.
JitImage compile_for_cpu(const std::string& source, const std::string& compiler = {});

// Makes code for GPUs of this compute capability (90 for 9.0) with NVRTC, which is loaded when it is first
// needed. Throws Error if there is no NVRTC, or if it fails.
JitImage compile_for_gpu(const std::string& source, uint32_t capability);

bool has_nvrtc();

// Generates source text for access to the bricks at hand (Labschütz, §4.3.3): the kd tree over their types,
// unrolled.
//
// The text begins with our own headers (kJitHeaders), so that nothing is written twice. Only a struct JitBricks is
// generated; its entry() is the tree as conditions on literals. It has the five optimizations of the thesis: (i) splits
// are literals, (ii) empty regions return without a read, (iii) a leaf's type is a literal, (iv) so is the place of a
// leaf that is one brick, while the places of larger leaves are read from the root grid or, on request, from arrays in
// the text, (v) a region of one type is one leaf. In addition, sizes are literals, so that loops unroll and layouts
// become constants, and types that no brick has are left out. The text depends only on the root grid, not on where the
// bricks lie: the bases of arrays are arguments.

// A kd tree over the root grid. Its leaves are regions of bricks of one type (Labschütz, §4.3), so that
// access need not look the type up.
//
// A region is split so that the two sides have the least average entropy of types (eq. 4.1, 4.2). The
// leaf whose types take the most bits is split next, so that even few leaves tell much. If a leaf
// still has several types in the end, access looks the type up in the root grid, as it does without a
// tree.
//
// The other tree of the thesis splits bricks at their median, until each leaf has one brick (§4.3.1). It takes the axis
// on which the two sides differ least in their number of bricks. The largest leaf is split next.
enum class KdSplit : uint32_t { Entropy, Median };
inline constexpr std::array<const char*, 2> kKdSplitNames = {"entropy", "median"};

// Return the parts of a box of bricks on the two sides of a split.
VoxelBox low_side(const VoxelBox& box, KdNode split);
VoxelBox high_side(const VoxelBox& box, KdNode split);

struct KdTree {
  Int3 grid = {0, 0, 0};      // in bricks
  std::vector<KdNode> nodes;  // the root is first
  uint32_t leaves = 0;
  uint32_t mixed = 0;  // the number of leaves with several types

  uint32_t depth() const;  // the number of splits on the longest way to a leaf

  // Calls f(box of bricks, leaf) for all leaves, from low to high.
  template <class F>
  void each_leaf(const F& f) const {
    each_leaf_of(0, {{0, 0, 0}, grid}, f);
  }

 private:
  template <class F>
  void each_leaf_of(uint32_t number, const VoxelBox& box, const F& f) const {
    const KdNode node = nodes[number];
    if (node.is_leaf()) return f(box, node);
    each_leaf_of(node.next, low_side(box, node), f);
    each_leaf_of(node.next + 1, high_side(box, node), f);
  }
};

// `types` has one number below kBrickTypeCount for each brick of the grid, x fastest. `most_leaves` must be
// at least 1. Throws Error for 2^32 bricks or more.
KdTree build_kd_tree(Int3 grid, const std::vector<uint8_t>& types, uint32_t most_leaves,
                     KdSplit split = KdSplit::Entropy);
KdTree build_kd_tree(const FrozenBricks& bricks, uint32_t most_leaves, KdSplit split = KdSplit::Entropy);

// The place where compiled code finds the places of bricks, if a leaf has several.
enum class LeafPlaces : uint32_t {
  Root,  // in the root grid
  Code,  // in an array of the code, as in the thesis (§4.3.3, iv)
};
inline constexpr std::array<const char*, 2> kLeafPlacesNames = {"root", "code"};
// The most bricks whose places may stand in code. Larger arrays take compilers too long.
inline constexpr uint64_t kMostPlacesInCode = uint64_t{1} << 18;

struct JitOptions {
  // The largest number of leaves of the tree. On today's GPUs a read of the root grid costs less than a tree
  // of two leaves or more, whose conditions make the threads of a warp diverge; the gain comes from the
  // literals (bricks/README.md). NVRTC 13 takes 0.4 to 1.6 s for one leaf, 3.6 s for 2048, and ever longer
  // above 3000.
  uint32_t leaves = 1;
  KdSplit split = KdSplit::Entropy;
  LeafPlaces places = LeafPlaces::Root;
  std::string compiler;  // for code on processors; empty: $CXX, else c++
};

// The headers that access to bricks needs, as one text that the build makes (cmake/embed_headers.cmake).
extern const char* const kJitHeaders;

// Returns the generated part of the text. Equal arguments give equal text.
std::string jit_tree_text(const FrozenBricks& bricks, const KdTree& tree,
                          LeafPlaces places = LeafPlaces::Root);

// Returns the whole text: headers, tree, and an entry point for every loop of jit/loops.h over this volume's
// voxels. Throws Error if there are too many bricks for arrays in the text.
std::string jit_source(const FrozenBricks& bricks, const KdTree& tree, LeafPlaces places = LeafPlaces::Root);

}  // namespace vox::bricks
