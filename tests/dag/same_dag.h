// Compares two DAGs word by word.
#pragma once

#include <gtest/gtest.h>

#include "libvox/dag/frozen_dag.h"

namespace vox {

inline void expect_equal(const dag::FrozenDag& a, const dag::FrozenDag& b) {
  EXPECT_EQ(dag::to_string(a.digest), dag::to_string(b.digest));
  EXPECT_EQ(a.resolution, b.resolution);
  EXPECT_EQ(a.materials, b.materials);
  EXPECT_EQ(a.voxels, b.voxels);
  ASSERT_EQ(a.levels.size(), b.levels.size());
  for (size_t level = 0; level < a.levels.size(); ++level) {
    EXPECT_TRUE(a.levels[level].words == b.levels[level].words) << "level " << level;
    EXPECT_EQ(a.levels[level].nodes, b.levels[level].nodes) << "level " << level;
    EXPECT_EQ(a.levels[level].svo_nodes, b.levels[level].svo_nodes) << "level " << level;
  }
}

}  // namespace vox
