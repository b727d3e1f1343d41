#include "formats/mesh/gltf_document.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "formats/images/image.h"
#include "formats/mesh/gltf_json.h"
#include "formats/mesh/mesh.h"

namespace vox {
namespace {

namespace dom = simdjson::dom;

GltfComponent component_of(const GltfObject& object, std::string_view name) {
  uint64_t code = object.required_whole(name);
  for (auto component : {GltfComponent::Int8, GltfComponent::Uint8, GltfComponent::Int16,
                         GltfComponent::Uint16, GltfComponent::Uint32, GltfComponent::Float})
    if (code == static_cast<uint64_t>(component)) return component;
  throw Error(fmt::format("'{}' is {}, which is not a component type", name, code));
}

GltfBuffer read_buffer(const GltfObject& object) {
  GltfBuffer buffer = {.uri = {}, .size = object.required_whole("byteLength")};
  if (object.has("uri")) buffer.uri = object.text_or("uri", "");
  return buffer;
}

template <class Value>
Value named_value(const std::string& name, std::string_view member,
                  std::initializer_list<std::pair<std::string_view, Value>> values) {
  for (const auto& [known, value] : values)
    if (known == name) return value;
  throw Error(fmt::format("'{}' is '{}', which EXT_meshopt_compression does not define", member, name));
}

GltfMeshopt read_meshopt(const GltfObject& object) {
  return {.buffer = object.required_index("buffer"),
          .offset = object.whole_or("byteOffset", 0),
          .size = object.required_whole("byteLength"),
          .stride = object.required_whole("byteStride"),
          .count = object.required_whole("count"),
          .mode = named_value<MeshoptMode>(object.text_or("mode", ""), "mode",
                                           {{"ATTRIBUTES", MeshoptMode::Attributes},
                                            {"TRIANGLES", MeshoptMode::Triangles},
                                            {"INDICES", MeshoptMode::Indices}}),
          .filter = named_value<MeshoptFilter>(object.text_or("filter", "NONE"), "filter",
                                               {{"NONE", MeshoptFilter::None},
                                                {"OCTAHEDRAL", MeshoptFilter::Octahedral},
                                                {"QUATERNION", MeshoptFilter::Quaternion},
                                                {"EXPONENTIAL", MeshoptFilter::Exponential}})};
}

GltfView read_view(const GltfObject& object) {
  GltfView view = {.buffer = object.required_index("buffer"),
                   .offset = object.whole_or("byteOffset", 0),
                   .size = object.required_whole("byteLength"),
                   .stride = object.whole_or("byteStride", 0),
                   .meshopt = {}};
  if (auto meshopt = object.extension("EXT_meshopt_compression"))
    view.meshopt = at_place([] { return "EXT_meshopt_compression"; }, [&] { return read_meshopt(*meshopt); });
  return view;
}

std::optional<GltfSparse> read_sparse(const GltfObject& accessor) {
  auto object = accessor.object("sparse");
  if (!object) return std::nullopt;
  auto indices = object->object("indices"), values = object->object("values");
  if (!indices || !values) throw Error("'sparse' has no 'indices' or no 'values'");
  return GltfSparse{.count = object->required_whole("count"),
                    .index_view = indices->required_index("bufferView"),
                    .value_view = values->required_index("bufferView"),
                    .index_offset = indices->whole_or("byteOffset", 0),
                    .value_offset = values->whole_or("byteOffset", 0),
                    .index_component = component_of(*indices, "componentType")};
}

uint32_t width_of(const std::string& type) {
  static constexpr std::array<std::pair<std::string_view, uint32_t>, 7> kWidths = {
      {{"SCALAR", 1}, {"VEC2", 2}, {"VEC3", 3}, {"VEC4", 4}, {"MAT2", 4}, {"MAT3", 9}, {"MAT4", 16}}};
  for (auto [name, width] : kWidths)
    if (name == type) return width;
  throw Error(fmt::format("'type' is '{}', which is not an accessor type", type));
}

GltfAccessor read_accessor(const GltfObject& object) {
  GltfAccessor accessor = {.view = object.index("bufferView"),
                           .offset = object.whole_or("byteOffset", 0),
                           .count = object.required_whole("count"),
                           .component = component_of(object, "componentType"),
                           .type = object.text_or("type", ""),
                           .normalized = object.flag("normalized"),
                           .sparse = read_sparse(object)};
  accessor.width = width_of(accessor.type);
  return accessor;
}

GltfAttributes attributes_of(const std::optional<GltfObject>& object) {
  return {.list = object ? object->named_indices() : std::vector<std::pair<std::string, uint32_t>>()};
}

GltfPrimitive read_primitive(const GltfObject& object) {
  uint64_t mode = object.whole_or("mode", 4);
  if (mode > static_cast<uint64_t>(GltfMode::Fan))
    throw Error(fmt::format("'mode' is {}, expected 0 to 6", mode));
  GltfPrimitive primitive = {.attributes = attributes_of(object.object("attributes")),
                             .indices = object.index("indices"),
                             .material = object.index("material"),
                             .mode = static_cast<GltfMode>(mode),
                             .targets = {},
                             .draco_ids = {}};
  object.each("targets", [&](const GltfObject& target) {
    primitive.targets.push_back({.list = target.named_indices()});
  });
  if (auto draco = object.extension("KHR_draco_mesh_compression")) {
    primitive.draco_view = draco->required_index("bufferView");
    primitive.draco_ids = attributes_of(draco->object("attributes"));
  }
  return primitive;
}

GltfMesh read_mesh(const GltfObject& object) {
  GltfMesh mesh = {
      .name = object.text_or("name", ""), .primitives = {}, .weights = object.numbers("weights")};
  object.each("primitives", [&](const GltfObject& item) { mesh.primitives.push_back(read_primitive(item)); });
  return mesh;
}

Affine read_local(const GltfObject& object) {
  if (object.has("matrix")) {
    auto m = object.numbers_or<16>("matrix", {});
    if (std::abs(m[3]) + std::abs(m[7]) + std::abs(m[11]) + std::abs(m[15] - 1) > 1e-3)
      throw Error("'matrix' is not affine: its last row is not 0 0 0 1");
    return affine_of(m);
  }
  auto t = object.numbers_or<3>("translation", {0, 0, 0}), s = object.numbers_or<3>("scale", {1, 1, 1});
  return affine_of({t[0], t[1], t[2]}, object.numbers_or<4>("rotation", {0, 0, 0, 1}), {s[0], s[1], s[2]});
}

GltfNode read_node(const GltfObject& object) {
  GltfNode node = {.name = object.text_or("name", ""),
                   .children = object.indices("children"),
                   .mesh = object.index("mesh"),
                   .skin = object.index("skin"),
                   .local = read_local(object),
                   .weights = object.numbers("weights"),
                   .instancing = {}};
  if (auto instancing = object.extension("EXT_mesh_gpu_instancing"))
    node.instancing = attributes_of(instancing->object("attributes"));
  return node;
}

GltfSkin read_skin(const GltfObject& object) {
  return {.joints = object.indices("joints"), .inverse_bind_matrices = object.index("inverseBindMatrices")};
}

// Version 1 has entirely different JSON. A version after 2 states in minVersion if it can be read as 2.0.
void check_version(const GltfObject& root) {
  auto asset = root.object("asset");
  if (!asset) throw Error("not a glTF file: 'asset' is missing");
  std::string version = asset->text_or("version", "1.0");
  if (version.starts_with("1.")) throw OldGltf();
  if (!version.starts_with("2.")) {
    Error error(fmt::format("glTF version '{}' is not supported, only 2.0", version));
    throw error.hint("export it as glTF 2.0");
  }
  std::string minimum = asset->text_or("minVersion", "2.0");
  if (minimum != "2.0") throw Error(fmt::format("needs glTF {}, but only 2.0 is supported", minimum));
}

template <class Item>
std::vector<Item> read_list(const GltfObject& root, std::string_view name, Item (*read)(const GltfObject&)) {
  std::vector<Item> items;
  root.each(name, [&](const GltfObject& object) { items.push_back(read(object)); });
  return items;
}

}  // namespace

uint32_t size_of(GltfComponent component) {
  if (component == GltfComponent::Int8 || component == GltfComponent::Uint8) return 1;
  return component == GltfComponent::Int16 || component == GltfComponent::Uint16 ? 2 : 4;
}

GltfDocument parse_gltf(std::string_view json) {
  dom::parser parser;
  dom::element element;
  if (auto problem = parser.parse(json.data(), json.size()).get(element); problem != simdjson::SUCCESS)
    throw Error(fmt::format("not a glTF file: {}", simdjson::error_message(problem)))
        .hint("is the file damaged?");
  dom::object members;
  if (element.get(members) != simdjson::SUCCESS) throw Error("not a glTF file: its JSON is not an object");
  GltfObject root(members);
  check_version(root);
  check_gltf_extensions(root.texts("extensionsRequired"));
  GltfDocument document = {.buffers = read_list(root, "buffers", read_buffer),
                           .views = read_list(root, "bufferViews", read_view),
                           .accessors = read_list(root, "accessors", read_accessor),
                           .meshes = read_list(root, "meshes", read_mesh),
                           .nodes = read_list(root, "nodes", read_node),
                           .skins = read_list(root, "skins", read_skin),
                           .materials = read_list(root, "materials", read_gltf_material),
                           .textures = read_gltf_textures(root),
                           .images = read_list(root, "images", read_gltf_image),
                           .scenes = {},
                           .scene = root.index("scene")};
  root.each("scenes", [&](const GltfObject& scene) { document.scenes.push_back(scene.indices("nodes")); });
  return document;
}

namespace {

struct WrapModes {
  scene::Wrap u = scene::Wrap::Repeat, v = scene::Wrap::Repeat;
};

scene::Wrap wrap_of(const GltfObject& sampler, std::string_view name) {
  constexpr uint64_t kRepeat = 10497, kClamp = 33071, kMirror = 33648;  // as in OpenGL
  uint64_t code = sampler.whole_or(name, kRepeat);
  if (code == kClamp) return scene::Wrap::Clamp;
  if (code == kMirror) return scene::Wrap::Mirror;
  if (code != kRepeat) throw Error(fmt::format("'{}' is {}, which is not a wrap mode", name, code));
  return scene::Wrap::Repeat;
}

// Returns the matrix of KHR_texture_transform: translation · rotation · scale. The rotation is
// counter-clockwise on screen, with v down.
GltfUvMap uv_map_of(const GltfObject& transform) {
  auto offset = transform.numbers_or<2>("offset", {0, 0}), scale = transform.numbers_or<2>("scale", {1, 1});
  double rotation = transform.number_or("rotation", 0);
  double cosine = std::cos(rotation), sine = std::sin(rotation);
  return {.u_u = cosine * scale[0],
          .u_v = sine * scale[1],
          .u_0 = offset[0],
          .v_u = -sine * scale[0],
          .v_v = cosine * scale[1],
          .v_0 = offset[1]};
}

GltfTextureUse texture_use(const GltfObject& owner, std::string_view name) {
  auto object = owner.object(name);
  if (!object) return {};
  GltfTextureUse use = {
      .texture = object->required_index("index"), .set = object->whole_of_32_bits("texCoord", 0), .map = {}};
  if (auto transform = object->extension("KHR_texture_transform")) {
    use.map = uv_map_of(*transform);
    use.set = transform->whole_of_32_bits("texCoord", use.set);
  }
  return use;
}

float unit(double value) {
  return value > 0 ? static_cast<float>(std::min(value, 1.0)) : 0.0f;
}

std::array<float, 4> factor(const GltfObject& owner, std::string_view name) {
  auto color = owner.numbers_or<4>(name, {1, 1, 1, 1});
  return {unit(color[0]), unit(color[1]), unit(color[2]), unit(color[3])};
}

void read_base(const GltfObject& object, GltfMaterial& material) {
  if (auto diffuse = object.extension("KHR_materials_pbrSpecularGlossiness")) {
    material.base_color = factor(*diffuse, "diffuseFactor");
    material.base_texture = texture_use(*diffuse, "diffuseTexture");
  } else if (auto surface = object.object("pbrMetallicRoughness")) {
    material.base_color = factor(*surface, "baseColorFactor");
    material.base_texture = texture_use(*surface, "baseColorTexture");
  }
}

// Reads the emission. An unlit material has none, because only its base color is shown.
void read_emission(const GltfObject& object, GltfMaterial& material) {
  if (object.extension("KHR_materials_unlit")) return;
  material.emission = object.numbers_or<3>("emissiveFactor", {0, 0, 0});
  auto strong = object.extension("KHR_materials_emissive_strength");
  double strength = strong ? strong->number_or("emissiveStrength", 1) : 1;
  for (double& channel : material.emission) channel = std::max(channel * strength, 0.0);
  if (material.emission != std::array{0.0, 0.0, 0.0})
    material.emission_texture = texture_use(object, "emissiveTexture");
}

float cutoff_of(const GltfObject& object) {
  std::string mode = object.text_or("alphaMode", "OPAQUE");
  if (mode == "OPAQUE") return 0;
  if (mode == "BLEND") return 0.5f;
  if (mode == "MASK") return static_cast<float>(object.number_or("alphaCutoff", 0.5));
  throw Error(fmt::format("'alphaMode' is '{}', expected OPAQUE, MASK or BLEND", mode));
}

GltfTexture read_texture(const GltfObject& object, const std::vector<WrapModes>& samplers) {
  GltfTexture texture = {.image = object.index("source"), .unread = {}};
  if (auto webp = object.extension("EXT_texture_webp");
      webp && (can_read_webp() || texture.image == scene::kNone))
    texture.image = webp->required_index("source");
  if (texture.image == scene::kNone)
    for (const char* name : {"KHR_texture_basisu", "MSFT_texture_dds"})
      if (object.extension(name)) texture.unread = name;
  if (uint32_t sampler = object.index("sampler"); sampler != scene::kNone) {
    WrapModes modes = item_of(samplers, sampler, "samplers");
    texture.wrap_u = modes.u, texture.wrap_v = modes.v;
  }
  return texture;
}

}  // namespace

GltfMaterial read_gltf_material(const GltfObject& object) {
  GltfMaterial material;
  material.name = object.text_or("name", "");
  material.alpha_cutoff = cutoff_of(object);
  read_base(object, material);
  read_emission(object, material);
  return material;
}

GltfImage read_gltf_image(const GltfObject& object) {
  return {.name = object.text_or("name", ""),
          .uri = object.text_or("uri", ""),
          .view = object.index("bufferView")};
}

std::vector<GltfTexture> read_gltf_textures(const GltfObject& root) {
  std::vector<WrapModes> samplers;
  root.each("samplers", [&](const GltfObject& object) {
    samplers.push_back({.u = wrap_of(object, "wrapS"), .v = wrap_of(object, "wrapT")});
  });
  std::vector<GltfTexture> textures;
  root.each("textures",
            [&](const GltfObject& object) { textures.push_back(read_texture(object, samplers)); });
  return textures;
}

}  // namespace vox
