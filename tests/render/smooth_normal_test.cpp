// Compares normals derived from the voxels around a hit with floods through dense grids.
#include "libvox/render/smooth_normal.h"

#include "libvox/render/shade.h"
#include "tests/render/traced.h"

namespace vox {
namespace {

class Filled {
 public:
  explicit Filled(const DenseScene& scene) : side_(static_cast<int32_t>(scene.side())) {
    filled_.resize(size_t(side_) * size_t(side_) * size_t(side_));
    for (const DenseScene::Voxel& voxel : scene.voxels()) filled_[index(voxel.at)] = true;
  }
  bool at(Int3 v) const {
    const auto inside = [&](int32_t part) { return part >= 0 && part < side_; };
    return inside(v.x) && inside(v.y) && inside(v.z) && filled_[index(v)];
  }
  // True if a voxel of the cell is filled.
  bool cell(Int3 cell, uint32_t log2) const {
    const int32_t side = 1 << log2;
    for (int32_t z = 0; z < side; ++z)
      for (int32_t y = 0; y < side; ++y)
        for (int32_t x = 0; x < side; ++x)
          if (at(cell * side + Int3{x, y, z})) return true;
    return false;
  }

 private:
  size_t index(Int3 v) const {
    return (size_t(v.z) * size_t(side_) + size_t(v.y)) * size_t(side_) + size_t(v.x);
  }

