#include "formats/mesh/gltf_meshes.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>

#include "formats/mesh/gltf_extensions.h"
#include "formats/mesh/gltf_place.h"
#include "libvox/base/log.h"
#include "libvox/base/units.h"

namespace vox {
namespace {

using enum GltfComponent;

constexpr uint64_t kAnyNumber = std::numeric_limits<uint64_t>::max();

VertexRange united(VertexRange a, VertexRange b) {
  if (a.first == a.end) return b;
  return {.first = std::min(a.first, b.first), .end = std::max(a.end, b.end)};
}

std::string place_of(uint32_t mesh, uint32_t primitive) {
  return fmt::format("meshes[{}].primitives[{}]", mesh, primitive);
}

// Returns the item's index in the list. The item is appended unless it equals one of the `candidates`.
template <class Item>
uint32_t index_of(std::vector<Item>& list, const Item& item, std::vector<uint32_t>& candidates) {
  for (uint32_t candidate : candidates)
    if (list[candidate] == item) return candidate;
  candidates.push_back(static_cast<uint32_t>(list.size()));
  list.push_back(item);
  return candidates.back();
}

bool is_surface(GltfMode mode) {
  return mode == GltfMode::Triangles || mode == GltfMode::Strip || mode == GltfMode::Fan;
}

}  // namespace

GltfMeshes::GltfMeshes(const GltfDocument& document, GltfBuffers& buffers, GltfAccessors& accessors,
                       GltfMaterials& materials)
    : document_(document), buffers_(buffers), accessors_(accessors), materials_(materials) {}

void GltfMeshes::decode(const std::vector<GltfInstance>& instances) {
  std::vector<std::pair<uint32_t, uint32_t>> keys;
  std::vector<DracoJob> jobs;
  std::set<uint32_t> shown;
  for (const GltfInstance& instance : instances) shown.insert(instance.mesh);
  for (uint32_t m : shown) {
    const std::vector<GltfPrimitive>& primitives = document_.meshes[m].primitives;
    for (uint32_t p = 0; p < primitives.size(); ++p) {
      if (primitives[p].draco_view == scene::kNone) continue;
      at_place([&] { return place_of(m, p); },
               [&] {
                 DracoJob job = {.place = place_of(m, p),
                                 .data = buffers_.view(primitives[p].draco_view),
                                 .attributes = {}};
                 for (const auto& [name, id] : primitives[p].draco_ids.list) {
                   uint32_t accessor = primitives[p].attributes.find(name);
                   if (accessor == scene::kNone) continue;  // without an accessor its type is unknown
                   const GltfAccessor& type = item_of(document_.accessors, accessor, "accessors");
                   job.attributes.push_back(
                       {.name = name, .id = id, .width = type.width, .component = type.component});
                 }
                 keys.emplace_back(m, p);
                 jobs.push_back(std::move(job));
               });
    }
  }
  std::vector<DracoMesh> meshes = decode_draco(jobs);
  for (size_t i = 0; i < keys.size(); ++i) {
    Decoded& decoded = draco_[keys[i]];
    decoded.mesh = std::move(meshes[i]);
    const GltfPrimitive& primitive = document_.meshes[keys[i].first].primitives[keys[i].second];
    for (const auto& [name, bytes] : decoded.mesh.attributes)
      decoded.elements[name] =
          decoded.mesh.elements(name, document_.accessors[primitive.attributes.find(name)]);
  }
}

const PreparedMesh& GltfMeshes::prepare(const GltfInstance& instance) {
  const GltfNode& node = document_.nodes[instance.node];
  const GltfMesh& mesh = document_.meshes[instance.mesh];
  Key key = {instance.mesh, instance.joints != nullptr, node.weights.empty() ? mesh.weights : node.weights};
  if (auto known = meshes_.find(key); known != meshes_.end()) return known->second;
  PreparedMesh& prepared = meshes_[key];
  for (uint32_t p = 0; p < mesh.primitives.size(); ++p)
    at_place([&] { return place_of(instance.mesh, p); },
             [&] { prepare(source_of(instance.mesh, p), key, prepared); });
  return prepared;
}

GltfMeshes::Source GltfMeshes::source_of(uint32_t mesh, uint32_t primitive) {
  Source source = {.number = primitive,
                   .primitive = &document_.meshes[mesh].primitives[primitive],
                   .draco = nullptr,
                   .draco_elements = nullptr};
  if (auto decoded = draco_.find({mesh, primitive}); decoded != draco_.end()) {
    source.draco = &decoded->second.mesh;
    source.draco_elements = &decoded->second.elements;
  }
  return source;
}

void GltfMeshes::prepare(const Source& source, const Key& key, PreparedMesh& mesh) {
  if (!is_surface(source.primitive->mode)) return void(++without_triangles_);
  if (source.primitive->attributes.find("POSITION") == scene::kNone) return void(++without_positions_);
  uint32_t material = materials_.use(source.primitive->material);
  GltfVertices vertices = vertices_of(source, key, material);
  PreparedPrimitive primitive = {.number = source.number,
                                 .corners = corners_of(source, vertices.positions->count),
                                 .material = material};
  uint64_t triangles = triangle_count(primitive.corners);
  if (triangles == 0) return;
  primitive.vertices = index_of(mesh.vertices, vertices, mesh.same_positions[vertices.positions]);
  primitive.texcoords = texcoords_of(source, material, vertices.positions->count);
  mesh.primitives.push_back(primitive);
  mesh.triangles += triangles;
}

const GltfElements* GltfMeshes::attribute(const Source& source, const std::string& name,
                                          std::initializer_list<std::string_view> types,
                                          std::initializer_list<GltfComponent> components,
                                          uint64_t vertices) {
  uint32_t index = source.primitive->attributes.find(name);
  if (index == scene::kNone) return nullptr;
  return at_place(
      [&] { return name; },
      [&] {
        accessors_.check(index, types, components);
        bool decoded = source.draco && source.draco_elements->contains(name);
        const GltfElements& elements = decoded ? source.draco_elements->at(name) : accessors_.get(index);
        if (vertices == kAnyNumber ? elements.count >= scene::kNone : elements.count < vertices)
          throw Error(fmt::format("accessors[{}] has {} elements for {} vertices", index, elements.count,
                                  vertices == kAnyNumber ? "too many" : std::to_string(vertices)));
        return &elements;
      });
}

GltfCorners GltfMeshes::corners_of(const Source& source, uint64_t vertices) {
  const GltfPrimitive& primitive = *source.primitive;
  GltfCorners corners = {.mode = primitive.mode, .indices = {}, .count = vertices};
  if (source.draco) {
    corners = {.mode = GltfMode::Triangles, .indices = source.draco->index_elements(), .count = 0};
    corners.count = corners.indices.count;
  } else if (primitive.indices != scene::kNone) {
    accessors_.check(primitive.indices, {"SCALAR"}, {Uint8, Uint16, Uint32});
    corners.indices = accessors_.get(primitive.indices);
    corners.count = corners.indices.count;
  }
  if (corners.mode == GltfMode::Triangles && corners.count % 3 != 0) {
    ++incomplete_;
    corners.count -= corners.count % 3;
  }
  return corners;
}

GltfVertices GltfMeshes::vertices_of(const Source& source, const Key& key, uint32_t material) {
  GltfVertices vertices;
  vertices.positions =
      attribute(source, "POSITION", {"VEC3"}, {Float, Int8, Uint8, Int16, Uint16}, kAnyNumber);
  uint64_t count = vertices.positions->count;
  vertices.colors = attribute(source, "COLOR_0", {"VEC3", "VEC4"}, {Float, Uint8, Uint16}, count);
  const GltfMaterials::Use& use = materials_.uses()[material];
  if (vertices.colors && use.emission != std::array{0.0, 0.0, 0.0}) {
    std::copy_n(use.material.base_color.begin(), 3, vertices.base.begin());
    vertices.emission = use.emission;
  }
  for (uint32_t set = 0; std::get<bool>(key); ++set) {
    GltfVertices::Bones bones = {
        .joints = attribute(source, fmt::format("JOINTS_{}", set), {"VEC4"}, {Uint8, Uint16}, count),
        .weights =
            attribute(source, fmt::format("WEIGHTS_{}", set), {"VEC4"}, {Float, Uint8, Uint16}, count)};
    if (!bones.joints || !bones.weights) break;
    vertices.bones.push_back(bones);
  }
  add_morphs(source, key, vertices);
  return vertices;
}

void GltfMeshes::add_morphs(const Source& source, const Key& key, GltfVertices& vertices) {
  const std::vector<GltfAttributes>& targets = source.primitive->targets;
  const auto& weights = std::get<std::vector<double>>(key);
  if (!targets.empty()) ++morphed_;
  for (size_t t = 0; t < std::min(targets.size(), weights.size()); ++t) {
    uint32_t index = targets[t].find("POSITION");
    if (weights[t] == 0 || index == scene::kNone) continue;
    at_place([&] { return fmt::format("targets[{}].POSITION", t); },
             [&] {
               accessors_.check(index, {"VEC3"}, {Float, Int8, Uint8, Int16, Uint16});
               const GltfElements& offsets = accessors_.get(index);
               if (offsets.count < vertices.positions->count)
                 throw Error(fmt::format("accessors[{}] has {} elements for {} vertices", index,
                                         offsets.count, vertices.positions->count));
               vertices.morphs.push_back({.weight = weights[t], .offsets = &offsets});
             });
  }
}

uint32_t GltfMeshes::texcoords_of(const Source& source, uint32_t material, uint64_t vertices) {
  const GltfMaterials::Use& use = materials_.uses()[material];
  if (!use.textured) return scene::kNone;
  auto set = [&](uint32_t n) {
    return attribute(source, fmt::format("TEXCOORD_{}", n), {"VEC2"}, {Float, Int8, Uint8, Int16, Uint16},
                     vertices);
  };
  const GltfElements* elements = set(use.set);
  if (!elements && use.set > 0) {
    elements = set(0);
    other_set_ += elements != nullptr;
  }
  if (!elements) return scene::kNone;
  return index_of(texcoords_, GltfTexcoords{.elements = elements, .map = use.map, .range = {}},
                  same_texcoords_[elements]);
}

void GltfMeshes::find_ranges() {
  for (auto& entry : meshes_) {
    uint32_t number = std::get<0>(entry.first);
    PreparedMesh& mesh = entry.second;
    mesh.ranges.resize(mesh.vertices.size());
    for (const PreparedPrimitive& primitive : mesh.primitives) {
      VertexRange& range = mesh.ranges[primitive.vertices];
      uint64_t vertices = mesh.vertices[primitive.vertices].positions->count;
      VertexRange found = at_place([&] { return place_of(number, primitive.number); },
                                   [&] { return find_range(primitive.corners, vertices); });
      range = united(range, found);
      if (primitive.texcoords == scene::kNone) continue;
      VertexRange& sampled = texcoords_[primitive.texcoords].range;
      sampled = united(sampled, found);
    }
  }
}

void GltfMeshes::log_what_is_special() const {
  if (without_triangles_ > 0)
    log_info("{} with points or lines ignored", format_count(without_triangles_, "primitive"));
  if (without_positions_ > 0)
    log_info("{} without positions ignored", format_count(without_positions_, "primitive"));
  if (incomplete_ > 0)
    log_warning("{} with one or two corners after the last triangle, which are ignored",
                format_count(incomplete_, "primitive"));
  if (other_set_ > 0)
    log_warning("{} without the texture coordinates that the material uses; TEXCOORD_0 is used instead",
                format_count(other_set_, "primitive"));
  if (morphed_ > 0)
    log_info("{} with morph targets, shown with the file's own weights", format_count(morphed_, "primitive"));
}

}  // namespace vox
