#include "formats/mesh/gltf_scene.h"

#include <fmt/format.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_invoke.h>

#include <algorithm>

#include "formats/mesh/gltf_meshes.h"
#include "formats/mesh/texture_files.h"
#include "libvox/base/error.h"
#include "libvox/base/log.h"
#include "libvox/base/memory.h"
#include "libvox/base/units.h"

namespace vox {
namespace {

constexpr scene::Rgba8 kWhite = {255, 255, 255, 255};

// Vertices of an instance, and their place in the scene.
struct VertexBlock {
  const GltfVertices* vertices;
  const GltfInstance* instance;
  VertexRange range;
  uint64_t first_position;
};

struct TriangleBlock {
  const GltfCorners* corners;
  TriangleTarget target;
  uint64_t first_triangle;
};

class GltfSceneBuilder {
 public:
  GltfSceneBuilder(const GltfDocument& document, const std::filesystem::path& path,
                   const MeshOptions& options, std::span<const std::byte> binary)
      : buffers_(document, path.parent_path(), open_folders(path, options), binary),
        accessors_(document, buffers_),
        materials_(document, buffers_, TextureFiles(path, options)),
        meshes_(document, buffers_, accessors_, materials_),
        instances_(find_gltf_instances(document, accessors_)) {}

  scene::Scene build() {
    prepare();
    meshes_.find_ranges();
    place_texcoords();
    place_instances();
    check_memory(triangles_);
    scene::Scene scene;
    tbb::parallel_invoke([&] { materials_.finish(scene); }, [&] { write_positions(scene); },
                         [&] { write_texcoords(scene); }, [&] { write_all_triangles(scene); });
    meshes_.log_what_is_special();
    auto skinned =
        std::ranges::count_if(instances_, [](const GltfInstance& i) { return i.joints != nullptr; });
    if (skinned > 0)
      log_info("{}, shown in the rest pose",
               skinned == 1 ? "1 mesh with a skin" : fmt::format("{} meshes with skins", skinned));
    return scene;
  }

 private:
  void prepare() {
    meshes_.decode(instances_);
    uint64_t triangles = 0;
    for (const GltfInstance& instance : instances_) {
      const PreparedMesh& mesh = meshes_.prepare(instance);
      prepared_.push_back(&mesh);
      triangles += std::min(mesh.triangles, kMaxTriangles);
    }
    check_memory(triangles);
  }

  // Throws Error if the triangles need too much memory. A small file can place a mesh many times.
  void check_memory(uint64_t triangles) const {
    if (triangles > kMaxTriangles || positions_ >= scene::kNone || texcoords_ >= scene::kNone)
      throw Error(fmt::format("{} triangles with {} vertices, including instances, are too many",
                              format_count(triangles), format_count(std::max(positions_, texcoords_))))
          .hint(fmt::format("at most {} triangles are supported", format_count(kMaxTriangles)));
    uint64_t bytes = triangles * sizeof(scene::Triangle) + texcoords_ * sizeof(Vec2f) +
                     positions_ * (sizeof(Vec3d) + (colored_ ? sizeof(scene::Rgba8) : 0));
    if (bytes > available_bytes())
      throw Error(fmt::format("{} triangles, including instances, need {} of memory, but {} are free",
                              format_count(triangles), format_bytes(bytes), format_bytes(available_bytes())));
  }

  void place_texcoords() {
    for (const GltfTexcoords& texcoords : meshes_.texcoords()) {
      first_texcoord_.push_back(texcoords_);
      texcoords_ += texcoords.range.end - texcoords.range.first;
    }
  }

  void place_instances() {
    for (size_t i = 0; i < instances_.size(); ++i) {
      const PreparedMesh& mesh = *prepared_[i];
      size_t first_block = vertex_blocks_.size();
      for (size_t v = 0; v < mesh.vertices.size(); ++v) {
        vertex_blocks_.push_back({&mesh.vertices[v], &instances_[i], mesh.ranges[v], positions_});
        positions_ += mesh.ranges[v].end - mesh.ranges[v].first;
        colored_ |= mesh.vertices[v].colors != nullptr;
      }
      for (const PreparedPrimitive& primitive : mesh.primitives) place(primitive, first_block);
    }
  }

  void place(const PreparedPrimitive& primitive, size_t first_block) {
    const VertexBlock& block = vertex_blocks_[first_block + primitive.vertices];
    TriangleTarget target = {
        .position_shift = static_cast<uint32_t>(block.first_position - block.range.first),
        .material = primitive.material};
    if (primitive.texcoords != scene::kNone) {
      const GltfTexcoords& texcoords = meshes_.texcoords()[primitive.texcoords];
      target.textured = true;
      target.texcoord_shift =
          static_cast<uint32_t>(first_texcoord_[primitive.texcoords] - texcoords.range.first);
    }
    triangle_blocks_.push_back({&primitive.corners, target, triangles_});
    triangles_ += triangle_count(primitive.corners);
  }

  void write_positions(scene::Scene& scene) const {
    scene.positions.resize(positions_);
    if (colored_) scene.colors.resize(positions_, kWhite);
    tbb::parallel_for(size_t{0}, vertex_blocks_.size(), [&](size_t i) {
      const auto& [vertices, instance, range, first] = vertex_blocks_[i];
      write_gltf_positions(*vertices, *instance, range.first, range.end, scene.positions.data() + first);
      if (vertices->colors) write_gltf_colors(*vertices, range.first, range.end, scene.colors.data() + first);
    });
  }

  void write_texcoords(scene::Scene& scene) const {
    scene.texcoords.resize(texcoords_);
    tbb::parallel_for(size_t{0}, first_texcoord_.size(), [&](size_t i) {
      const GltfTexcoords& texcoords = meshes_.texcoords()[i];
      const GltfUvMap& map = texcoords.map;
      const VertexRange& range = texcoords.range;
      Vec2f* to = scene.texcoords.data() + first_texcoord_[i];
      tbb::parallel_for(tbb::blocked_range<uint64_t>(range.first, range.end, 1 << 14), [&](const auto& part) {
        for_each_element<2>(*texcoords.elements, part.begin(), part.end(), {},
                            [&](uint64_t v, const std::array<double, 2>& uv) {
                              to[v - range.first] = {
                                  static_cast<float>(map.u_u * uv[0] + map.u_v * uv[1] + map.u_0),
                                  static_cast<float>(map.v_u * uv[0] + map.v_v * uv[1] + map.v_0)};
                            });
      });
    });
  }

  void write_all_triangles(scene::Scene& scene) const {
    scene.triangles.resize(triangles_);
    tbb::parallel_for(size_t{0}, triangle_blocks_.size(), [&](size_t i) {
      const auto& [corners, target, first] = triangle_blocks_[i];
      write_triangles(*corners, target, scene.triangles.data() + first);
    });
  }

  GltfBuffers buffers_;
  GltfAccessors accessors_;
  GltfMaterials materials_;
  GltfMeshes meshes_;
  std::vector<GltfInstance> instances_;
  std::vector<const PreparedMesh*> prepared_;  // one for each instance
  std::vector<VertexBlock> vertex_blocks_;
  std::vector<TriangleBlock> triangle_blocks_;
  std::vector<uint64_t> first_texcoord_;  // one for each item of meshes_.texcoords()
  uint64_t positions_ = 0, texcoords_ = 0, triangles_ = 0;
  bool colored_ = false;
};

}  // namespace

scene::Scene gltf_scene(const GltfDocument& document, const std::filesystem::path& path,
                        const MeshOptions& options, std::span<const std::byte> binary) {
  return GltfSceneBuilder(document, path, options, binary).build();
}

}  // namespace vox