  int32_t side_;
  std::vector<bool> filled_;
};

TEST(SmoothNormal, CellsAroundACornerAreFilledWhereAVoxelInThemIs) {
  for (const auto& [resolution, grid] : {std::pair<uint32_t, DenseGrid>{16, scattered(4)},
                                         {64, shell},
                                         {37, scattered(90)},
                                         {32, everywhere}}) {
    const Traced scene(resolution, grid);
    const Filled filled(scene.dense);
    Random random(resolution);
    for (uint32_t log2 = 0; log2 + 2 <= scene.log2_side(); ++log2)
      for (int i = 0; i < 40; ++i) {
        const uint32_t blocks = (scene.dense.side() >> log2) / 2 + 1;
        const auto even = [&] { return static_cast<int32_t>(2 * random.below(blocks)); };
        const Int3 corner = {even(), even(), even()};
        const uint64_t found = render::cells_around(scene.dag.ref(), corner, log2);
        for (uint32_t bit = 0; bit < 64; ++bit)
          ASSERT_EQ((found >> bit & 1) != 0, filled.cell(corner - Int3{2, 2, 2} + cube_place(bit), log2))
              << resolution << ' ' << log2 << ' ' << bit;
      }
  }
}

// Returns the sum of the places that a walk from the voxel in front of a face reaches in the 4³ voxels around
// it.
Int3 walked(const Filled& filled, Int3 voxel, Int3 face) {
  const Int3 low = {(voxel.x + 1) / 2 * 2 - 2, (voxel.y + 1) / 2 * 2 - 2, (voxel.z + 1) / 2 * 2 - 2};
  std::vector<Int3> reached = {voxel + face};
  Int3 sum = {0, 0, 0};
  for (size_t i = 0; i < reached.size(); ++i) {
    const Int3 at = reached[i] - low;
    const auto outer = [](int32_t part) { return part == 0 || part == 3; };
    if (!(outer(at.x) && outer(at.y) && outer(at.z)))
      sum = sum + Int3{2 * at.x - 3, 2 * at.y - 3, 2 * at.z - 3};
    for (const Int3 step : {Int3{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}}) {
      const Int3 next = reached[i] + step, place = next - low;
      const bool inside =
          std::min({place.x, place.y, place.z}) >= 0 && std::max({place.x, place.y, place.z}) <= 3;
      if (inside && !filled.at(next) && std::ranges::find(reached, next) == reached.end())
        reached.push_back(next);
    }
  }
  return sum;
}

TEST(SmoothNormal, IsWhereAWalkFromTheFaceGoes) {
  for (const auto& [resolution, grid] :
       {std::pair<uint32_t, DenseGrid>{32, scattered(4)}, {64, shell}, {37, scattered(30)}}) {
    const Traced scene(resolution, grid);
    const Filled filled(scene.dense);
    Random random(resolution);
    int compared = 0;
    for (int i = 0; i < 3000; ++i) {
      const Vec3d origin = random.in_cube(-20, scene.side() + 20);
      const Vec3d direction = random.in_cube(0, scene.side()) - origin;
      const render::Ray ray = scene.ray(origin, direction);
      const render::Hit hit = scene.trace(ray);
      if (!hit.found() || render::axis_of(hit.at) == render::kNoAxis) continue;
      const render::Course course = render::make_course(scene.log2_side(), render::fine_direction(direction));
      const Int3 face = render::face_normal(ray, hit);
      const render::FinePoint point = render::hit_point(render::fine_point(origin), course, ray, hit);
      const Int3 expected = walked(filled, hit.low, face);
      if (expected == Int3{0, 0, 0}) continue;
      const Int3 found = render::smooth_normal(scene.dag.ref(), hit, face, course, point);
      ASSERT_TRUE(found == expected) << found.x << ' ' << found.y << ' ' << found.z << " and " << expected.x
                                     << ' ' << expected.y << ' ' << expected.z;
      ++compared;
    }
    EXPECT_GT(compared, 500);
  }
}

// The object is a ball or its skin, seen from outside. All normals, of voxels and of nodes, are known and
// differ little from those of the ball. None may point inwards.
TEST(SmoothNormal, OfABallIsNearlyTheBalls) {
  for (const double inner : {0.0, 57.0})
    for (const double spread : {0.0, 0.012, 0.05}) {
      const Vec3d middle = {63.7, 64.2, 64.4};
      const Traced scene(128, [&](uint32_t x, uint32_t y, uint32_t z) {
        const Vec3d from = Vec3d{x + 0.5, y + 0.5, z + 0.5} - middle;
        const double squared = dot(from, from);
        return squared < 59 * 59 && squared >= inner * inner ? 1 : dag::kEmptyVoxel;
      });
      Random random(7);
      double most = 0, sum = 0;
      int count = 0;
      for (int i = 0; i < 2000; ++i) {
        const Vec3d eye = middle + (random.in_cube(0, 1) - Vec3d{0.5, 0.5, 0.5}) * 1000;
        if (dot(eye - middle, eye - middle) < 100 * 100) continue;  // the eye would be inside the ball
        const Vec3d to = middle + (random.in_cube(0, 1) - Vec3d{0.5, 0.5, 0.5}) * 80;
        const render::Ray ray = scene.ray(eye, to - eye, spread);
        const render::Hit hit = scene.trace(ray);
        if (!hit.found() || render::axis_of(hit.at) == render::kNoAxis) continue;
        const render::Course course =
            render::make_course(scene.log2_side(), render::fine_direction(to - eye));
        const render::FinePoint point = render::hit_point(render::fine_point(eye), course, ray, hit);
        const Int3 found =
            render::smooth_normal(scene.dag.ref(), hit, render::face_normal(ray, hit), course, point);
        ASSERT_FALSE((found == Int3{0, 0, 0}));
        ++count;
        const auto voxels = [](int64_t part) { return static_cast<double>(part) * 0x1p-32; };
        const Vec3d n = {double(found.x), double(found.y), double(found.z)},
                    out = Vec3d{voxels(point.x), voxels(point.y), voxels(point.z)} - middle;
        const double cosine = dot(n, out) / std::sqrt(dot(n, n) * dot(out, out));
        const double angle = std::acos(std::min(cosine, 1.0)) * 180 / 3.14159265358979;
        most = std::max(most, angle);
        sum += angle;
      }
      EXPECT_GT(count, 500);
      EXPECT_LT(sum / count, spread > 0 ? 8 : 6) << inner;
      EXPECT_LT(most, 35) << inner;
    }
}

}  // namespace
}  // namespace vox
