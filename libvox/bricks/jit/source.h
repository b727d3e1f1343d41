// Source text of the access to the bricks at hand (Labschütz, §4.3.3): the kd tree over their types,
// unrolled.
//
// The text begins with our own headers (kJitHeaders), so that nothing is written twice; only a struct
// JitBricks is generated, whose entry() is the tree as conditions on literals. It has the five optimisations
// of the thesis: (i) splits are literals, (ii) empty regions return without a read, (iii) a leaf's type is a
// literal, (iv) so is the place of a leaf that is one brick, while the places of larger leaves are read from
// the root grid, (v) a region of one type is one leaf. Beyond these, sizes are literals, so that loops over
// them unroll and expressions of a type's layout fold, and types that no brick has are left out. The text
// depends on the root grid alone, not on where the bricks lie: the bases of arrays are arguments.
#pragma once

#include <string>

#include "libvox/bricks/jit/kd_tree.h"

namespace vox::bricks {

struct JitOptions {
  // How many leaves the tree has at most. On GPUs of our day a read of the root grid costs less than a tree
  // of two leaves or more, whose conditions lead the threads of a warp apart: the gain comes from the
  // literals (bricks/README.md). NVRTC 13 takes 0.4 to 1.6 s for one leaf, 3.6 s for 2048 and, above 3000,
  // ever longer.
  uint32_t leaves = 1;
  std::string compiler;  // of code for processors; empty: $CXX, else c++
};

// The headers that access to bricks needs, one behind the other; made by the build
// (cmake/embed_headers.cmake).
extern const char* const kJitHeaders;

// The generated part of the text. Equal arguments give equal text.
std::string jit_tree_text(const FrozenBricks& bricks, const KdTree& tree);

// The whole text: headers, tree, and an entry point for every loop of jit/loops.h over this volume's voxels.
std::string jit_source(const FrozenBricks& bricks, const KdTree& tree);

}  // namespace vox::bricks
