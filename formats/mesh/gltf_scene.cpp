#include "formats/mesh/gltf_scene.h"

#include <fmt/format.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_invoke.h>

#include <algorithm>
#include <limits>
#include <map>
#include <new>

#include "formats/mesh/gltf_document.h"
#include "formats/mesh/gltf_json.h"
#include "formats/mesh/mesh.h"
#include "libvox/base/error.h"
#include "libvox/base/log.h"
#include "libvox/base/loops.h"
#include "libvox/base/process.h"
#include "libvox/base/units.h"

namespace vox {
namespace {

using enum GltfComponent;

// Returns the parent of every node, kNone for roots.
std::vector<uint32_t> find_parents(const std::vector<GltfNode>& nodes) {
  std::vector<uint32_t> parents(nodes.size(), scene::kNone);
  for (uint32_t i = 0; i < nodes.size(); ++i)
    at_item("nodes", i, [&] {
      for (uint32_t child : nodes[i].children) {
        item_of(nodes, child, "nodes");
        if (parents[child] != scene::kNone)
          throw Error(fmt::format("has the child nodes[{}], which nodes[{}] has too; nodes must form a tree",
                                  child, parents[child]));
        parents[child] = i;
      }
    });
  return parents;
}

// Returns every node's map to the scene. Each node has one parent, so nodes that cannot be reached from a
// root form cycles.
std::vector<Affine> find_globals(const std::vector<GltfNode>& nodes, const std::vector<uint32_t>& parents) {
  std::vector<Affine> globals(nodes.size());
  std::vector<uint32_t> reached;
  for (uint32_t i = 0; i < nodes.size(); ++i)
    if (parents[i] == scene::kNone) {
      globals[i] = nodes[i].local;
      reached.push_back(i);
    }
  for (size_t next = 0; next < reached.size(); ++next)
    for (uint32_t child : nodes[reached[next]].children) {
      globals[child] = globals[reached[next]] * nodes[child].local;
      reached.push_back(child);
    }
  if (reached.size() < nodes.size())
    throw Error("some nodes are their own ancestors; nodes must form a tree");
  return globals;
}

std::vector<uint32_t> roots_to_show(const GltfDocument& document, const std::vector<uint32_t>& parents) {
  std::vector<uint32_t> roots;
  if (document.scenes.empty()) {
    for (uint32_t i = 0; i < parents.size(); ++i)
      if (parents[i] == scene::kNone) roots.push_back(i);
    return roots;
  }
  uint32_t scene = document.scene == scene::kNone ? 0 : document.scene;
  roots = item_of(document.scenes, scene, "scenes");
  std::vector<bool> seen(document.nodes.size());
  for (uint32_t root : roots)
    at_item("scenes", scene, [&] {
      item_of(document.nodes, root, "nodes");
      if (parents[root] != scene::kNone)
        throw Error(fmt::format("lists nodes[{}], which is a child of nodes[{}]", root, parents[root]));
      if (seen[root]) throw Error(fmt::format("lists nodes[{}] twice", root));
      seen[root] = true;
    });
  return roots;
}

// Returns the nodes below the roots in depth-first order. It does not recurse, because files choose the
// depth.
std::vector<uint32_t> nodes_below(const std::vector<GltfNode>& nodes, const std::vector<uint32_t>& roots) {
  std::vector<uint32_t> order, stack(roots.rbegin(), roots.rend());
  while (!stack.empty()) {
    uint32_t node = stack.back();
    stack.pop_back();
    order.push_back(node);
    const std::vector<uint32_t>& children = nodes[node].children;
    stack.insert(stack.end(), children.rbegin(), children.rend());
  }
  return order;
}

std::vector<Affine> joint_maps(const GltfDocument& document, uint32_t index,
                               const std::vector<Affine>& globals, GltfAccessors& accessors) {
  const GltfSkin& skin = item_of(document.skins, index, "skins");
  return at_item("skins", index, [&] {
    std::vector<Affine> maps;
    for (uint32_t joint : skin.joints) {
      item_of(document.nodes, joint, "nodes");
      maps.push_back(globals[joint]);
    }
    if (maps.empty()) throw Error("has no joints");
    if (skin.inverse_bind_matrices == scene::kNone) return maps;
    accessors.check(skin.inverse_bind_matrices, {"MAT4"}, {Float});
    const GltfElements& inverse = accessors.get(skin.inverse_bind_matrices);
    if (inverse.count < maps.size())
      throw Error(fmt::format("has {} joints, but {} inverse bind matrices", maps.size(), inverse.count));
    for_each_element<16>(inverse, 0, maps.size(), {}, [&](uint64_t i, const std::array<double, 16>& matrix) {
      maps[i] = maps[i] * affine_of(matrix);
    });
    return maps;
  });
}

// Returns the maps of EXT_mesh_gpu_instancing to the node's own space.
std::vector<Affine> instance_maps(const GltfAttributes& instancing, GltfAccessors& accessors) {
  const GltfElements *translation = nullptr, *rotation = nullptr, *scale = nullptr;
  uint64_t count = std::numeric_limits<uint64_t>::max();
  auto take = [&](const char* name, const GltfElements*& elements, std::string_view type,
                  std::initializer_list<GltfComponent> components) {
    uint32_t index = instancing.find(name);
    if (index == scene::kNone) return;
    accessors.check(index, {type}, components);
    elements = &accessors.get(index);
    if (count != std::numeric_limits<uint64_t>::max() && elements->count != count)
      throw Error(fmt::format("{} has {} elements, other attributes {}", name, elements->count, count));
    count = elements->count;
  };
  take("TRANSLATION", translation, "VEC3", {Float});
  take("ROTATION", rotation, "VEC4", {Float, Int8, Int16});
  take("SCALE", scale, "VEC3", {Float});
  if (count == std::numeric_limits<uint64_t>::max()) return {Affine()};  // there are only custom attributes
  if (count * sizeof(GltfInstance) > available_bytes())
    throw Error(fmt::format("{} instances are too many", format_count(count)));

  std::vector<Affine> maps(count);
  for (uint64_t i = 0; i < count; ++i) {
    auto at = [&]<size_t N>(const GltfElements* elements, std::array<double, N> value) {
      if (elements)
        for_each_element<N>(*elements, i, i + 1, value, [&](uint64_t, const auto& found) { value = found; });
      return value;
    };
    auto t = at(translation, std::array{0.0, 0.0, 0.0}), s = at(scale, std::array{1.0, 1.0, 1.0});
    maps[i] = affine_of({t[0], t[1], t[2]}, at(rotation, std::array{0.0, 0.0, 0.0, 1.0}), {s[0], s[1], s[2]});
  }
  return maps;
}

}  // namespace

std::vector<GltfInstance> find_gltf_instances(const GltfDocument& document, GltfAccessors& accessors) {
  std::vector<uint32_t> parents = find_parents(document.nodes);
  std::vector<Affine> globals = find_globals(document.nodes, parents);
  std::vector<GltfInstance> instances;
  std::map<uint32_t, std::shared_ptr<const std::vector<Affine>>> skins;
  for (uint32_t index : nodes_below(document.nodes, roots_to_show(document, parents))) {
    const GltfNode& node = document.nodes[index];
    if (node.mesh == scene::kNone) continue;
    at_item("nodes", index, [&] {
      item_of(document.meshes, node.mesh, "meshes");
      GltfInstance instance = {.node = index, .mesh = node.mesh, .transform = globals[index], .joints = {}};
      if (node.skin != scene::kNone) {
        auto& joints = skins[node.skin];
        if (!joints)
          joints = std::make_shared<std::vector<Affine>>(joint_maps(document, node.skin, globals, accessors));
        instance.joints = joints;
      }
      if (instance.joints || node.instancing.list.empty()) return instances.push_back(instance);
      for (const Affine& map : instance_maps(node.instancing, accessors)) {
        instance.transform = globals[index] * map;
        instances.push_back(instance);
      }
    });
  }
  return instances;
}

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
      : document_(document),
        objects_(options.objects),
        buffers_(document, path.parent_path(), open_folders(path, options), binary),
        accessors_(document, buffers_),
        materials_(document, buffers_, TextureFiles(path, options)),
        meshes_(document, buffers_, accessors_, materials_),
        instances_(find_gltf_instances(document, accessors_)) {}

