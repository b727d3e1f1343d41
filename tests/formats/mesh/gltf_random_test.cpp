// A slow reader of JSON for tests that shares no code with the reader that it checks.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "formats/mesh/mesh.h"
#include "tests/common/random.h"
#include "tests/formats/mesh/mesh_checks.h"

namespace vox {

struct PlainJson {
  std::map<std::string, PlainJson> members;
  std::vector<PlainJson> items;
  std::string text;
  double number = 0;

  bool has(const std::string& name) const { return members.contains(name); }
  const PlainJson& operator[](const std::string& name) const { return members.at(name); }
  const PlainJson& operator[](size_t index) const { return items.at(index); }
  double number_or(const std::string& name, double otherwise) const {
    return has(name) ? members.at(name).number : otherwise;
  }
  size_t whole_or(const std::string& name, size_t otherwise) const {
    return static_cast<size_t>(number_or(name, static_cast<double>(otherwise)));
  }
};

// Reads correct JSON without escapes. `true` becomes the number 1.
inline PlainJson parse_plain_json(const char*& p) {
  auto skip = [&] {
    while (*p == ' ' || *p == '\n' || *p == ',' || *p == ':') ++p;
  };
  auto text = [&] {
    std::string value;
    for (++p; *p != '"'; ++p) value += *p;
    ++p;
    return value;
  };
  skip();
  PlainJson json;
  if (*p == '{') {
    for (++p, skip(); *p != '}'; skip()) {
      std::string name = text();
      skip();
      json.members[name] = parse_plain_json(p);
    }
    ++p;
  } else if (*p == '[') {
    for (++p, skip(); *p != ']'; skip()) json.items.push_back(parse_plain_json(p));
    ++p;
  } else if (*p == '"') {
    json.text = text();
  } else if (*p == 't' || *p == 'f') {
    json.number = *p == 't';
    while (*p >= 'a' && *p <= 'z') ++p;
  } else {
    char* end = nullptr;
    json.number = std::strtod(p, &end);
    p = end;
  }
  return json;
}

// A slow reader of glTF for tests that follows the specification element by element (glTF 2.0, §3.6.2,
// §3.7.2.1).

struct PlainCorner {
  std::array<double, 3> position;
  std::array<double, 2> texcoord;
  std::array<double, 4> color;  // linear
};

class PlainGltf {
 public:
  PlainGltf(const std::string& json, std::string bin) : bin_(std::move(bin)) {
    const char* p = json.c_str();
    root_ = parse_plain_json(p);
  }

  // Returns three corners for each triangle of the scene's nodes. The nodes may have a translation and a
  // scale, but no children.
  std::vector<PlainCorner> corners() const {
    std::vector<PlainCorner> all;
    for (const PlainJson& index : root_["scenes"][0]["nodes"].items) {
      const PlainJson& node = root_["nodes"][static_cast<size_t>(index.number)];
      for (const PlainJson& primitive : root_["meshes"][node.whole_or("mesh", 0)]["primitives"].items)
        add(node, primitive, all);
    }
    return all;
  }

 private:
  double component(size_t at, int type, bool normalized) const {
    auto value = [&]<class T>(T x) {
      std::memcpy(&x, bin_.data() + at, sizeof(x));
      return static_cast<double>(x);
    };
    switch (type) {
      case 5120:
        return normalized ? std::max(value(int8_t{}) / 127, -1.0) : value(int8_t{});
      case 5121:
        return value(uint8_t{}) / (normalized ? 255 : 1);
      case 5122:
        return normalized ? std::max(value(int16_t{}) / 32767, -1.0) : value(int16_t{});
      case 5123:
        return value(uint16_t{}) / (normalized ? 65535 : 1);
      case 5125:
        return value(uint32_t{});
      default:
        return value(float{});
    }
  }

  static size_t size_of(int type) { return type <= 5121 ? 1 : type <= 5123 ? 2 : 4; }

