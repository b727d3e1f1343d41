#include "formats/mesh/mesh.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <deque>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/images/image.h"
#include "formats/io/output_file.h"
#include "formats/volume/places.h"
#include "libvox/base/error.h"
#include "libvox/base/json.h"
#include "libvox/base/progress.h"
#include "libvox/base/units.h"

namespace vox {
namespace {

using Vec3f = Vec3<float>;

// Numeric codes of glTF 2.0.
enum ComponentType { kUnsignedInt = 5125, kFloat = 5126 };
enum BufferTarget { kArrayBuffer = 34962, kElementArrayBuffer = 34963 };

// The triangles of one material, with vertices of their own.
struct Primitive {
  uint32_t material = 0;
  std::vector<Vec3f> positions;
  std::vector<Vec2f> texcoords;  // empty, or one for each position
  std::vector<uint32_t> indices;
};

// Joins positions with texture coordinates: one vertex for each pair in use, in order of first use.
class VertexJoiner {
 public:
  explicit VertexJoiner(const scene::Scene& scene)
      : scene_(scene), first_(scene.positions.size(), scene::kNone) {}

  Primitive join(uint32_t material, std::span<const uint32_t> triangles) {
    Primitive primitive;
    primitive.material = material;
    primitive.indices.reserve(triangles.size() * 3);
    for (uint32_t t : triangles)
      for (size_t corner = 0; corner < 3; ++corner) {
        const scene::Triangle& triangle = scene_.triangles[t];
        primitive.indices.push_back(find(triangle.position[corner], triangle.texcoord[corner]));
      }
    bool textured =
        std::ranges::any_of(vertices_, [](const Vertex& v) { return v.texcoord != scene::kNone; });
    for (const Vertex& vertex : vertices_) {
      const Vec3d& p = scene_.positions[vertex.position];
      primitive.positions.push_back(vec_of<float>(p));
      if (textured)
        primitive.texcoords.push_back(vertex.texcoord == scene::kNone ? Vec2f{0, 0}
                                                                      : scene_.texcoords[vertex.texcoord]);
      first_[vertex.position] = scene::kNone;
    }
    vertices_.clear();
    return primitive;
  }

 private:
  struct Vertex {
    uint32_t position, texcoord;
    uint32_t next;  // the next vertex at this position
  };

  uint32_t find(uint32_t position, uint32_t texcoord) {
    uint32_t found = first_[position];
    while (found != scene::kNone && vertices_[found].texcoord != texcoord) found = vertices_[found].next;
    if (found != scene::kNone) return found;
    vertices_.push_back({position, texcoord, first_[position]});
    return first_[position] = static_cast<uint32_t>(vertices_.size() - 1);
  }

  const scene::Scene& scene_;
  std::vector<Vertex> vertices_;
  std::vector<uint32_t> first_;  // the first vertex at each position
};

// The JSON chunk, and the list of arrays that go into the binary chunk. The arrays must outlive it.
class Document {
 public:
  Document() {
    root_.object("asset").set("version", "2.0").set("generator", kGlbGenerator);
    root_.set("scene", 0);
    root_.array("scenes").append().array("nodes").append(0);
    root_.array("nodes").append().set("mesh", 0);
    primitives_ = &root_.array("meshes").append().array("primitives");
  }
  Document(const Document&) = delete;
  Document& operator=(const Document&) = delete;

  void add_image(const std::string& name, const std::string& png) {
    uint32_t view = add_view(std::span<const char>(png));
    append("images").set("name", name).set("mimeType", "image/png").set("bufferView", view);
  }
  void add_material(const scene::Material& material);
  void add_primitive(const Primitive& primitive);
  std::string finish();  // returns the JSON text; must be called only once

  std::span<const std::string_view> payload() const { return payload_; }
  uint64_t payload_size() const { return size_; }

 private:
  struct List {
    Json* items = nullptr;
    uint32_t count = 0;
  };

  // Returns a new object at the end of a list of the document. Lists are made on first use, because empty
  // lists must not appear in the file.
  Json& append(const char* list) {
    List& entry = lists_[list];
    if (!entry.items) entry.items = &root_.array(list);
    ++entry.count;
    return entry.items->append();
  }
  uint32_t last(const char* list) { return lists_[list].count - 1; }

  template <class T>
  uint32_t add_view(std::span<const T> items, int target = 0) {
    Json& view = append("bufferViews");
    view.set("buffer", 0).set("byteOffset", size_).set("byteLength", items.size_bytes());
    if (target != 0) view.set("target", target);
    add_bytes({reinterpret_cast<const char*>(items.data()), items.size_bytes()});
    add_bytes(std::string_view("\0\0\0", (4 - size_ % 4) % 4));
    return last("bufferViews");
  }
  void add_bytes(std::string_view bytes) {
    payload_.push_back(bytes);
    size_ += bytes.size();
  }

  template <class T>
  Json& add_accessor(std::span<const T> items, BufferTarget target, ComponentType component,
                     const char* type) {
    uint32_t view = add_view(items, target);
    return append("accessors")
        .set("bufferView", view)
        .set("componentType", int{component})
        .set("count", items.size())
        .set("type", type);
  }

