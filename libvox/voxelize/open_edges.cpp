#include <oneapi/tbb/parallel_sort.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numeric>
#include <optional>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "libvox/base/bits.h"
#include "libvox/base/error.h"
#include "libvox/base/loops.h"
#include "libvox/voxelize/mesh_faults.h"
#include "libvox/voxelize/prepare.h"

namespace vox::voxelize {
namespace {

Vertices::Place place_of(const GridRef& grid, const Vec3d& position) {
  const Vec3d voxels = grid.in_voxels(position);
  if (within_guard(voxels)) {
    const Int3 snapped = grid.snap(voxels);
    return {snapped.x, snapped.y, snapped.z};
  }
  // Too far away for whole numbers, which are far below the bits of such a coordinate.
  return {std::bit_cast<int64_t>(voxels.x), std::bit_cast<int64_t>(voxels.y),
          std::bit_cast<int64_t>(voxels.z)};
}

}  // namespace

Vertices::Vertices(const scene::Scene& scene, const Grid& grid) : places_(scene.positions.size()) {
  if (places_.size() > INT32_MAX) throw Error("the scene has more than 2^31 vertices");
  const GridRef ref = grid_ref(grid);
  parallel_for(size_t{0}, places_.size(), [&](size_t i) { places_[i] = place_of(ref, scene.positions[i]); });
  std::vector<uint32_t> order(places_.size());
  std::iota(order.begin(), order.end(), 0u);
  tbb::parallel_sort(order, [&](uint32_t a, uint32_t b) {
    return places_[a] != places_[b] ? places_[a] < places_[b] : a < b;
  });
  numbers_.resize(places_.size());
  for (size_t i = 0; i < order.size(); ++i) {
    if (i == 0 || places_[order[i]] != places_[order[i - 1]]) positions_.push_back(order[i]);
    numbers_[order[i]] = static_cast<uint32_t>(positions_.size()) - 1;
  }
}

namespace {

constexpr uint64_t kNoEdge = UINT64_MAX;

// Returns an edge as a number: the lower vertex, the upper one, and in the lowest bit its direction.
uint64_t edge_number(uint32_t from, uint32_t to) {
  if (from == to) return kNoEdge;
  return from < to ? uint64_t{from} << 32 | uint64_t{to} << 1 : uint64_t{to} << 32 | uint64_t{from} << 1 | 1;
}

// Returns the edges that are passed more often in one direction than back, as often as they are.
std::vector<OpenEdge> unpaired(std::vector<uint64_t> edges) {
  tbb::parallel_sort(edges);
  std::vector<OpenEdge> open;
  for (size_t begin = 0, end = 0; begin < edges.size() && edges[begin] != kNoEdge; begin = end) {
    int64_t sum = 0;
    for (end = begin; end < edges.size() && edges[end] >> 1 == edges[begin] >> 1; ++end)
      sum += (edges[end] & 1) == 0 ? 1 : -1;
    const auto low = static_cast<uint32_t>(edges[begin] >> 32),
               high = static_cast<uint32_t>(edges[begin] & UINT32_MAX) >> 1;
    for (; sum > 0; --sum) open.push_back({low, high});
    for (; sum < 0; ++sum) open.push_back({high, low});
  }
  std::ranges::sort(open, {}, [](const OpenEdge& edge) { return std::pair(edge.from, edge.to); });
  return open;
}

// Divides open edges into cycles.
class Cycles {
 public:
  Cycles(const scene::Scene& scene, const Vertices& vertices, std::span<const OpenEdge> edges)
      : scene_(scene), vertices_(vertices), edges_(edges), is_used_(edges.size()) {
    for (size_t i = edges.size(); i-- > 0;) first_of_[edges[i].from] = i;
  }