  double element(size_t accessor_index, size_t i, size_t c) const {
    const PlainJson& accessor = root_["accessors"][accessor_index];
    const std::string& type = accessor["type"].text;
    size_t width = type == "SCALAR" ? 1 : static_cast<size_t>(type[3] - '0');
    int kind = static_cast<int>(accessor["componentType"].number);
    bool normalized = accessor.number_or("normalized", 0) != 0;
    size_t size = width * size_of(kind);
    if (accessor.has("sparse")) {
      const PlainJson &sparse = accessor["sparse"], &indices = sparse["indices"], &values = sparse["values"];
      int index_kind = static_cast<int>(indices["componentType"].number);
      for (size_t k = sparse.whole_or("count", 0); k-- > 0;) {
        size_t at = start_of(indices) + k * size_of(index_kind);
        if (component(at, index_kind, false) == static_cast<double>(i))
          return component(start_of(values) + k * size + c * size_of(kind), kind, normalized);
      }
    }
    if (!accessor.has("bufferView")) return 0;
    size_t stride = root_["bufferViews"][accessor.whole_or("bufferView", 0)].whole_or("byteStride", size);
    return component(start_of(accessor) + i * stride + c * size_of(kind), kind, normalized);
  }

  size_t start_of(const PlainJson& object) const {
    const PlainJson& view = root_["bufferViews"][object.whole_or("bufferView", 0)];
    return view.whole_or("byteOffset", 0) + object.whole_or("byteOffset", 0);
  }

  void add(const PlainJson& node, const PlainJson& primitive, std::vector<PlainCorner>& all) const {
    const PlainJson& attributes = primitive["attributes"];
    size_t vertices = root_["accessors"][attributes.whole_or("POSITION", 0)].whole_or("count", 0);
    std::vector<size_t> order;
    if (primitive.has("indices")) {
      size_t indices = primitive.whole_or("indices", 0);
      for (size_t i = 0; i < root_["accessors"][indices].whole_or("count", 0); ++i)
        order.push_back(static_cast<size_t>(element(indices, i, 0)));
    } else {
      for (size_t i = 0; i < vertices; ++i) order.push_back(i);
    }
    auto triangle = [&](size_t a, size_t b, size_t c) {
      for (size_t i : {a, b, c}) all.push_back(corner(node, attributes, order[i]));
    };
    size_t n = order.size(), mode = primitive.whole_or("mode", 4);
    if (mode == 4)
      for (size_t i = 0; i + 2 < n; i += 3) triangle(i, i + 1, i + 2);
    if (mode == 5)
      for (size_t i = 0; i + 2 < n; ++i) triangle(i, i + 1 + i % 2, i + 2 - i % 2);
    if (mode == 6)
      for (size_t i = 0; i + 2 < n; ++i) triangle(i + 1, i + 2, 0);
  }

  PlainCorner corner(const PlainJson& node, const PlainJson& attributes, size_t vertex) const {
    PlainCorner corner = {.position = {}, .texcoord = {}, .color = {1, 1, 1, 1}};
    for (size_t c = 0; c < 3; ++c) {
      double scale = node.has("scale") ? node["scale"][c].number : 1;
      double translation = node.has("translation") ? node["translation"][c].number : 0;
      corner.position[c] = element(attributes.whole_or("POSITION", 0), vertex, c) * scale + translation;
    }
    for (size_t c = 0; c < 2; ++c)
      corner.texcoord[c] = element(attributes.whole_or("TEXCOORD_0", 0), vertex, c);
    if (attributes.has("COLOR_0")) {
      size_t color = attributes.whole_or("COLOR_0", 0);
      bool alpha = root_["accessors"][color]["type"].text == "VEC4";
      for (size_t c = 0; c < (alpha ? 4 : 3); ++c) corner.color[c] = element(color, vertex, c);
    }
    return corner;
  }

  PlainJson root_;
  std::string bin_;
};

namespace {

constexpr int kI8 = 5120, kU8 = 5121, kI16 = 5122, kU16 = 5123, kU32 = 5125, kFloat = 5126;

// Writes accessors of random numbers in every way that the format permits.
class RandomAccessors {
 public:
  RandomAccessors(GltfBuilder& gltf, Random& random) : gltf_(gltf), random_(random) {}

