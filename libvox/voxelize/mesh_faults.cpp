#include "libvox/voxelize/mesh_faults.h"

#include <tbb/parallel_sort.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "libvox/base/loops.h"
#include "libvox/base/morton.h"
#include "libvox/base/progress.h"
#include "libvox/voxelize/triangles_meet.h"

namespace vox::voxelize {
namespace {

// The passages of triangles along an edge.
struct EdgePass {
  uint64_t edge;      // the lower vertex, then the upper one
  uint32_t triangle;  // 4 B
  uint32_t is_back;   // 4 B, 1 if it passes from the upper vertex to the lower one
};
constexpr uint64_t kNoPass = UINT64_MAX;

class FaultFinder {
 public:
  FaultFinder(const scene::Scene& scene, const Grid& grid) : scene_(scene), vertices_(scene, grid) {
    std::map<std::string, size_t> numbers;
    for (const scene::Material& material : scene.materials) {
      const std::string& name = material.object.empty() ? material.name : material.object;
      const auto [known, is_new] = numbers.try_emplace(name, faults_.objects.size());
      if (is_new) faults_.objects.emplace_back().name = name;
      object_of_.push_back(known->second);
    }
    for (const scene::Triangle& triangle : scene.triangles) ++object(triangle).triangles;
  }

  MeshFaults run() {
    std::vector<uint32_t> corners(3 * scene_.triangles.size());
    parallel_for(size_t{0}, scene_.triangles.size(), [&](size_t i) {
      for (size_t c = 0; c < 3; ++c)
        corners[3 * i + c] = vertices_.number_of(scene_.triangles[i].position[c]);
    });
    find_edges(corners);
    find_turned(corners);
    for (const auto& [one, other] : crossing_triangles(scene_)) {
      faults_.crossing.insert(faults_.crossing.end(), {one, other});
      add(MeshFault::Crossing, one, other, between(one, other));
    }
    std::ranges::sort(faults_.crossing);
    faults_.crossing.erase(std::unique(faults_.crossing.begin(), faults_.crossing.end()),
                           faults_.crossing.end());
    return std::move(faults_);
  }

 private:
  ObjectFaults& object(const scene::Triangle& triangle) {
    return faults_.objects[object_of_[triangle.material]];
  }
  const Vec3d& position(uint32_t triangle, size_t corner) const {
    return scene_.positions[scene_.triangles[triangle].position[corner]];
  }

  void add(MeshFault fault, uint32_t triangle, uint32_t other, Vec3d at) {
    ObjectFaults& faults = object(scene_.triangles[triangle]);
    const auto kind = static_cast<size_t>(fault);
    ++faults.counts[kind];
    if (faults.places[kind].size() < ObjectFaults::kMostPlaces)
      faults.places[kind].push_back({at, triangle, other});
  }

  void find_edges(const std::vector<uint32_t>& corners) {
    std::vector<EdgePass> passes(corners.size());
    parallel_for(size_t{0}, passes.size(), [&](size_t i) {
      const uint64_t from = corners[i], to = corners[i % 3 == 2 ? i - 2 : i + 1];
      const auto triangle = static_cast<uint32_t>(i / 3);
      passes[i] = {from < to ? from << 32 | to : to << 32 | from, triangle, from < to ? 0u : 1u};
      if (from == to) passes[i].edge = kNoPass;
    });
    tbb::parallel_sort(passes, [](const EdgePass& a, const EdgePass& b) {
      return a.edge != b.edge ? a.edge < b.edge : a.triangle < b.triangle;
    });
    struct FoundEdge {
      uint32_t triangle;
      MeshFault fault;
      Vec3d at;
    };
    std::vector<FoundEdge> found;
    for (size_t begin = 0, end = 0; begin < passes.size() && passes[begin].edge != kNoPass; begin = end) {
      int64_t sum = 0;
      for (end = begin; end < passes.size() && passes[end].edge == passes[begin].edge; ++end)
        sum += passes[end].is_back == 0 ? 1 : -1;
      if (sum == 0 && end - begin == 2) continue;
      const auto vertex = [&](uint64_t number) {
        return scene_.positions[vertices_.position_of(static_cast<uint32_t>(number & UINT32_MAX))];
      };
      const Vec3d middle = (vertex(passes[begin].edge >> 32) + vertex(passes[begin].edge)) * 0.5;
      const uint32_t triangle = passes[begin].triangle;
      if (sum != 0) found.push_back({triangle, MeshFault::OpenEdge, middle});
      if (end - begin > 2) found.push_back({triangle, MeshFault::NonManifoldEdge, middle});
    }
    std::ranges::stable_sort(found, {}, &FoundEdge::triangle);
    for (const FoundEdge& edge : found) add(edge.fault, edge.triangle, scene::kNone, edge.at);
  }

  void find_turned(std::vector<uint32_t> corners) {
    scene::Scene turned;
    turned.positions = scene_.positions;
    turned.triangles = scene_.triangles;
    const std::vector<uint8_t> counts(scene_.triangles.size(), 1);
    if (turn_triangles(turned, corners, counts) == 0) return;
    for (uint32_t i = 0; i < turned.triangles.size(); ++i) {
      if (turned.triangles[i].position[1] == scene_.triangles[i].position[1]) continue;
      faults_.turned.push_back(i);
      add(MeshFault::TurnedTriangle, i, scene::kNone,
          (position(i, 0) + position(i, 1) + position(i, 2)) * (1. / 3));
    }
  }

  // The middle of what the boxes of two triangles share.
  Vec3d between(uint32_t one, uint32_t other) const {
    Vec3d middle = {0, 0, 0};
    for (uint32_t k = 0; k < 3; ++k) {
      const auto range = [&](uint32_t i) {
        return std::minmax({position(i, 0)[k], position(i, 1)[k], position(i, 2)[k]});
      };
      const auto [low, high] = range(one);
      const auto [other_low, other_high] = range(other);
      middle[k] = (std::max(low, other_low) + std::min(high, other_high)) / 2;
    }
    return middle;
  }

  const scene::Scene& scene_;
  const Vertices vertices_;
  std::vector<size_t> object_of_;  // of each material
  MeshFaults faults_;
};

}  // namespace

MeshFaults find_faults(const scene::Scene& scene, const Grid& grid) {
  return FaultFinder(scene, grid).run();
}

namespace {

constexpr double kSteps = 1 << 19;  // so that volumes have at most 63 bits (triangle.h)

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
