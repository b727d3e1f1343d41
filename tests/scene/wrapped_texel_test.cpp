// Compares the texels of texture coordinates with a walk from texel to texel.
#include "libvox/scene/wrapped_texel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace vox {
namespace {

TEST(WrappedTexel, OfACoordinateIsThatOfTheTexelOfThePlaneThatItLiesIn) {
  for (const scene::Wrap wrap : {scene::Wrap::Repeat, scene::Wrap::Clamp, scene::Wrap::Mirror})
    for (const uint32_t size : {1u, 2u, 7u, 64u})
      for (int64_t texel = -200; texel <= 200; ++texel) {
        const double coordinate = (static_cast<double>(texel) + 0.5) / size;
        ASSERT_EQ(scene::wrapped_texel(coordinate, size, wrap), scene::wrapped_texel(texel, size, wrap))
            << size << ' ' << texel;
        const auto share = static_cast<int64_t>(std::floor(coordinate * 0x1p32));
        ASSERT_EQ(scene::texel_of_share(share, size, wrap), scene::wrapped_texel(texel, size, wrap))
            << size << ' ' << texel;
      }
}

TEST(WrappedTexel, GoesBackAndForthWhereTheImageIsMirrored) {
  const uint32_t expected[] = {0, 1, 2, 2, 1, 0, 0, 1};
  for (int64_t texel = 0; texel < 8; ++texel)
    EXPECT_EQ(scene::wrapped_texel(texel - 12, 3, scene::Wrap::Mirror), expected[texel]);
  EXPECT_EQ(scene::wrapped_texel(int64_t{-1}, 3, scene::Wrap::Repeat), 2u);
  EXPECT_EQ(scene::wrapped_texel(int64_t{-1}, 3, scene::Wrap::Clamp), 0u);
  EXPECT_EQ(scene::wrapped_texel(int64_t{3}, 3, scene::Wrap::Clamp), 2u);
}

}  // namespace
}  // namespace vox