  // Indices are below `limit`. Other values are any number of their type; floats lie in [-2, 2].
  uint32_t add(const std::string& type, int kind, bool normalized, size_t count, uint32_t limit = 0) {
    size_t width = type == "SCALAR" ? 1 : static_cast<size_t>(type[3] - '0'), size = width * size_of(kind);
    bool sparse = limit == 0 && random_.below(3) == 0, empty = sparse && random_.below(2) == 0;
    std::string json = fmt::format(R"({{"componentType":{},"type":"{}","count":{},"normalized":{})", kind,
                                   type, count, normalized);
    if (!empty) {
      size_t stride = limit == 0 && random_.below(2) == 0 ? (size + 3) / 4 * 4 + 4 * random_.below(3) : 0;
      if (limit == 0 && stride == 0 && size % 4 != 0) stride = (size + 3) / 4 * 4;
      size_t offset = size_of(kind) * random_.below(4);
      std::string bytes(offset, '\x55');
      for (size_t i = 0; i < count; ++i) {
        std::string element = values(kind, width, limit);
        if (stride > 0 && i + 1 < count) element.resize(stride, '\x66');
        bytes += element;
      }
      json += fmt::format(R"(,"bufferView":{},"byteOffset":{})", view(bytes, stride), offset);
    }
    if (sparse) json += ",\"sparse\":" + sparse_part(kind, width, count);
    return gltf_.add_accessor(json + "}");
  }

 private:
  static size_t size_of(int kind) { return kind <= kU8 ? 1 : kind <= kU16 ? 2 : 4; }

  std::string values(int kind, size_t width, uint32_t limit) {
    std::string bytes;
    for (size_t c = 0; c < width; ++c) {
      uint32_t whole = random_.below(limit > 0 ? limit : UINT32_MAX);
      auto number = static_cast<float>(random_.uniform(-2, 2));
      bytes.append(reinterpret_cast<const char*>(kind == kFloat ? static_cast<void*>(&number) : &whole),
                   size_of(kind));
    }
    return bytes;
  }

  uint32_t view(const std::string& bytes, size_t stride) {
    gltf_.append("abcdefgh", random_.below(8));
    size_t at = gltf_.append(bytes.data(), bytes.size());
    return gltf_.add_view(fmt::format(R"({{"buffer":0,"byteOffset":{},"byteLength":{}{}}})", at, bytes.size(),
                                      stride > 0 ? fmt::format(",\"byteStride\":{}", stride) : ""));
  }

  std::string sparse_part(int kind, size_t width, size_t count) {
    std::set<uint32_t> places;
    for (uint32_t i = 0; i < 1 + random_.below(5); ++i)
      places.insert(random_.below(static_cast<uint32_t>(count)));
    const std::array<int, 3> kinds = {kU8, kU16, kU32};
    int index_kind = kinds[random_.below(3)];
    std::string indices(4, 'x'), substitutes(4, 'x');
    for (uint32_t place : places) {
      indices.append(reinterpret_cast<const char*>(&place), size_of(index_kind));
      substitutes += values(kind, width, 0);
    }
    return fmt::format(R"({{"count":{},"indices":{{"bufferView":{},"byteOffset":4,"componentType":{}}},)"
                       R"("values":{{"bufferView":{},"byteOffset":4}}}})",
                       places.size(), view(indices, 0), index_kind, view(substitutes, 0));
  }