  // Calls visit(vertices of the cycle).
  template <class Visit>
  void for_each(Visit visit) {
    std::unordered_map<uint32_t, size_t> place_in_path;
    for (size_t first = 0; first < edges_.size(); ++first) {
      if (is_used_[first]) continue;
      std::vector<uint32_t> path = {edges_[first].from};
      place_in_path = {{path[0], 0}};
      for (std::optional<size_t> edge = first; edge; edge = next_edge(path)) {
        is_used_[*edge] = true;
        const uint32_t to = edges_[*edge].to;
        const auto [known, is_new] = place_in_path.try_emplace(to, path.size());
        if (is_new) {
          path.push_back(to);
          continue;
        }
        const size_t begin = known->second;
        visit(std::span<const uint32_t>(path).subspan(begin));
        for (size_t i = begin + 1; i < path.size(); ++i) place_in_path.erase(path[i]);
        path.resize(begin + 1);
      }
    }
  }

 private:
  Vec3d direction(uint32_t from, uint32_t to) const {
    const Vec3d way = position(to) - position(from);
    const double length = std::sqrt(dot(way, way));
    return length > 0 ? way * (1 / length) : way;
  }
  const Vec3d& position(uint32_t vertex) const { return scene_.positions[vertices_.position_of(vertex)]; }

  // Returns the edge along which a path goes on, or nothing at its end.
  std::optional<size_t> next_edge(const std::vector<uint32_t>& path) {
    const uint32_t here = path.back();
    const auto known = first_of_.find(here);
    if (known == first_of_.end()) return std::nullopt;
    const auto begins_here = [&](size_t i) { return i < edges_.size() && edges_[i].from == here; };
    size_t& first = known->second;
    while (begins_here(first) && is_used_[first]) ++first;
    const Vec3d came = path.size() > 1 ? direction(path[path.size() - 2], here) : Vec3d{0, 0, 0};
    std::optional<size_t> best;
    double least = 0;
    for (size_t i = first; i < first + kMostLookedAt && begins_here(i); ++i) {
      if (is_used_[i]) continue;
      const double along = dot(came, direction(here, edges_[i].to));
      if (!best || along < least) best = i, least = along;
    }
    return best;
  }

  const scene::Scene& scene_;
  const Vertices& vertices_;
  std::span<const OpenEdge> edges_;
  std::vector<bool> is_used_;
  static constexpr size_t kMostLookedAt = 64;  // edges, where very many begin at one vertex
  std::unordered_map<uint32_t, size_t>
      first_of_;  // of each vertex, its first edge that is not used, or one before it
};

}  // namespace

std::vector<OpenEdge> open_edges_of(std::span<const uint32_t> corners, std::span<const uint8_t> crossed) {
  std::vector<uint64_t> edges(corners.size());
  parallel_for(size_t{0}, crossed.size(), [&](size_t i) {
    for (size_t c = 0; c < 3; ++c) {
      const uint32_t from = corners[3 * i + c], to = corners[3 * i + (c == 2 ? 0 : c + 1)];
      edges[3 * i + c] = crossed[i] == 0 ? kNoEdge : edge_number(from, to);
    }
  });
  return unpaired(std::move(edges));
}

std::vector<std::vector<uint32_t>> cycles_of(const scene::Scene& scene, const Vertices& vertices,
                                             std::span<const OpenEdge> edges) {
  std::vector<std::vector<uint32_t>> cycles;
  Cycles(scene, vertices, edges).for_each([&](std::span<const uint32_t> cycle) {
    cycles.emplace_back(cycle.begin(), cycle.end());
  });
  return cycles;
}

namespace {

using GapCell = std::array<int64_t, 3>;

struct GapCellHash {
  size_t operator()(const GapCell& cell) const {
    return mix64(mix64(mix64(static_cast<uint64_t>(cell[0])) + static_cast<uint64_t>(cell[1])) +
                 static_cast<uint64_t>(cell[2]));
  }
};

// The joints that have been found, in cells as wide as a gap.
class JointCells {
 public:
  explicit JointCells(double width) : width_(width) {}

