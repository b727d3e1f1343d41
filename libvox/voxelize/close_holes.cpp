
#include <oneapi/tbb/parallel_sort.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_map>
#include <utility>
#include <vector>

#include "libvox/base/bits.h"
#include "libvox/base/error.h"
#include "libvox/base/loops.h"
#include "libvox/base/progress.h"
#include "libvox/voxelize/joined_sets.h"
#include "libvox/voxelize/mesh_faults.h"
#include "libvox/voxelize/prepare.h"

namespace vox::voxelize {
namespace {

TriangleShape shape_of(const Vertices& vertices, const scene::Triangle& triangle) {
  TriangleShape shape = {};
  for (size_t c = 0; c < 3; ++c) {
    const Vertices::Place& place = vertices.place_of_position(triangle.position[c]);
    shape.corner[c] = {static_cast<int32_t>(place[0]), static_cast<int32_t>(place[1]),
                       static_cast<int32_t>(place[2])};
  }
  return shape;
}

// Returns the triangles that lie exactly on others and do not count, in ascending order.
std::vector<uint32_t> duplicates_of(const scene::Scene& scene, const Vertices& vertices) {
  std::vector<std::pair<uint64_t, uint32_t>> keys(scene.triangles.size());
  parallel_for(size_t{0}, keys.size(), [&](size_t i) {
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

// True for triangles that are drawn nowhere and that no ray crosses.
bool is_invisible(const scene::Triangle& triangle, const scene::IndexedScene& indexed) {
  const scene::IndexedMaterial& material = indexed.materials[triangle.material];
  return material.invisible && (material.texture == scene::kNone || triangle.texcoord[0] == scene::kNone);
}

// Returns for each triangle 1 if rays cross it, otherwise 0.
std::vector<uint8_t> crossed_triangles(const scene::Scene& scene, const scene::IndexedScene& indexed,
                                       const Vertices& vertices) {
  std::vector<uint8_t> crossed(scene.triangles.size());
  parallel_for(size_t{0}, crossed.size(),
               [&](size_t i) { crossed[i] = is_invisible(scene.triangles[i], indexed) ? 0 : 1; });
  for (const uint32_t duplicate : duplicates_of(scene, vertices)) crossed[duplicate] = 0;
  return crossed;
}

// Returns the vertices of all triangles, three for each.
std::vector<uint32_t> corners_of(const scene::Scene& scene, const Vertices& vertices) {
  std::vector<uint32_t> corners(3 * scene.triangles.size());
  parallel_for(size_t{0}, scene.triangles.size(), [&](size_t i) {
    for (size_t c = 0; c < 3; ++c) corners[3 * i + c] = vertices.number_of(scene.triangles[i].position[c]);
  });
  return corners;
}

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
            std::span<const uint8_t> crossed, const BorderJoints& joints,
            const std::vector<std::vector<uint32_t>>& cycles)
      : parts_(vertices.count()) {
    const auto position = [&](uint32_t vertex) { return scene.positions[vertices.position_of(vertex)]; };
    const auto vertex = [&](size_t i, size_t c) { return corners[3 * i + c]; };
    for (size_t i = 0; i < crossed.size(); ++i)
      for (const size_t c : {1u, 2u})
        if (crossed[i] != 0) parts_.join(vertex(i, 0), vertex(i, c));
    for (uint32_t number = 0; number < parts_.size(); ++number) parts_.join(number, joints.joint_of(number));
    parts_.finish();
    for (const std::vector<uint32_t>& cycle : cycles) {
      Vec3d middle = {0, 0, 0};
      for (const uint32_t corner : cycle) middle = middle + position(corner);
      middle = middle * (1. / static_cast<double>(cycle.size()));
      double& excess = excess_[parts_[cycle[0]]];
      for (size_t i = 0; i < cycle.size(); ++i)
        excess += area_of(position(cycle[i]), position(cycle[i + 1 == cycle.size() ? 0 : i + 1]), middle);
    }
    for (size_t i = 0; i < crossed.size(); ++i) {
      if (crossed[i] == 0) continue;
      if (const auto part = excess_.find(parts_[vertex(i, 0)]); part != excess_.end())
        part->second -=
            kLargestOpening * area_of(position(vertex(i, 0)), position(vertex(i, 1)), position(vertex(i, 2)));
    }
  }

  bool is_sheet(uint32_t vertex) const {
    const auto part = excess_.find(parts_[vertex]);
    return part != excess_.end() && part->second > 0;
  }
  uint64_t sheets() const {
    return static_cast<uint64_t>(
        std::ranges::count_if(excess_, [](const auto& part) { return part.second > 0; }));
  }

 private:
  JoinedSets parts_;  // of vertices
  std::unordered_map<uint32_t, double>
      excess_;  // of parts with open edges: area of what is open, less the share
};

// Adds the material of membranes: its texture is a hole everywhere.
uint32_t add_membrane_material(scene::Scene& scene, scene::IndexedScene& indexed) {
  scene::IndexedTexture texture;
  texture.levels = {{1, 1, 0}};
  texture.opaque.assign(1, 0);
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

  // Leads from an open edge to the edge between its joints.
  void bridge(const OpenEdge& edge, const BorderJoints& joints) {
    const uint32_t from = joints.joint_of(edge.from), to = joints.joint_of(edge.to);
    if (from != edge.from) add_between(edge.to, edge.from, from);
    if (to != edge.to && from != to) add_between(edge.to, from, to);
  }

  // Lies on a triangle and faces the other way, so that a ray through both has crossed nothing.
  void cover(size_t triangle) {
    const auto [a, b, c] = scene_.triangles[triangle].position;
    add(c, b, a);
    ++counts_.covers;
  }

 private:
  void add_between(uint32_t a, uint32_t b, uint32_t c) {
    if (a == b || b == c || c == a) return;
    add(vertices_.position_of(a), vertices_.position_of(b), vertices_.position_of(c));
  }

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

ClosedHoles close_holes(scene::Scene& scene, scene::IndexedScene& indexed, const Grid& grid, double gap) {
  ClosedHoles counts;
  const Vertices vertices(scene, grid);
  const std::vector<uint8_t> crossed = crossed_triangles(scene, indexed, vertices);
  std::vector<uint32_t> corners = corners_of(scene, vertices);
  std::vector<OpenEdge> open = open_edges_of(corners, crossed);
  if (open.empty()) return counts;
  throw_if_cancelled();
  counts.turned = turn_triangles(scene, corners, crossed);
  if (counts.turned > 0) open = open_edges_of(corners, crossed);
  if (gap > 0) {
    // Parts on both sides of a gap are neighbors, too.
    const BorderJoints joints(scene, vertices, grid, open, gap);
    for (uint32_t& corner : corners) corner = joints.joint_of(corner);
    const uint64_t turned = turn_triangles(scene, corners, crossed);
    corners = corners_of(scene, vertices);
    if (turned > 0) open = open_edges_of(corners, crossed);
    counts.turned += turned;
  }
  counts.open_edges = open.size();
  if (open.empty()) return counts;
  const BorderJoints joints(scene, vertices, grid, open, gap);
  counts.joined = joints.joined();
  const std::vector<std::vector<uint32_t>> cycles =
      cycles_of(scene, vertices, counts.joined > 0 ? joints.between_joints(open) : open);
  const OpenParts parts(scene, vertices, corners, crossed, joints, cycles);
  Membranes membranes(scene, vertices, add_membrane_material(scene, indexed), counts);
  counts.sheets = parts.sheets();
  for (const std::vector<uint32_t>& cycle : cycles)
    if (!parts.is_sheet(cycle[0])) membranes.close(cycle);
  if (counts.joined > 0)
    for (const OpenEdge& edge : open)
      if (!parts.is_sheet(edge.from)) membranes.bridge(edge, joints);
  for (size_t i = 0; i < crossed.size(); ++i)
    if (crossed[i] != 0 && parts.is_sheet(corners[3 * i])) membranes.cover(i);
  return counts;
}

}  // namespace vox::voxelize
