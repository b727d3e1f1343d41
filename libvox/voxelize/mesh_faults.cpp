#include "libvox/voxelize/mesh_faults.h"

#include <tbb/parallel_sort.h>

#include <algorithm>
#include <map>
#include <utility>

#include "libvox/base/loops.h"
#include "libvox/voxelize/close_holes.h"
#include "libvox/voxelize/open_edges.h"

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

}  // namespace vox::voxelize