  // Returns the first joint that is at most as far away as a gap is wide, or nothing.
  std::optional<uint32_t> near(Vec3d at) const {
    const GapCell cell = cell_of(at);
    std::optional<uint32_t> first;
    for (int64_t z = cell[2] - 1; z <= cell[2] + 1; ++z)
      for (int64_t y = cell[1] - 1; y <= cell[1] + 1; ++y)
        for (int64_t x = cell[0] - 1; x <= cell[0] + 1; ++x) {
          const auto known = cells_.find({x, y, z});
          if (known == cells_.end()) continue;
          for (const auto& [place, joint] : known->second)
            if (length(place - at) <= width_ && (!first || joint < *first)) first = joint;
        }
    return first;
  }
  void add(Vec3d at, uint32_t joint) { cells_[cell_of(at)].emplace_back(at, joint); }

 private:
  GapCell cell_of(Vec3d at) const {
    const auto along = [&](double part) { return static_cast<int64_t>(std::floor(part / width_)); };
    return {along(at.x), along(at.y), along(at.z)};
  }

  double width_;
  std::unordered_map<GapCell, std::vector<std::pair<Vec3d, uint32_t>>, GapCellHash> cells_;
};

}  // namespace

BorderJoints::BorderJoints(const scene::Scene& scene, const Vertices& vertices, const Grid& grid,
                           std::span<const OpenEdge> edges, double width) {
  if (!(width > 0)) return;
  std::vector<uint32_t> border;
  for (const OpenEdge& edge : edges) border.insert(border.end(), {edge.from, edge.to});
  std::ranges::sort(border);
  border.erase(std::unique(border.begin(), border.end()), border.end());
  joints_.resize(vertices.count());
  std::iota(joints_.begin(), joints_.end(), 0u);
  const GridRef ref = grid_ref(grid);
  JointCells joints(width);
  for (const uint32_t vertex : border) {
    const Vec3d at = ref.in_voxels(scene.positions[vertices.position_of(vertex)]);
    if (!within_guard(at)) continue;  // far outside of the grid
    if (const auto joint = joints.near(at)) {
      joints_[vertex] = *joint;
      ++joined_;
    } else {
      joints.add(at, vertex);
    }
  }
}

std::vector<OpenEdge> BorderJoints::between_joints(std::span<const OpenEdge> edges) const {
  std::vector<uint64_t> numbers(edges.size());
  for (size_t i = 0; i < edges.size(); ++i)
    numbers[i] = edge_number(joint_of(edges[i].from), joint_of(edges[i].to));
  return unpaired(std::move(numbers));
}

namespace {

struct EdgeOfTriangle {
  uint64_t edge;  // the lower vertex, then the upper one
  uint32_t triangle;
  uint32_t is_reversed;  // 1 if the triangle passes from the upper vertex to the lower one
};

// Groups of triangles, with a bit for each triangle: whether it faces the other way than the group's first one.
class FacingGroups {
 public:
  explicit FacingGroups(size_t triangles) : above_(triangles), turned_(triangles) {
    std::iota(above_.begin(), above_.end(), 0u);
  }

  struct Place {
    uint32_t group;
    uint8_t turned;
  };
  Place place_of(uint32_t triangle) {
    uint32_t group = triangle;
    uint8_t turned = 0;
    for (; above_[group] != group; group = above_[group]) turned ^= turned_[group];
    for (uint8_t rest = turned; above_[triangle] != group && triangle != group;) {
      const uint32_t next = above_[triangle];
      const uint8_t here = std::exchange(turned_[triangle], rest);
      above_[triangle] = group;
      rest ^= here;
      triangle = next;
    }
    return {group, turned};
  }

  // Two triangles face the same way, or opposite ways. What is known already stays.
  void join(uint32_t a, uint32_t b, bool opposite) {
    const Place first = place_of(a), second = place_of(b);
    if (first.group == second.group) return;
    above_[second.group] = first.group;
    turned_[second.group] = static_cast<uint8_t>(first.turned ^ second.turned ^ (opposite ? 1 : 0));
  }