  scene::Scene build() {
    prepare();
    meshes_.find_ranges();
    place_texcoords();
    place_instances();
    check_scene_fits(triangles_, positions_, texcoords_, colored_);
    scene::Scene scene;
    tbb::parallel_invoke([&] { materials_.finish(scene); }, [&] { write_positions(scene); },
                         [&] { write_texcoords(scene); }, [&] { write_all_triangles(scene); });
    if (objects_ == MeshObjects::Apart) split_by_object(scene, runs_);
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
    check_scene_fits(triangles, positions_, texcoords_, colored_);
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
      if (objects_ == MeshObjects::Apart) runs_.push_back({triangles_, object_of(instances_[i])});
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
    parallel_for(size_t{0}, vertex_blocks_.size(), [&](size_t i) {
      const auto& [vertices, instance, range, first] = vertex_blocks_[i];
      write_gltf_positions(*vertices, *instance, range.first, range.end, scene.positions.data() + first);
      if (vertices->colors) write_gltf_colors(*vertices, range.first, range.end, scene.colors.data() + first);
    });
  }

  void write_texcoords(scene::Scene& scene) const {
    scene.texcoords.resize(texcoords_);
    parallel_for(size_t{0}, first_texcoord_.size(), [&](size_t i) {
      const GltfTexcoords& texcoords = meshes_.texcoords()[i];
      const GltfUvMap& map = texcoords.map;
      const VertexRange& range = texcoords.range;
      Vec2f* to = scene.texcoords.data() + first_texcoord_[i];
      parallel_for(tbb::blocked_range<uint64_t>(range.first, range.end, 1 << 14), [&](const auto& part) {
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
    parallel_for(size_t{0}, triangle_blocks_.size(), [&](size_t i) {
      const auto& [corners, target, first] = triangle_blocks_[i];
      write_triangles(*corners, target, scene.triangles.data() + first);
    });
  }

  // The node's own name comes first: several nodes may show one mesh.
  std::string object_of(const GltfInstance& instance) const {
    const GltfNode& node = document_.nodes[instance.node];
    return node.name.empty() ? document_.meshes[instance.mesh].name : node.name;
  }

  const GltfDocument& document_;
  const MeshObjects objects_;
  GltfBuffers buffers_;
  GltfAccessors accessors_;
  GltfMaterials materials_;
  GltfMeshes meshes_;
  std::vector<GltfInstance> instances_;
  std::vector<ObjectRun> runs_;                // if objects are kept apart
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

// The reader of glTF 2.0 (Khronos Group, ISO/IEC 12113:2022), .gltf and .glb.

scene::Scene read_gltf(const std::filesystem::path& path, const MeshOptions& options) try {
  GltfContainer file(path);
  scene::Scene scene = gltf_scene(parse_gltf(file.json()), path, options, file.binary());
  scene.unit = scene::LengthUnit::Meter;  // of all glTF files
  return scene;
} catch (const OldGltf&) {
  return read_assimp(path, options);
} catch (const Cancelled&) {
  throw;
} catch (Error& error) {
  throw error.at(path.string());
} catch (const std::bad_alloc&) {
  throw Error("out of memory while reading the file").at(path.string());
}

}  // namespace vox
