#include "formats/mesh/gltf_scene.h"

#include <fmt/format.h>
#include <tbb/blocked_range.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "formats/mesh/gltf_json.h"
#include "libvox/base/error.h"
#include "libvox/base/log.h"
#include "libvox/base/loops.h"
#include "libvox/base/units.h"
#include "libvox/scene/oklab.h"

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

namespace {

constexpr uint64_t kVertexGrain = 1 << 14;

void in_parallel(uint64_t first, uint64_t end, const auto& body) {
  parallel_for(tbb::blocked_range<uint64_t>(first, end, kVertexGrain),
               [&](const tbb::blocked_range<uint64_t>& range) { body(range.begin(), range.end()); });
}

constexpr std::array<double, 3> kOrigin = {0, 0, 0};

// Calls body(i, Vec3d) for positions, and for the vectors that are added to them.
void for_each_vector(const GltfElements& elements, uint64_t first, uint64_t end, auto body) {
  for_each_element<3>(elements, first, end, kOrigin, [&](uint64_t i, const std::array<double, 3>& p) {
    body(i, Vec3d{p[0], p[1], p[2]});
  });
}

// Sums over a vertex's joints: of their weighted maps, and of their weights.
struct Blend {
  Affine map = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
  double weight = 0;

  void add(const Affine& joint, double w) {
    map = {map.x + joint.x * w, map.y + joint.y * w, map.z + joint.z * w, map.origin + joint.origin * w};
    weight += w;
  }
};

void add_bones(const GltfVertices::Bones& bones, const std::vector<Affine>& joints, uint64_t first,
               uint64_t end, std::vector<Blend>& blends) {
  std::vector<std::array<double, 4>> weights(end - first);
  for_each_element<4>(*bones.weights, first, end, {},
                      [&](uint64_t i, const std::array<double, 4>& w) { weights[i - first] = w; });
  for_each_element<4>(*bones.joints, first, end, {}, [&](uint64_t i, const std::array<double, 4>& joint) {
    for (size_t k = 0; k < 4; ++k) {
      if (weights[i - first][k] == 0) continue;  // then the joint may be any number
      if (joint[k] >= static_cast<double>(joints.size()))
        throw Error(
            fmt::format("vertex {} follows joint {}, but the skin has {}", i, joint[k], joints.size()));
      blends[i - first].add(joints[static_cast<size_t>(joint[k])], weights[i - first][k]);
    }
  });
}

// Applies the skin to the positions in `to`. Weights are divided by their sum; a vertex without weights
// follows the first joint.
void apply_skin(const GltfVertices& vertices, const std::vector<Affine>& joints, uint64_t first, uint64_t end,
                Vec3d* to) {
  std::vector<Blend> blends(end - first);
  for (const GltfVertices::Bones& bones : vertices.bones) add_bones(bones, joints, first, end, blends);
  for (uint64_t i = 0; i < blends.size(); ++i) {
    if (blends[i].weight == 0) blends[i].add(joints[0], 1);
    to[i] = blends[i].map(to[i]) * (1 / blends[i].weight);
  }
}

}  // namespace

void write_gltf_positions(const GltfVertices& vertices, const GltfInstance& instance, uint64_t first,
                          uint64_t end, Vec3d* to) {
  bool skinned = instance.joints && !vertices.bones.empty();
  bool plain = !skinned && vertices.morphs.empty();
  in_parallel(first, end, [&](uint64_t from, uint64_t until) {
    Vec3d* place = to + (from - first);
    if (plain) {
      for_each_vector(*vertices.positions, from, until,
                      [&](uint64_t i, Vec3d p) { place[i - from] = instance.transform(p); });
      return;
    }
    for_each_vector(*vertices.positions, from, until, [&](uint64_t i, Vec3d p) { place[i - from] = p; });
    for (const GltfVertices::Morph& morph : vertices.morphs)
      for_each_vector(*morph.offsets, from, until, [&](uint64_t i, Vec3d offset) {
        place[i - from] = place[i - from] + offset * morph.weight;
      });
    if (skinned) {
      apply_skin(vertices, *instance.joints, from, until, place);
    } else {
      for (uint64_t i = 0; i < until - from; ++i) place[i] = instance.transform(place[i]);
    }
  });
}

void write_gltf_colors(const GltfVertices& vertices, uint64_t first, uint64_t end, scene::Rgba8* to) {
  constexpr std::array<double, 4> kWhite = {1, 1, 1, 1};
  bool emits = vertices.emission != std::array{0.0, 0.0, 0.0};
  in_parallel(first, end, [&](uint64_t from, uint64_t until) {
    for_each_element<4>(*vertices.colors, from, until, kWhite, [&](uint64_t i, std::array<double, 4> color) {
      for (size_t c = 0; emits && c < 3; ++c) {
        double sum = std::min(vertices.base[c] + vertices.emission[c], 1.0);
        double value = std::clamp(color[c], 0.0, 1.0);
        if (sum > 0) color[c] = (vertices.base[c] * value + vertices.emission[c]) / sum;
      }
      double alpha = color[3] > 0 ? std::min(color[3], 1.0) : 0;
      to[i - first] = {scene::linear_to_srgb(color[0]), scene::linear_to_srgb(color[1]),
                       scene::linear_to_srgb(color[2]), static_cast<uint8_t>(std::lround(alpha * 255))};
    });
  });
}

}  // namespace vox
