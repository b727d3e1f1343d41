// Source text of access to the bricks at hand (Labschütz, §4.3.3): the kd tree over their types, unrolled.
//
// The text holds no code that is written elsewhere: it begins with our own headers (jit_headers), and what is
// generated is a struct JitBricks whose entry() is the tree as conditions on literals. From the five
// optimisations of the thesis: (i) splits are literals, (ii) what is empty returns without a read, (iii) a
// leaf's type is a literal, (iv) so is the place of a leaf that is one brick, while those of more are read
// from the root grid, (v) a region of one type is one leaf. Beyond these, sizes are literals, so that loops
// over them unroll and what a type's layout depends on folds, and types that no brick has are left out. What
// the text says depends on the root grid alone, not on where the bricks lie: bases of arrays are arguments.
#pragma once

#include <string>

#include "libvox/bricks/jit/kd_tree.h"

namespace vox::bricks {

struct JitOptions {
  // Of the tree, at most. On GPUs of our day a read of the root grid costs less than a tree of two leaves or
  // more, whose conditions lead the threads of a warp apart: what is gained is gained by literals
  // (README.md). NVRTC 13 takes 0.4 to 1.6 s for one leaf, 3.6 s for 2048 and, above 3000, ever longer.
  uint32_t leaves = 1;
  std::string compiler;  // of code for processors; empty: $CXX, else c++
};

// The headers that access is made of, one behind the other. Made by the build (cmake/embed_headers.cmake).
extern const char* const kJitHeaders;

// The generated part. Deterministic.
std::string jit_tree_text(const FrozenBricks& bricks, const KdTree& tree);

// All of it: headers, tree, and an entry point for every loop of jit_loops.h over voxels of this volume.
std::string jit_source(const FrozenBricks& bricks, const KdTree& tree);

}  // namespace vox::bricks
