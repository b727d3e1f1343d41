#include "libvox/volume/pieces.h"

#include <gtest/gtest.h>

#include <vector>

namespace vox {
namespace {

TEST(Pieces, FollowOneAnotherInTheOrderOfTheVoxels) {
  for (const VoxelBox box : {VoxelBox{{0, 0, 0}, {7, 5, 3}}, VoxelBox{{2, 3, 4}, {3, 9, 8}}})
    for (uint64_t most = 1; most < 120; ++most) {
      const volume::Pieces pieces(box, most);
      std::vector<Int3> voxels;
      for (uint64_t i = 0; i < pieces.count(); ++i) {
        const VoxelBox piece = pieces[i];
        ASSERT_LE(piece.voxels(), most);
        for (int32_t z = piece.min.z; z < piece.max.z; ++z)
          for (int32_t y = piece.min.y; y < piece.max.y; ++y)
            for (int32_t x = piece.min.x; x < piece.max.x; ++x) voxels.push_back({x, y, z});
      }
      ASSERT_EQ(voxels.size(), box.voxels());
      const Int3 size = box.size();
      for (size_t i = 0; i < voxels.size(); ++i) {
        const auto at = static_cast<int32_t>(i);
        const Int3 expected = {at % size.x, at / size.x % size.y, at / size.x / size.y};
        ASSERT_EQ(voxels[i], box.min + expected) << most;
      }
    }
}

}  // namespace
}  // namespace vox