  GltfBuilder& gltf_;
  Random& random_;
};

struct Kind {
  int type;
  bool normalized;
};

std::string random_primitive(RandomAccessors& accessors, Random& random) {
  const std::vector<Kind> vectors = {{kFloat, false}, {kI8, false}, {kI8, true},   {kU8, false}, {kU8, true},
                                     {kI16, false},   {kI16, true}, {kU16, false}, {kU16, true}};
  const std::vector<Kind> colors = {{kFloat, false}, {kU8, true}, {kU16, true}};
  auto pick = [&](const std::vector<Kind>& kinds) {
    return kinds[random.below(static_cast<uint32_t>(kinds.size()))];
  };
  uint32_t count = 3 * (1 + random.below(20)), mode = 4 + random.below(3);
  Kind position = pick(vectors), texcoord = pick(vectors), color = pick(colors);
  std::string json = fmt::format(R"({{"material":0,"mode":{},"attributes":{{"POSITION":{},"TEXCOORD_0":{})",
                                 mode, accessors.add("VEC3", position.type, position.normalized, count),
                                 accessors.add("VEC2", texcoord.type, texcoord.normalized, count));
  if (random.below(2) == 0)
    json += fmt::format(",\"COLOR_0\":{}", accessors.add(random.below(2) == 0 ? "VEC3" : "VEC4", color.type,
                                                         color.normalized, count));
  json += "}";
  const std::array<int, 3> kinds = {kU8, kU16, kU32};
  if (uint32_t kind = random.below(4); kind < 3)
    json += fmt::format(",\"indices\":{}",
                        accessors.add("SCALAR", kinds[kind], false, 3 * (1 + random.below(30)), count));
  return json + "}";
}

GltfBuilder random_document(Random& random, std::string& nodes) {
  GltfBuilder gltf;
  RandomAccessors accessors(gltf, random);
  uint32_t meshes = 1 + random.below(3);
  for (uint32_t m = 0; m < meshes; ++m) {
    std::vector<std::string> primitives;
    for (uint32_t p = 0; p < 1 + random.below(3); ++p)
      primitives.push_back(random_primitive(accessors, random));
    gltf.add("meshes", fmt::format(R"({{"primitives":[{}]}})", fmt::join(primitives, ",")));
  }
  uint32_t count = 1 + random.below(4);
  for (uint32_t n = 0; n < count; ++n) {
    Vec3d t = random.in_cube(-9, 9), s = random.in_cube(-3, 3);
    gltf.add("nodes", fmt::format(R"({{"mesh":{},"translation":[{},{},{}],"scale":[{},{},{}]}})",
                                  random.below(meshes), t.x, t.y, t.z, s.x, s.y, s.z));
    nodes += (n > 0 ? "," : "") + std::to_string(n);
  }
  gltf.add("materials", R"({"pbrMetallicRoughness":{"baseColorTexture":{"index":0}}})");
  gltf.add("textures", R"({"source":0})");
  gltf.add("images",
           fmt::format(R"({{"uri":"data:image/png;base64,{}"}})", base64(png(1, 1, {{9, 8, 7, 255}}))));
  gltf.add("extensionsUsed", R"("KHR_mesh_quantization")");
  gltf.add("extensionsRequired", R"("KHR_mesh_quantization")");
  return gltf;
}

double srgb_code(double linear) {
  linear = std::min(std::max(linear, 0.0), 1.0);
  return 255 * (linear <= 0.0031308 ? 12.92 * linear : 1.055 * std::pow(linear, 1 / 2.4) - 0.055);
}

void expect_same(const scene::Scene& scene, const std::vector<PlainCorner>& expected) {
  ASSERT_EQ(scene.triangles.size() * 3, expected.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    const scene::Triangle& triangle = scene.triangles[i / 3];
    const auto& [position, texcoord, color] = expected[i];
    Vec3d p = scene.positions[triangle.position[i % 3]];
    ASSERT_NEAR(p.x, position[0], 1e-9 * (1 + std::abs(position[0])));
    ASSERT_NEAR(p.y, position[1], 1e-9 * (1 + std::abs(position[1])));
    ASSERT_NEAR(p.z, position[2], 1e-9 * (1 + std::abs(position[2])));
    Vec2f uv = scene.texcoords[triangle.texcoord[i % 3]];
    ASSERT_EQ(uv.x, static_cast<float>(texcoord[0]));
    ASSERT_EQ(uv.y, static_cast<float>(texcoord[1]));
    scene::Rgba8 c =
        scene.colors.empty() ? scene::Rgba8{255, 255, 255, 255} : scene.colors[triangle.position[i % 3]];
    ASSERT_NEAR(c.r, srgb_code(color[0]), 0.5001);
    ASSERT_NEAR(c.g, srgb_code(color[1]), 0.5001);
    ASSERT_NEAR(c.b, srgb_code(color[2]), 0.5001);
    ASSERT_NEAR(c.a, 255 * std::min(std::max(color[3], 0.0), 1.0), 0.5001);
  }
}

TEST(GltfRandom, EveryTypeStrideOffsetAndIndexIsReadAsAPlainReaderDoes) {
  TestFolder folder;
  Random random(14);
  for (int round = 0; round < static_cast<int>(10 * kThoroughness); ++round) {
    SCOPED_TRACE(round);
    std::string nodes;
    GltfBuilder gltf = random_document(random, nodes);
    scene::Scene scene = read_gltf(folder.write("a.glb", gltf.glb(nodes)));
    expect_sound(scene);
    expect_same(scene, PlainGltf(gltf.json("", nodes), gltf.bin()).corners());
    if (HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace vox