 private:
  std::vector<uint32_t> above_;
  std::vector<uint8_t> turned_;  // against the triangle above
};

std::vector<EdgeOfTriangle> sorted_edges(std::span<const uint32_t> corners, std::span<const uint8_t> counts) {
  std::vector<EdgeOfTriangle> edges(corners.size());
  parallel_for(size_t{0}, counts.size(), [&](size_t i) {
    for (size_t c = 0; c < 3; ++c) {
      const uint64_t from = corners[3 * i + c], to = corners[3 * i + (c == 2 ? 0 : c + 1)];
      EdgeOfTriangle& edge = edges[3 * i + c];
      edge = {from < to ? from << 32 | to : to << 32 | from, static_cast<uint32_t>(i), from < to ? 0u : 1u};
      if (counts[i] == 0 || from == to) edge.edge = UINT64_MAX;
    }
  });
  tbb::parallel_sort(edges, [](const EdgeOfTriangle& a, const EdgeOfTriangle& b) {
    return std::tie(a.edge, a.triangle, a.is_reversed) < std::tie(b.edge, b.triangle, b.is_reversed);
  });
  return edges;
}

using Corners = std::array<uint32_t, 3>;

Corners sorted_corners(std::span<const uint32_t> corners, size_t triangle) {
  Corners sorted = {corners[3 * triangle], corners[3 * triangle + 1], corners[3 * triangle + 2]};
  std::ranges::sort(sorted);
  return sorted;
}

}  // namespace

uint64_t turn_triangles(scene::Scene& scene, std::span<uint32_t> corners, std::span<const uint8_t> counts) {
  FacingGroups groups(counts.size());
  const bool leaves_some_out = std::ranges::find(counts, 0) != counts.end();
  const std::vector<EdgeOfTriangle> edges = sorted_edges(corners, counts);
  for (size_t begin = 0, end = 0; begin < edges.size() && edges[begin].edge != UINT64_MAX; begin = end) {
    for (end = begin; end < edges.size() && edges[end].edge == edges[begin].edge;) ++end;
    const EdgeOfTriangle &first = edges[begin], &last = edges[end - 1];
    if (end - begin == 2 && first.triangle != last.triangle)
      groups.join(first.triangle, last.triangle, first.is_reversed == last.is_reversed);
  }
  std::vector<std::array<double, 2>> areas(counts.size());  // of groups, by the way that triangles face
  const auto position = [&](size_t i, size_t c) { return scene.positions[scene.triangles[i].position[c]]; };
  for (size_t i = 0; i < counts.size(); ++i) {
    const auto [group, turned] = groups.place_of(static_cast<uint32_t>(i));
    const Vec3d normal = cross(position(i, 1) - position(i, 0), position(i, 2) - position(i, 0));
    areas[group][turned] += std::sqrt(dot(normal, normal));
  }
  uint64_t count = 0;
  const auto turn = [&](size_t i) {
    scene::Triangle& triangle = scene.triangles[i];
    std::swap(triangle.position[1], triangle.position[2]);
    std::swap(triangle.texcoord[1], triangle.texcoord[2]);
    std::swap(corners[3 * i + 1], corners[3 * i + 2]);
    ++count;
  };
  std::set<Corners> turned_corners;
  for (size_t i = 0; i < counts.size(); ++i) {
    const auto [group, turned] = groups.place_of(static_cast<uint32_t>(i));
    const uint8_t kept = areas[group][1] > areas[group][0] ? 1 : 0;
    if (counts[i] == 0 || turned == kept) continue;
    if (leaves_some_out) turned_corners.insert(sorted_corners(corners, i));
    turn(i);
  }
  for (size_t i = 0; leaves_some_out && i < counts.size(); ++i)
    if (counts[i] == 0 && turned_corners.contains(sorted_corners(corners, i))) turn(i);
  return count;
}

}  // namespace vox::voxelize
