// Tests beams: rays that begin where their beam ends must hit the same as rays from the eye, with and without
// level of detail.
#include "libvox/render/beam.h"

#include "libvox/base/length.h"
#include "tests/common/thoroughness.h"
#include "tests/render/traced.h"

namespace vox {
namespace {

constexpr render::ImageSize kBeamSize = {60, 44};  // not a multiple of a tile's size

struct BeamCounts {
  int tiles = 0, later = 0, nothing = 0;
};

// Compares all rays of a picture with and without their beams.
BeamCounts expect_no_difference(const Traced& scene, const render::CameraPose& pose, double spread) {
  const render::RayDagRef dag = scene.dag.ref();
  render::Camera camera = render::make_camera(pose, kBeamSize, scene.log2_side());
  camera.spread *= spread;
  const render::PixelRays rays = render::pixel_rays(camera);
  const render::BeamTiles tiles = {kBeamSize.width, kBeamSize.height};
  BeamCounts counts;
  for (uint32_t tile = 0; tile < tiles.count(); ++tile) {
    const Vec2<uint32_t> place = {tile % tiles.across(), tile / tiles.across()};
    const float depth = render::Beam(dag, rays, place).start();
    ++counts.tiles;
    counts.later += depth > 0 && depth < render::kHitsNothing;
    counts.nothing += depth >= render::kHitsNothing;
    for (uint32_t i = 0; i < 256; ++i) {  // in steps of half a pixel
      const auto at = [](uint32_t tile_at, uint32_t half) {
        return tile_at << (render::kLog2BeamSide + render::kSubpixelBits) |
               half << (render::kSubpixelBits - 1);
      };
      const render::Course course =
          render::make_course(rays.log2_side, rays.direction(at(place.x, i % 16), at(place.y, i / 16)));
      const render::Ray ray = render::make_ray(course, rays.eye, rays.spread);
      const render::Hit hit = scene.trace(ray);
      const bool nothing = depth >= render::kHitsNothing;
      EXPECT_EQ(nothing ? render::Hit() : scene.trace(render::begun_in_beam(ray, course, rays, depth)), hit);
    }
  }
  return counts;
}

TEST(Beam, RaysHitTheSameAsFromTheEye) {
  Random random(11);
  BeamCounts all;
  for (const DenseGrid& grid : {DenseGrid(shell), DenseGrid(dust(2)), DenseGrid(blocks), scattered(900)}) {
    const Traced scene(64, grid);
    for (int i = 0; i < 2 * static_cast<int>(kThoroughness) && !testing::Test::HasFailure(); ++i) {
      const Vec3d eye = i % 4 == 0 ? random.in_cube(0, 64) : random.in_cube(-300, 364);
      const BeamCounts counts =
          expect_no_difference(scene, {eye, random.in_cube(10, 54), i % 3 == 0 ? 120.0 : 20.0}, i % 4);
      all.tiles += counts.tiles;
      all.later += counts.later;
      all.nothing += counts.nothing;
    }
  }
  EXPECT_GT(all.later, all.tiles / 10);
  EXPECT_GT(all.nothing, all.tiles / 20);
}

TEST(Beam, RaysAlongAxesAndFromFarAwayHitTheSame) {
  const Traced scene(64, shell);
  for (const Vec3d eye : {Vec3d{32, 500, 32}, {32.5, 32.5, -200}, {-1e6, 32, 30}, {7e7, 6e7, 5e7}})
    expect_no_difference(scene, {eye, {32, 32, 32}, 0.001 + 3000 / length(eye - Vec3d{32, 32, 32})}, 1);
}

TEST(Beam, InMatterAndInAnEmptyScene) {
  const Traced full(16, everywhere), empty(16, nowhere);
  const render::CameraPose pose = {{8, 8, 8}, {20, 9, 9}, 60};
  EXPECT_EQ(expect_no_difference(full, pose, 1).later, 0);
  const BeamCounts counts = expect_no_difference(empty, pose, 1);
  EXPECT_EQ(counts.nothing, counts.tiles);
}

}  // namespace
}  // namespace vox
