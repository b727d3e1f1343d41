// Compares the mean colours of nodes with sums over the voxels of a dense grid.
#include "libvox/render/node_colors.h"

#include "libvox/device/uploaded.h"
#include "libvox/scene/oklab.h"
#include "tests/render/pictures.h"
#include "tests/render/traced.h"

namespace vox {
namespace {

TEST(NodeColors, AreTheMeansOfTheVoxelsBelow) {
  std::array<render::Light, scene::kPaletteSize> colors;
  for (uint32_t i = 0; i < scene::kPaletteSize; ++i) {
    const Vec3d light = scene::srgb_to_linear(distinct_palette().colors[i]);
    colors[i] = {static_cast<float>(light.x), static_cast<float>(light.y), static_cast<float>(light.z)};
  }
  std::vector<uint8_t> codes(render::kLightCodes);
  for (uint32_t i = 0; i < render::kLightCodes; ++i)
    codes[i] = scene::linear_to_srgb(i / double{render::kLightCodes - 1});
  for (const auto& [resolution, grid] : {std::pair<uint32_t, DenseGrid>{16, scattered(3)},
                                         {37, scattered(40)},
                                         {32, everywhere},
                                         {32, blocks}}) {
    Traced scene(resolution, grid);
    const render::RayDagRef ref = scene.dag.ref();
    const auto means =
        render::average_nodes(scene.device, ref, colors.data(), render::LightCodes{codes.data()});
    for (uint32_t log2 = dag::kLeafLog2 + 1; log2 <= scene.log2_side(); ++log2) {
      const auto cells = static_cast<int32_t>(scene.dense.side() >> log2);
      for (int32_t i = 0; i < cells * cells * cells; ++i) {
        const Int3 cell = {i % cells, i / cells % cells, i / cells / cells};
        const VoxelBox box = cube_at(cell * (1 << log2), 1u << log2);
        const uint32_t* node = ref.node_at(box.min, log2);
        Vec3d sum = {0, 0, 0};
        double count = 0;
        for (const DenseScene::Voxel& voxel : scene.dense.voxels()) {
          if (intersection(cube_at(voxel.at, 1), box).empty()) continue;
          sum = sum + scene::srgb_to_linear(distinct_palette().colors[size_t(voxel.material)]);
          ++count;
        }
        ASSERT_EQ(node != nullptr, count > 0);
        if (node == nullptr) continue;
        const uint32_t mean = means.data()[ref.box_index(node)];
        const scene::Rgb8 expected = scene::linear_to_srgb(sum * (1 / count));
        EXPECT_NEAR(mean & 0xff, expected.r, 1) << resolution << ' ' << log2;
        EXPECT_NEAR(mean >> 8 & 0xff, expected.g, 1);
        EXPECT_NEAR(mean >> 16, expected.b, 1);
      }
    }
  }
}

}  // namespace
}  // namespace vox
