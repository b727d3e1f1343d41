#include <tbb/parallel_sort.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "libvox/base/loops.h"
#include "libvox/base/morton.h"
#include "libvox/base/progress.h"
#include "libvox/voxelize/mesh_faults.h"
#include "libvox/voxelize/triangles_meet.h"

namespace vox::voxelize {
namespace {

constexpr double kSteps = 1 << 19;  // so that volumes have at most 63 bits (triangles_meet.h)

struct StepBox {
  Int3 min, max;  // both within the box

  bool meets(const StepBox& other) const {
    for (uint32_t k = 0; k < 3; ++k)
      if (min[k] > other.max[k] || other.min[k] > max[k]) return false;
    return true;
  }
  StepBox with(const StepBox& other) const {
    StepBox all = *this;
    for (uint32_t k = 0; k < 3; ++k) {
      all.min[k] = std::min(min[k], other.min[k]);
      all.max[k] = std::max(max[k], other.max[k]);
    }
    return all;
  }
};

StepBox box_of(const TriangleShape& triangle) {
  const StepBox first = {triangle.corner[0], triangle.corner[0]};
  return first.with({triangle.corner[1], triangle.corner[1]}).with({triangle.corner[2], triangle.corner[2]});
}

std::vector<TriangleShape> shapes_in_steps(const scene::Scene& scene) {
  const Box box = bounding_box(scene);
  const Vec3d size = box.max - box.min;
  const double longest = std::max({size.x, size.y, size.z});
  const double per_unit = longest > 0 ? kSteps / longest : 0;
  std::vector<TriangleShape> shapes(scene.triangles.size());
  parallel_for(size_t{0}, shapes.size(), [&](size_t i) {
    for (size_t c = 0; c < 3; ++c) {
      const Vec3d from = scene.positions[scene.triangles[i].position[c]] - box.min;
      for (uint32_t k = 0; k < 3; ++k) {
        const double step = std::floor(std::clamp(from[k] * per_unit, 0., kSteps) + 0.5);
        shapes[i].corner[c][k] = static_cast<int32_t>(std::min(step, kSteps - 1));
      }
    }
  });
  return shapes;
}

// True if the edge passes through the inside of the triangle.
bool passes_through(const TriangleShape& triangle, Int3 from, Int3 to) {
  const auto& [a, b, c] = triangle.corner;
  if (side_of(a, b, c, from) * side_of(a, b, c, to) >= 0) return false;
  const int first = side_of(from, to, a, b);
  return first != 0 && first == side_of(from, to, b, c) && first == side_of(from, to, c, a);
}

bool cross_each_other(const TriangleShape& one, const TriangleShape& other) {
  for (int i = 0; i < 3; ++i) {
    const int j = i == 2 ? 0 : i + 1;
    if (passes_through(one, other.corner[i], other.corner[j]) ||
        passes_through(other, one.corner[i], one.corner[j]))
      return true;
  }
  return false;
}

// A tree of boxes around triangles in Morton order: node i of a level is around the nodes 8 i to 8 i + 7 below.
class BoxTree {
 public:
  explicit BoxTree(const std::vector<TriangleShape>& shapes) : order_(shapes.size()) {
    std::vector<std::pair<uint64_t, uint32_t>> keys(shapes.size());
    parallel_for(size_t{0}, keys.size(), [&](size_t i) {
      const StepBox box = box_of(shapes[i]);
      const auto middle = [&](uint32_t k) { return static_cast<uint32_t>(box.min[k] + box.max[k]) / 2; };
      keys[i] = {morton_encode(middle(0), middle(1), middle(2)), static_cast<uint32_t>(i)};
    });
    tbb::parallel_sort(keys);
    levels_.emplace_back(shapes.size());
    for (size_t i = 0; i < keys.size(); ++i) {
      order_[i] = keys[i].second;
      levels_[0][i] = box_of(shapes[order_[i]]);
    }
    while (levels_.back().size() > 1) {
      const std::vector<StepBox>& below = levels_.back();
      std::vector<StepBox> level((below.size() + 7) / 8);
      parallel_for(size_t{0}, level.size(), [&](size_t i) {
        level[i] = below[8 * i];
        for (size_t k = 8 * i + 1; k < std::min(below.size(), 8 * i + 8); ++k)
          level[i] = level[i].with(below[k]);
      });
      levels_.push_back(std::move(level));
    }
  }

  // Calls visit(number) for each triangle whose box meets that of this one.
  template <class Visit>
  void for_each_near(const StepBox& box, const Visit& visit) const {
    go_down(levels_.size() - 1, 0, box, visit);
  }

 private:
  template <class Visit>
  void go_down(size_t level, size_t i, const StepBox& box, const Visit& visit) const {
    if (!levels_[level][i].meets(box)) return;
    if (level == 0) return visit(order_[i]);
    for (size_t k = 8 * i; k < std::min(levels_[level - 1].size(), 8 * i + 8); ++k)
      go_down(level - 1, k, box, visit);
  }

  std::vector<uint32_t> order_;
  std::vector<std::vector<StepBox>> levels_;  // the triangles' own boxes come first
};

}  // namespace

std::vector<std::array<uint32_t, 2>> crossing_triangles(const scene::Scene& scene) {
  constexpr size_t kPiece = 1 << 14;  // triangles between two looks at an interrupt
  std::vector<std::array<uint32_t, 2>> pairs;
  if (scene.triangles.empty()) return pairs;
  const std::vector<TriangleShape> shapes = shapes_in_steps(scene);
  const BoxTree tree(shapes);
  Progress progress("finding triangles that cross", shapes.size());
  std::vector<std::vector<uint32_t>> found(kPiece);
  for (size_t begin = 0; begin < shapes.size(); begin += kPiece) {
    throw_if_cancelled();
    const size_t end = std::min(shapes.size(), begin + kPiece);
    parallel_for(begin, end, [&](size_t i) {
      std::vector<uint32_t>& others = found[i - begin];
      others.clear();
      tree.for_each_near(box_of(shapes[i]), [&](uint32_t other) {
        if (other > i && cross_each_other(shapes[i], shapes[other])) others.push_back(other);
      });
      std::ranges::sort(others);
    });
    for (size_t i = begin; i < end; ++i)
      for (const uint32_t other : found[i - begin]) pairs.push_back({static_cast<uint32_t>(i), other});
    progress.update(end, "");
  }
  return pairs;
}

}  // namespace vox::voxelize