  Json root_;
  Json* primitives_;
  std::map<std::string, List> lists_;
  std::vector<std::string_view> payload_;
  uint64_t size_ = 0;
};

int wrap_code(scene::Wrap wrap) {
  return wrap == scene::Wrap::Clamp ? 33071 : wrap == scene::Wrap::Mirror ? 33648 : 10497;
}

void Document::add_material(const scene::Material& material) {
  Json& out = append("materials").set("name", material.name);
  Json& surface = out.object("pbrMetallicRoughness").set("metallicFactor", 0);
  Json& color = surface.array("baseColorFactor");
  for (float channel : material.base_color) color.append(double{channel});
  if (material.image != scene::kNone) {
    append("samplers").set("wrapS", wrap_code(material.wrap_u)).set("wrapT", wrap_code(material.wrap_v));
    append("textures").set("sampler", last("samplers")).set("source", material.image);
    surface.object("baseColorTexture").set("index", last("textures"));
  }
  if (material.alpha_cutoff <= 0) return;
  out.set("alphaMode", "MASK").set("alphaCutoff", double{material.alpha_cutoff}).set("doubleSided", true);
}

void Document::add_primitive(const Primitive& primitive) {
  auto lowest = primitive.positions.front(), highest = lowest;
  for (Vec3f p : primitive.positions) {
    lowest = {std::min(lowest.x, p.x), std::min(lowest.y, p.y), std::min(lowest.z, p.z)};
    highest = {std::max(highest.x, p.x), std::max(highest.y, p.y), std::max(highest.z, p.z)};
  }
  Json& position = add_accessor(std::span(primitive.positions), kArrayBuffer, kFloat, "VEC3");
  for (auto [name, corner] : {std::pair{"min", lowest}, {"max", highest}})
    position.array(name).append(double{corner.x}).append(double{corner.y}).append(double{corner.z});

  Json& out = primitives_->append().set("material", primitive.material);
  Json& attributes = out.object("attributes").set("POSITION", last("accessors"));
  if (!primitive.texcoords.empty()) {
    add_accessor(std::span(primitive.texcoords), kArrayBuffer, kFloat, "VEC2");
    attributes.set("TEXCOORD_0", last("accessors"));
  }
  add_accessor(std::span(primitive.indices), kElementArrayBuffer, kUnsignedInt, "SCALAR");
  out.set("indices", last("accessors"));
}

std::string Document::finish() {
  root_.array("buffers").append().set("byteLength", size_);
  return root_.text();
}

void write_container(const std::filesystem::path& path, Document& document) {
  const std::string head = glb_head(document.finish(), document.payload_size());
  const uint64_t total = head.size() + document.payload_size();
  if (total > UINT32_MAX)
    throw Error(fmt::format("{} do not fit into a GLB file", format_bytes(total)))
        .at(path.string())
        .hint("write an .obj file instead");
  OutputFile file(path);
  file.write(head);
  for (std::string_view bytes : document.payload()) {
    throw_if_cancelled();
    file.write(bytes);
  }
  file.commit();
}

}  // namespace

std::string glb_head(std::string json, uint64_t payload) {
  json.append((4 - json.size() % 4) % 4, ' ');
  const auto words = [](std::initializer_list<uint64_t> values) {
    std::string bytes;
    for (const uint64_t value : values)
      for (uint32_t shift = 0; shift < 32; shift += 8) bytes += static_cast<char>(value >> shift);
    return bytes;
  };
  return "glTF" + words({2, 12 + 8 + json.size() + 8 + payload, json.size()}) + "JSON" + json +
         words({payload}) + std::string("BIN\0", 4);
}

bool is_glb_of_vox(std::string_view file) {
  constexpr size_t kWithin = 4096;  // the JSON text begins with the asset and its generator
  const std::string mark = fmt::format("\"generator\": \"{}\"", kGlbGenerator);
  return file.starts_with("glTF") && file.substr(0, kWithin).find(mark) != std::string_view::npos;
}

void write_glb(const scene::Scene& scene, const std::filesystem::path& path) {
  static_assert(std::endian::native == std::endian::little, "glTF is little-endian");
  Document document;
  std::vector<std::string> pngs = encode_png(scene.images);
  for (size_t i = 0; i < pngs.size(); ++i) document.add_image(scene.images[i].name, pngs[i]);
  for (const scene::Material& material : scene.materials) document.add_material(material);

  MaterialGroups groups(scene);
  VertexJoiner joiner(scene);
  std::deque<Primitive> primitives;
  for (uint32_t material = 0; material < scene.materials.size(); ++material) {
    throw_if_cancelled();
    if (groups.of(material).empty()) continue;
    document.add_primitive(primitives.emplace_back(joiner.join(material, groups.of(material))));
  }
  if (primitives.empty()) throw Error("a scene without triangles cannot be a GLB file").at(path.string());
  write_container(path, document);
}

}  // namespace vox
