// Turns a mesh into snapped triangles on the device.
#pragma once

#include <algorithm>
#include <optional>

#include "libvox/base/error.h"
#include "libvox/device/pool.h"
#include "libvox/voxelize/prepare.h"

namespace vox::voxelize {

// A byte for each triangle: the number of shapes that it becomes, and a flag if the host cuts
// it.
struct ShapeCounts {
  static constexpr uint8_t kCut = 0x80;
  uint8_t* counts;

  VOX_HD uint32_t operator()(uint64_t i) const { return counts[i] & (kCut - 1u); }
};

struct CountShapes {
  MeshRef mesh;
  ShapeCounts shapes;
  VOX_HD void operator()(uint64_t i) const {
    const scene::Triangle triangle = mesh.triangles[i];
    const TriangleCorners corners = mesh.corners(triangle);
    const bool whole = within_guard(corners[0]) && within_guard(corners[1]) && within_guard(corners[2]);
    shapes.counts[i] = !mesh.reaches_grid(corners) || !mesh.visible(triangle) ? 0
                       : whole                                                ? 1
                                                                              : ShapeCounts::kCut;
  }
};

struct IsCut {
  ShapeCounts shapes;
  VOX_HD bool operator()(uint64_t i) const { return (shapes.counts[i] & ShapeCounts::kCut) != 0; }
};

struct CountCutParts {
  const CutPart* parts;
  ShapeCounts shapes;
  VOX_HD void operator()(uint64_t i) const {
    const CutPart& part = parts[i];
    if (part.place == 0) shapes.counts[part.triangle] = static_cast<uint8_t>(ShapeCounts::kCut | part.count);
  }
};

// Writes the shapes of the triangles that are not cut.
struct WriteShapes {
  MeshRef mesh;
  ShapeCounts counts;
  const uint32_t* first;
  TriangleShape* shapes;
  TriangleShading* shadings;  // nullptr if they are not read
  VOX_HD void operator()(uint64_t i) const {
    if (counts.counts[i] != 1) return;
    const scene::Triangle triangle = mesh.triangles[i];
    const TriangleCorners corners = mesh.corners(triangle);
    TriangleShape shape;
    for (uint32_t c = 0; c < 3; ++c) shape.corner[c] = mesh.grid.snap(corners[c]);
    shape.material = mesh.shown_material(triangle);
    shapes[first[i]] = shape;
    if (!shadings) return;
    TriangleShading shading;
    for (uint32_t c = 0; c < 3; ++c) shading.texcoord[c] = mesh.texcoord(triangle, c);
    for (uint32_t c = 0; c < 3; ++c) shading.color[c] = mesh.color(triangle, c);
    shading.level = mesh.level(triangle, corners);
    shadings[first[i]] = shading;
  }
};

struct WriteCutParts {
  const CutPart* parts;
  const uint32_t* first;
  TriangleShape* shapes;
  TriangleShading* shadings;
  VOX_HD void operator()(uint64_t i) const {
    const CutPart& part = parts[i];
    const uint64_t to = uint64_t{first[part.triangle]} + part.place;
    shapes[to] = part.shape;
    if (shadings) shadings[to] = part.shading;
  }
};

inline bool reads_shadings(const PreparedMaterials& materials, Attributes attributes) {
  return attributes == Attributes::OfMaterials ||
         std::any_of(materials.materials.begin(), materials.materials.end(), [](const MaterialRef& material) {
           return (material.flags & MaterialRef::kHasHoles) != 0;
         });
}

// A mesh in the device's memory.
template <class Device>
class MeshOnDevice {
 public:
  MeshOnDevice(Device& device, const scene::Scene& scene, const PreparedMaterials& materials)
      : positions_(device, scene.positions),
        triangles_(device, scene.triangles),
        materials_(device, materials.materials) {}

  // Uploads the arrays from which shadings are made.
  void add_attributes(Device& device, const scene::Scene& scene, const PreparedMaterials& materials) {
    colors_.emplace(device, scene.colors);
    texcoords_.emplace(device, scene.texcoords);
    levels_.emplace(device, materials.levels);
  }

  // Returns the same mesh with pointers into the device's memory.
  MeshRef ref(MeshRef mesh) const {
    mesh.positions = positions_.data();
    mesh.triangles = triangles_.data();
    mesh.materials = materials_.data();
    mesh.colors = colors_ && mesh.colors ? colors_->data() : nullptr;
    mesh.texcoords = texcoords_ ? texcoords_->data() : nullptr;
    mesh.levels = levels_ ? levels_->data() : nullptr;
    return mesh;
  }

 private:
  device::HostArray<Device, Vec3d> positions_;
  device::HostArray<Device, scene::Triangle> triangles_;
  device::HostArray<Device, MaterialRef> materials_;
  std::optional<device::HostArray<Device, scene::Rgba8>> colors_;
  std::optional<device::HostArray<Device, Vec2f>> texcoords_;
  std::optional<device::HostArray<Device, TextureLevelRef>> levels_;
};

template <class Device>
PreparedTriangles prepare_triangles(Device& device, const scene::Scene& scene,
                                    const PreparedMaterials& materials, const Grid& grid,
                                    const PrepareOptions& options) {
  const uint64_t triangles = scene.triangles.size();
  auto check_count = [](uint64_t count) {
    if (count >= UINT32_MAX) throw Error("the scene has more than 2^32 triangles");
  };
  check_count(triangles);
  const MeshRef on_host = {scene.positions.data(),
                           scene.colors.empty() ? nullptr : scene.colors.data(),
                           scene.texcoords.data(),
                           scene.triangles.data(),
                           materials.materials.data(),
                           materials.levels.data(),
                           grid_ref(grid),
                           static_cast<uint32_t>(materials.materials.size() / 2),
                           options.solid ? 1u : 0u};
  const bool shaded = reads_shadings(materials, options.attributes);
  MeshOnDevice<Device> on_device(device, scene, materials);
  if (shaded) on_device.add_attributes(device, scene, materials);
  const MeshRef mesh = on_device.ref(on_host);

  auto bytes = device.template make<uint8_t>(triangles);
  auto first = device.template make<uint32_t>(triangles + 1);
  const ShapeCounts counts = {bytes.data()};
  device.for_each({"count shapes", 100}, triangles, CountShapes{mesh, counts});
  const uint64_t cut_count =
      device.select({"select cut triangles", 1}, triangles, IsCut{counts}, first.data());
  device::Buffer<CutPart> parts;
  if (cut_count > 0) {
    std::vector<uint32_t> cut(cut_count);
    device.download(cut.data(), first.data(), cut_count);
    parts = device::uploaded(device, cut_triangles(on_host, cut));
    device.for_each("count cut parts", parts.size(), CountCutParts{parts.data(), counts});
  }
  const uint64_t total = device.exclusive_scan({"places of shapes", 5}, triangles, counts, first.data());
  check_count(total);

  PreparedTriangles prepared;
  prepared.shapes = device.template make<TriangleShape>(total);
  if (shaded) prepared.shadings = device.template make<TriangleShading>(total);
  TriangleShape* const shapes = prepared.shapes.data();
  TriangleShading* const shadings = prepared.shadings.data();
  device.for_each({"write shapes", 180}, triangles,
                  WriteShapes{mesh, counts, first.data(), shapes, shadings});
  device.for_each("write cut parts", parts.size(),
                  WriteCutParts{parts.data(), first.data(), shapes, shadings});
  return prepared;
}

}  // namespace vox::voxelize
