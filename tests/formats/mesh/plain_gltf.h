// A slow reader of glTF for tests that follows the specification element by element (glTF 2.0, §3.6.2,
// §3.7.2.1).
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "tests/formats/mesh/plain_json.h"

namespace vox {

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

}  // namespace vox
