#include "libvox/voxelize/close_holes.h"

#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/parallel_sort.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numeric>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "libvox/base/bits.h"
#include "libvox/base/error.h"
#include "libvox/base/progress.h"
#include "libvox/voxelize/duplicates.h"
#include "libvox/voxelize/prepare.h"

namespace vox::voxelize {
namespace {

// A vertex as snapped. Two positions of a mesh that snap to one place are one vertex.
using Place = std::array<int64_t, 3>;

Place place_of(const GridRef& grid, const Vec3d& position) {
  const Vec3d voxels = grid.in_voxels(position);
  if (within_guard(voxels)) {
    const Int3 snapped = grid.snap(voxels);
    return {snapped.x, snapped.y, snapped.z};
  }
  // Too far away for whole numbers, which are far below the bits of such a coordinate.
  return {std::bit_cast<int64_t>(voxels.x), std::bit_cast<int64_t>(voxels.y),
          std::bit_cast<int64_t>(voxels.z)};
}

// The vertices of a mesh, by numbers in the order of their places.
class Vertices {
 public:
  Vertices(const scene::Scene& scene, const Grid& grid) : places_(scene.positions.size()) {
    if (places_.size() > INT32_MAX) throw Error("the scene has more than 2^31 vertices");
    const GridRef ref = grid_ref(grid);
    tbb::parallel_for(size_t{0}, places_.size(),
                      [&](size_t i) { places_[i] = place_of(ref, scene.positions[i]); });
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

  size_t count() const { return positions_.size(); }
  uint32_t number_of(uint32_t position) const { return numbers_[position]; }
  // Returns a position of the mesh that snaps to this vertex.
  uint32_t position_of(uint32_t number) const { return positions_[number]; }
  const Place& place_of_position(uint32_t position) const { return places_[position]; }

 private:
  std::vector<Place> places_;        // of positions
  std::vector<uint32_t> numbers_;    // of positions
  std::vector<uint32_t> positions_;  // of vertices
};

TriangleShape shape_of(const Vertices& vertices, const scene::Triangle& triangle) {
  TriangleShape shape = {};
  for (size_t c = 0; c < 3; ++c) {
    const Place& place = vertices.place_of_position(triangle.position[c]);
    shape.corner[c] = {static_cast<int32_t>(place[0]), static_cast<int32_t>(place[1]),
                       static_cast<int32_t>(place[2])};
  }
  return shape;
}

// Returns the triangles that lie exactly on others and do not count, in ascending order.
std::vector<uint32_t> duplicates_of(const scene::Scene& scene, const Vertices& vertices) {
  std::vector<std::pair<uint64_t, uint32_t>> keys(scene.triangles.size());
  tbb::parallel_for(size_t{0}, keys.size(), [&](size_t i) {
    std::array<uint32_t, 3> corners = {};
    for (size_t c = 0; c < 3; ++c) corners[c] = vertices.number_of(scene.triangles[i].position[c]);
    std::ranges::sort(corners);
    keys[i] = {mix64(mix64(mix64(corners[0]) + corners[1]) + corners[2]), static_cast<uint32_t>(i)};
  });
  tbb::parallel_sort(keys);
  std::vector<uint32_t> twins;
  for (size_t i = 0; i < keys.size(); ++i)
    if ((i > 0 && keys[i - 1].first == keys[i].first) ||
        (i + 1 < keys.size() && keys[i + 1].first == keys[i].first))
      twins.push_back(keys[i].second);
  if (twins.empty()) return twins;
  std::vector<TriangleShape> shapes;
  for (const uint32_t number : twins) shapes.push_back(shape_of(vertices, scene.triangles[number]));
  uint64_t with_area = 0;
  for (const scene::Triangle& triangle : scene.triangles) with_area += has_area(shape_of(vertices, triangle));
  return duplicates_among(twins, shapes, with_area);
}

struct OpenEdge {
  uint32_t from, to;
};

// True for triangles that are drawn nowhere and that no ray crosses.
bool is_invisible(const scene::Triangle& triangle, const scene::IndexedScene& indexed) {
  const scene::IndexedMaterial& material = indexed.materials[triangle.material];
  return material.invisible && (material.texture == scene::kNone || triangle.texcoord[0] == scene::kNone);
}

// Returns for each triangle 1 if rays cross it, otherwise 0.
std::vector<uint8_t> crossed_triangles(const scene::Scene& scene, const scene::IndexedScene& indexed,
                                       const Vertices& vertices) {
  std::vector<uint8_t> crossed(scene.triangles.size());
  tbb::parallel_for(size_t{0}, crossed.size(),
                    [&](size_t i) { crossed[i] = is_invisible(scene.triangles[i], indexed) ? 0 : 1; });
  for (const uint32_t duplicate : duplicates_of(scene, vertices)) crossed[duplicate] = 0;
  return crossed;
}

// Returns the vertices of all triangles, three for each.
std::vector<uint32_t> corners_of(const scene::Scene& scene, const Vertices& vertices) {
  std::vector<uint32_t> corners(3 * scene.triangles.size());
  tbb::parallel_for(size_t{0}, scene.triangles.size(), [&](size_t i) {
    for (size_t c = 0; c < 3; ++c) corners[3 * i + c] = vertices.number_of(scene.triangles[i].position[c]);
  });
  return corners;
}

// Returns the open edges, as often as they are passed once too often.
std::vector<OpenEdge> open_edges_of(std::span<const uint32_t> corners, std::span<const uint8_t> crossed) {
  // An edge is a number: the lower vertex, the upper one, and in the lowest bit its direction.
  std::vector<uint64_t> edges(corners.size());
  constexpr uint64_t kNone = UINT64_MAX;
  tbb::parallel_for(size_t{0}, crossed.size(), [&](size_t i) {
    for (size_t c = 0; c < 3; ++c) {
      const uint64_t from = corners[3 * i + c], to = corners[3 * i + (c == 2 ? 0 : c + 1)];
      edges[3 * i + c] = crossed[i] == 0 || from == to ? kNone
                         : from < to                   ? from << 32 | to << 1
                                                       : to << 32 | from << 1 | 1;
    }
  });
  tbb::parallel_sort(edges);
  std::vector<OpenEdge> open;
  for (size_t begin = 0, end = 0; begin < edges.size() && edges[begin] != kNone; begin = end) {
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

// Divides open edges into cycles. As many of them begin at each vertex as end there.
//
// Where a path can go on along several edges, it takes the one that turns back most. So two borders that run side by side
// between common ends, as those of faces do that were triangulated apart, are one narrow cycle and not parts of two wide
// ones.
class Cycles {
 public:
  // The edges must be sorted.
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

double area_of(const Vec3d& a, const Vec3d& b, const Vec3d& c) {
  const Vec3d normal = cross(b - a, c - a);
  return std::sqrt(dot(normal, normal)) / 2;
}

// A part, whose triangles share vertices, is a body unless what is open is larger than this share of its surface.
constexpr double kLargestOpening = 0.7;

// The parts of a mesh that have open edges.
class OpenParts {
 public:
  OpenParts(const scene::Scene& scene, const Vertices& vertices, std::span<const uint32_t> corners,
            std::span<const uint8_t> crossed, const std::vector<std::vector<uint32_t>>& cycles)
      : above_(vertices.count()) {
    std::iota(above_.begin(), above_.end(), 0u);
    const auto position = [&](uint32_t vertex) { return scene.positions[vertices.position_of(vertex)]; };
    const auto vertex = [&](size_t i, size_t c) { return corners[3 * i + c]; };
    for (size_t i = 0; i < crossed.size(); ++i)
      for (const size_t c : {1u, 2u})
        if (crossed[i] != 0) join(vertex(i, 0), vertex(i, c));
    for (uint32_t number = 0; number < above_.size(); ++number) above_[number] = part_of(number);
    for (const std::vector<uint32_t>& cycle : cycles) {
      Vec3d middle = {0, 0, 0};
      for (const uint32_t corner : cycle) middle = middle + position(corner);
      middle = middle * (1. / static_cast<double>(cycle.size()));
      double& excess = excess_[above_[cycle[0]]];
      for (size_t i = 0; i < cycle.size(); ++i)
        excess += area_of(position(cycle[i]), position(cycle[i + 1 == cycle.size() ? 0 : i + 1]), middle);
    }
    for (size_t i = 0; i < crossed.size(); ++i) {
      if (crossed[i] == 0) continue;
      if (const auto part = excess_.find(above_[vertex(i, 0)]); part != excess_.end())
        part->second -=
            kLargestOpening * area_of(position(vertex(i, 0)), position(vertex(i, 1)), position(vertex(i, 2)));
    }
  }

  bool is_sheet(uint32_t vertex) const {
    const auto part = excess_.find(above_[vertex]);
    return part != excess_.end() && part->second > 0;
  }
  uint64_t sheets() const {
    return static_cast<uint64_t>(
        std::ranges::count_if(excess_, [](const auto& part) { return part.second > 0; }));
  }

 private:
  uint32_t part_of(uint32_t vertex) {
    while (above_[vertex] != vertex) vertex = above_[vertex] = above_[above_[vertex]];
    return vertex;
  }
  void join(uint32_t a, uint32_t b) {
    a = part_of(a), b = part_of(b);
    above_[std::max(a, b)] = std::min(a, b);
  }

  std::vector<uint32_t> above_;  // of each vertex, in the end one that its whole part shares
  std::unordered_map<uint32_t, double>
      excess_;  // of parts with open edges: area of what is open, less the share
};

// Adds the material of membranes: its texture is a hole everywhere.
uint32_t add_membrane_material(scene::Scene& scene, scene::IndexedScene& indexed) {
  scene::IndexedTexture texture;
  texture.levels = {{1, 1, 0}};
  texture.nibbles.assign(4, 0);
  texture.opaque.assign(1, 0);
  const bool has_colors =
      std::ranges::any_of(indexed.textures, [](const auto& other) { return !other.colors.empty(); });
  if (has_colors) texture.nibbles = {}, texture.colors.assign(32, 0);
  indexed.textures.push_back(std::move(texture));
  indexed.materials.push_back({.texture = static_cast<uint32_t>(indexed.textures.size()) - 1});
  scene.materials.push_back({.name = "membrane"});
  return static_cast<uint32_t>(indexed.materials.size()) - 1;
}

class Membranes {
 public:
  Membranes(scene::Scene& scene, const Vertices& vertices, uint32_t material, ClosedHoles& counts)
      : scene_(scene), vertices_(vertices), material_(material), counts_(counts) {
    texcoord_ = static_cast<uint32_t>(scene.texcoords.size());
    scene.texcoords.push_back({0.5f, 0.5f});
  }

  void close(std::span<const uint32_t> cycle) {
    const std::vector<uint32_t> corners = corners_of(cycle);
    measure(corners);
    const uint32_t times = times_closed_[key_of(cycle)]++;
    if (corners.size() == 3 && times == 0) return add(corners[2], corners[1], corners[0]);
    const uint32_t middle = add_middle(corners, times);
    for (size_t i = 0; i < corners.size(); ++i)
      add(corners[i + 1 == corners.size() ? 0 : i + 1], corners[i], middle);
  }

  // Lies on a triangle and faces the other way, so that a ray through both has crossed nothing.
  void cover(size_t triangle) {
    const auto [a, b, c] = scene_.triangles[triangle].position;
    add(c, b, a);
  }

 private:
  std::vector<uint32_t> corners_of(std::span<const uint32_t> cycle) const {
    std::vector<uint32_t> corners;
    for (const uint32_t vertex : cycle) corners.push_back(vertices_.position_of(vertex));
    return corners;
  }

  // Returns a key that cycles through the same vertices share.
  static uint64_t key_of(std::span<const uint32_t> cycle) {
    uint64_t sum = 0;
    for (const uint32_t vertex : cycle) sum += mix64(vertex + 1);
    return sum;
  }

  void measure(const std::vector<uint32_t>& corners) {
    Vec3d low = scene_.positions[corners[0]], high = low;
    for (const uint32_t corner : corners)
      for (uint32_t axis = 0; axis < 3; ++axis) {
        low[axis] = std::min(low[axis], scene_.positions[corner][axis]);
        high[axis] = std::max(high[axis], scene_.positions[corner][axis]);
      }
    counts_.largest = std::max(counts_.largest, std::sqrt(dot(high - low, high - low)));
    ++counts_.holes;
  }

  // A cycle that is closed again has another middle, so that its membranes do not lie exactly on the first ones.
  uint32_t add_middle(const std::vector<uint32_t>& corners, uint32_t times) {
    Vec3d sum = scene_.positions[corners[0]] * static_cast<double>(times);
    for (const uint32_t corner : corners) sum = sum + scene_.positions[corner];
    scene_.positions.push_back(sum * (1. / static_cast<double>(corners.size() + times)));
    if (!scene_.colors.empty()) scene_.colors.push_back({255, 255, 255, 255});
    return static_cast<uint32_t>(scene_.positions.size()) - 1;
  }

  void add(uint32_t a, uint32_t b, uint32_t c) {
    scene_.triangles.push_back({{a, b, c}, {texcoord_, texcoord_, texcoord_}, material_});
    ++counts_.membranes;
  }

  scene::Scene& scene_;
  const Vertices& vertices_;
  uint32_t material_, texcoord_ = 0;
  std::unordered_map<uint64_t, uint32_t> times_closed_;
  ClosedHoles& counts_;
};

}  // namespace

ClosedHoles close_holes(scene::Scene& scene, scene::IndexedScene& indexed, const Grid& grid) {
  ClosedHoles counts;
  const Vertices vertices(scene, grid);
  const std::vector<uint8_t> crossed = crossed_triangles(scene, indexed, vertices);
  std::vector<uint32_t> corners = corners_of(scene, vertices);
  std::vector<OpenEdge> open = open_edges_of(corners, crossed);
  if (open.empty()) return counts;
  throw_if_cancelled();
  counts.turned = turn_triangles(scene, corners, crossed);
  if (counts.turned > 0) open = open_edges_of(corners, crossed);
  counts.open_edges = open.size();
  if (open.empty()) return counts;
  std::vector<std::vector<uint32_t>> cycles;
  Cycles(scene, vertices, open).for_each([&](std::span<const uint32_t> cycle) {
    cycles.emplace_back(cycle.begin(), cycle.end());
  });
  Membranes membranes(scene, vertices, add_membrane_material(scene, indexed), counts);
  const OpenParts parts(scene, vertices, corners, crossed, cycles);
  counts.sheets = parts.sheets();
  for (const std::vector<uint32_t>& cycle : cycles)
    if (!parts.is_sheet(cycle[0])) membranes.close(cycle);
  for (size_t i = 0; i < crossed.size(); ++i)
    if (crossed[i] != 0 && parts.is_sheet(corners[3 * i])) membranes.cover(i);
  return counts;
}

}  // namespace vox::voxelize
