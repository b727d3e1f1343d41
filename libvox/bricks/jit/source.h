// Generates source text for access to the bricks at hand (Labschütz, §4.3.3): the kd tree over their types,
// unrolled.
//
// The text begins with our own headers (kJitHeaders), so that nothing is written twice. Only a struct
// JitBricks is generated; its entry() is the tree as conditions on literals. It has the five optimisations of
// the thesis: (i) splits are literals, (ii) empty regions return without a read, (iii) a leaf's type is a
// literal, (iv) so is the place of a leaf that is one brick, while the places of larger leaves are read from
// the root grid, (v) a region of one type is one leaf. Beyond these, sizes are literals, so that loops over
// them unroll and expressions of a type's layout fold, and types that no brick has are left out. The text
// depends only on the root grid, not on where the bricks lie: the bases of arrays are arguments.
#pragma once

#include <string>

#include "libvox/bricks/jit/kd_tree.h"

namespace vox::bricks {

struct JitOptions {
  // The largest number of leaves of the tree. On today's GPUs a read of the root grid costs less than a tree
  // of two leaves or more, whose conditions make the threads of a warp diverge; the gain comes from the
  // literals (bricks/README.md). NVRTC 13 takes 0.4 to 1.6 s for one leaf, 3.6 s for 2048, and ever longer
  // above 3000.
  uint32_t leaves = 1;
  std::string compiler;  // for code on processors; empty: $CXX, else c++
};

// The headers that access to bricks needs, as one text that the build makes (cmake/embed_headers.cmake).
extern const char* const kJitHeaders;

// Returns the generated part of the text. Equal arguments give equal text.
std::string jit_tree_text(const FrozenBricks& bricks, const KdTree& tree);

// Returns the whole text: headers, tree, and an entry point for every loop of jit/loops.h over this volume's
// voxels.
std::string jit_source(const FrozenBricks& bricks, const KdTree& tree);

}  // namespace vox::bricks
