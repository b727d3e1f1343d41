// Assembles small glTF 2.0 files.
#pragma once

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "libvox/scene/scene.h"

namespace vox {

class GltfBuilder {
 public:
  // Each of these functions returns the index of its accessor or buffer view.
  uint32_t floats(const std::string& type, const std::vector<float>& values) {
    static const std::vector<std::pair<std::string, size_t>> widths = {{"VEC2", 2}, {"VEC3", 3}, {"VEC4", 4}};
    size_t width = 1;
    for (const auto& [name, count] : widths)
      if (name == type) width = count;
    return accessor(5126, type, values.size() / width, view(values.data(), values.size() * sizeof(float)));
  }
  uint32_t indices(const std::vector<uint16_t>& values) {
    return accessor(5123, "SCALAR", values.size(), view(values.data(), values.size() * sizeof(uint16_t)));
  }
  uint32_t view(const void* data, size_t size) {
    views_.push_back(fmt::format(R"({{"buffer":0,"byteOffset":{},"byteLength":{}}})", bin_.size(), size));
    bin_.append(static_cast<const char*>(data), size);
    bin_.resize((bin_.size() + 3) / 4 * 4, '\0');
    return static_cast<uint32_t>(views_.size() - 1);
  }

  // Add views and accessors, given as JSON, for data that append() has written.
  uint32_t add_view(const std::string& object) {
    views_.push_back(object);
    return static_cast<uint32_t>(views_.size() - 1);
  }
  uint32_t add_accessor(const std::string& object) {
    accessors_.push_back(object);
    return static_cast<uint32_t>(accessors_.size() - 1);
  }
  size_t append(const void* data, size_t size) {  // returns the position of the data
    size_t at = bin_.size();
    bin_.append(static_cast<const char*>(data), size);
    return at;
  }

  // Returns a primitive with two triangles that form a unit square in x and y. v points down, so the image is
  // upright.
  std::string square(const std::string& material = "", const std::string& more_attributes = "") {
    uint32_t position = floats("VEC3", {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0});
    uint32_t uv = floats("VEC2", {0, 1, 1, 1, 1, 0, 0, 0});
    return fmt::format(R"({{"attributes":{{"POSITION":{},"TEXCOORD_0":{}{}}},"indices":{}{}}})", position, uv,
                       more_attributes, indices({0, 1, 2, 0, 2, 3}),
                       material.empty() ? "" : ",\"material\":" + material);
  }

  void add(const std::string& list, const std::string& object) { lists_.emplace_back(list, object); }

  // Adds one square with one material, which is all that most tests need.
  void add_square(const std::string& material) {
    add("meshes", R"({"primitives":[)" + square("0") + "]}");
    add("nodes", R"({"mesh":0})");
    add("materials", material);
  }

  // Adds a texture and its image. Both get the number of textures added before.
  void add_texture(const std::string& file) {
    size_t number = 0;
    for (const auto& [where, object] : lists_) number += where == "images";
    add("images", fmt::format(R"({{"bufferView":{}}})", view(file.data(), file.size())));
    add("textures", fmt::format(R"({{"source":{}}})", number));
  }

  // Returns the JSON of the file. `buffer_uri` is empty for a GLB.
  std::string json(const std::string& buffer_uri, const std::string& scene_nodes = "0") const {
    std::string text = R"({"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[)" + scene_nodes + "]}]";
    std::string uri = buffer_uri.empty() ? "" : fmt::format(R"("uri":"{}",)", buffer_uri);
    text += fmt::format(R"(,"buffers":[{{{}"byteLength":{}}})", uri, bin_.size());
    for (const auto& [where, object] : lists_)
      if (where == "buffers") text += "," + object;
    text += "]";
    text += list("bufferViews", views_) + list("accessors", accessors_);
    for (const char* name : {"meshes", "nodes", "skins", "materials", "textures", "images", "samplers",
                             "extensionsUsed", "extensionsRequired"}) {
      std::vector<std::string> objects;
      for (const auto& [where, object] : lists_)
        if (where == name) objects.push_back(object);
      if (!objects.empty()) text += list(name, objects);
    }
    return text + "}";
  }

  const std::string& bin() const { return bin_; }

  std::string glb(const std::string& scene_nodes = "0") const {
    std::string text = json("", scene_nodes);
    text.resize((text.size() + 3) / 4 * 4, ' ');
    auto words = [](std::initializer_list<size_t> values) {
      std::string bytes;
      for (size_t value : values)
        for (int i = 0; i < 4; ++i) bytes += static_cast<char>(value >> 8 * i);
      return bytes;
    };
    size_t total = 12 + 8 + text.size() + 8 + bin_.size();
    return "glTF" + words({2, total, text.size()}) + "JSON" + text + words({bin_.size()}) +
           std::string("BIN\0", 4) + bin_;
  }

 private:
  uint32_t accessor(int component, const std::string& type, size_t count, uint32_t view) {
    accessors_.push_back(fmt::format(R"({{"bufferView":{},"componentType":{},"type":"{}","count":{}}})", view,
                                     component, type, count));
    return static_cast<uint32_t>(accessors_.size() - 1);
  }
  static std::string list(const std::string& name, const std::vector<std::string>& objects) {
    return fmt::format(R"(,"{}":[{}])", name, fmt::join(objects, ","));
  }

  std::string bin_;
  std::vector<std::string> views_, accessors_;
  std::vector<std::pair<std::string, std::string>> lists_;
};

}  // namespace vox

// Makes compressed glTF files with the libraries that compress them. A file is empty if the build lacks the
// library.

#ifdef VOX_HAS_MESHOPT
#include <meshoptimizer.h>
#endif
#ifdef VOX_HAS_DRACO
#include <draco/compression/encode.h>
#include <draco/mesh/triangle_soup_mesh_builder.h>
#endif
#ifdef VOX_HAS_WEBP
#include <webp/encode.h>
#endif

namespace vox {

inline double grid_height(double x, double y) {
  return x * y / 2;
}

// The unit square as side × side squares of two triangles, bent upwards.
struct TestGrid {
  std::vector<std::array<float, 3>> positions;
  std::vector<uint32_t> indices;

  double area() const {
    double sum = 0;
    for (size_t i = 0; i < indices.size(); i += 3) {
      auto at = [&](size_t k) {
        const auto& p = positions[indices[i + k]];
        return Vec3d{p[0], p[1], p[2]};
      };
      Vec3d normal = cross(at(1) - at(0), at(2) - at(0));
      sum += std::sqrt(dot(normal, normal)) / 2;
    }
    return sum;
  }
};

inline TestGrid make_grid(uint32_t side) {
  TestGrid grid;
  for (uint32_t y = 0; y <= side; ++y)
    for (uint32_t x = 0; x <= side; ++x) {
      double u = static_cast<double>(x) / side, v = static_cast<double>(y) / side;
      grid.positions.push_back(
          {static_cast<float>(u), static_cast<float>(v), static_cast<float>(grid_height(u, v))});
    }
  for (uint32_t y = 0; y < side; ++y)
    for (uint32_t x = 0; x < side; ++x) {
      uint32_t a = y * (side + 1) + x, b = a + 1, c = a + side + 1, d = c + 1;
      grid.indices.insert(grid.indices.end(), {a, b, d, a, d, c});
    }
  return grid;
}

inline std::string webp([[maybe_unused]] uint32_t width, [[maybe_unused]] uint32_t height,
                        [[maybe_unused]] const std::vector<scene::Rgba8>& pixels) {
  std::string file;
#ifdef VOX_HAS_WEBP
  uint8_t* bytes = nullptr;
  size_t size =
      WebPEncodeLosslessRGBA(reinterpret_cast<const uint8_t*>(pixels.data()), static_cast<int>(width),
                             static_cast<int>(height), static_cast<int>(width * 4), &bytes);
  file.assign(reinterpret_cast<const char*>(bytes), size);
  WebPFree(bytes);
#endif
  return file;
}

#ifdef VOX_HAS_MESHOPT

// Returns a view that stands for `count` elements of `stride` bytes.
inline uint32_t meshopt_view(GltfBuilder& gltf, const std::vector<uint8_t>& packed, size_t count,
                             size_t stride, const std::string& mode, const std::string& filter) {
  size_t at = gltf.append(packed.data(), packed.size());
  gltf.append("\0\0\0", (4 - packed.size() % 4) % 4);
  return gltf.add_view(fmt::format(
      R"({{"buffer":1,"byteLength":{},"extensions":{{"EXT_meshopt_compression":{{"buffer":0,"byteOffset":{},)"
      R"("byteLength":{},"byteStride":{},"count":{},"mode":"{}"{}}}}}}})",
      count * stride, at, packed.size(), stride, count, mode,
      filter.empty() ? "" : fmt::format(R"(,"filter":"{}")", filter)));
}

inline uint32_t meshopt_attribute(GltfBuilder& gltf, const void* data, size_t count, size_t stride,
                                  const std::string& filter) {
  meshopt_encodeVertexVersion(0);
  std::vector<uint8_t> packed(meshopt_encodeVertexBufferBound(count, stride));
  packed.resize(meshopt_encodeVertexBuffer(packed.data(), packed.size(), data, count, stride));
  return meshopt_view(gltf, packed, count, stride, "ATTRIBUTES", filter);
}

inline std::string finished_meshopt_glb(GltfBuilder& gltf) {
  gltf.add("buffers", R"({"byteLength":1000000,"extensions":{"EXT_meshopt_compression":{"fallback":true}}})");
  gltf.add("extensionsRequired", R"("EXT_meshopt_compression")");
  return gltf.glb();
}

inline uint32_t vector_accessor(GltfBuilder& gltf, uint32_t view, size_t count) {
  return gltf.add_accessor(
      fmt::format(R"({{"bufferView":{},"componentType":5126,"type":"VEC3","count":{}}})", view, count));
}

#endif

// Returns a GLB with indices of 2 or 4 bytes, compressed by `mode`, TRIANGLES or INDICES.
inline std::string meshopt_glb([[maybe_unused]] const TestGrid& grid,
                               [[maybe_unused]] const std::string& mode, [[maybe_unused]] int index_size) {
#ifdef VOX_HAS_MESHOPT
  GltfBuilder gltf;
  size_t vertices = grid.positions.size(), corners = grid.indices.size();
  uint32_t position =
      vector_accessor(gltf, meshopt_attribute(gltf, grid.positions.data(), vertices, 12, ""), vertices);
  bool triangles = mode == "TRIANGLES";
  meshopt_encodeIndexVersion(1);
  std::vector<uint8_t> packed(triangles ? meshopt_encodeIndexBufferBound(corners, vertices)
                                        : meshopt_encodeIndexSequenceBound(corners, vertices));
  uint8_t* to = packed.data();
  packed.resize(triangles ? meshopt_encodeIndexBuffer(to, packed.size(), grid.indices.data(), corners)
                          : meshopt_encodeIndexSequence(to, packed.size(), grid.indices.data(), corners));
  uint32_t view = meshopt_view(gltf, packed, corners, static_cast<size_t>(index_size), mode, "");
  uint32_t indices =
      gltf.add_accessor(fmt::format(R"({{"bufferView":{},"componentType":{},"type":"SCALAR","count":{}}})",
                                    view, index_size == 2 ? 5123 : 5125, corners));
  gltf.add("meshes", fmt::format(R"({{"primitives":[{{"attributes":{{"POSITION":{}}},"indices":{}}}]}})",
                                 position, indices));
  gltf.add("nodes", R"({"mesh":0})");
  return finished_meshopt_glb(gltf);
#else
  return "";
#endif
}

// Returns a GLB with positions that are whole multiples of 2^-16.
inline std::string meshopt_exponential_glb([[maybe_unused]] const TestGrid& grid) {
#ifdef VOX_HAS_MESHOPT
  std::vector<std::array<uint32_t, 3>> words;
  for (const auto& position : grid.positions) {
    std::array<uint32_t, 3> word = {};
    for (size_t c = 0; c < 3; ++c)
      word[c] = uint32_t{0xf0} << 24 | (static_cast<uint32_t>(std::lround(position[c] * 65536)) & 0xffffff);
    words.push_back(word);
  }
  GltfBuilder gltf;
  uint32_t position = vector_accessor(
      gltf, meshopt_attribute(gltf, words.data(), words.size(), 12, "EXPONENTIAL"), words.size());
  uint32_t view = gltf.view(grid.indices.data(), grid.indices.size() * sizeof(uint32_t));
  uint32_t indices = gltf.add_accessor(fmt::format(
      R"({{"bufferView":{},"componentType":5125,"type":"SCALAR","count":{}}})", view, grid.indices.size()));
  gltf.add("meshes", fmt::format(R"({{"primitives":[{{"attributes":{{"POSITION":{}}},"indices":{}}}]}})",
                                 position, indices));
  gltf.add("nodes", R"({"mesh":0})");
  return finished_meshopt_glb(gltf);
#else
  return "";
#endif
}

// Returns a GLB with a triangle whose last corner is at (1, 2, 0), once for each quaternion.
inline std::string meshopt_quaternion_glb([[maybe_unused]] const std::vector<std::array<float, 4>>& turns) {
#ifdef VOX_HAS_MESHOPT
  std::vector<std::array<int16_t, 4>> encoded(turns.size());
  meshopt_encodeFilterQuat(encoded.data(), encoded.size(), 8, 16, turns.data()->data());
  GltfBuilder gltf;
  uint32_t position = gltf.floats("VEC3", {0, 0, 0, 1, 0, 0, 1, 2, 0});
  uint32_t view = meshopt_attribute(gltf, encoded.data(), encoded.size(), 8, "QUATERNION");
  uint32_t rotation = gltf.add_accessor(
      fmt::format(R"({{"bufferView":{},"componentType":5122,"normalized":true,"type":"VEC4","count":{}}})",
                  view, encoded.size()));
  gltf.add("meshes", fmt::format(R"({{"primitives":[{{"attributes":{{"POSITION":{}}}}}]}})", position));
  gltf.add(
      "nodes",
      fmt::format(
          R"({{"mesh":0,"extensions":{{"EXT_mesh_gpu_instancing":{{"attributes":{{"ROTATION":{}}}}}}}}})",
          rotation));
  return finished_meshopt_glb(gltf);
#else
  return "";
#endif
}

#ifdef VOX_HAS_DRACO

// Returns Draco's data with positions of 14 bits and colors that are red for x above one half.
inline std::string draco_data(const TestGrid& grid, int& position_id, int& color_id) {
  auto faces = static_cast<uint32_t>(grid.indices.size() / 3);
  draco::TriangleSoupMeshBuilder builder;
  builder.Start(static_cast<int>(faces));
  position_id = builder.AddAttribute(draco::GeometryAttribute::POSITION, 3, draco::DT_FLOAT32);
  color_id = builder.AddAttribute(draco::GeometryAttribute::COLOR, 4, draco::DT_UINT8, true);
  for (uint32_t f = 0; f < faces; ++f) {
    auto corner = [&](size_t k) { return grid.positions[grid.indices[3 * f + k]]; };
    auto color = [&](size_t k) {
      return std::array<uint8_t, 4>{static_cast<uint8_t>(corner(k)[0] > 0.51f ? 255 : 0), 0, 0, 255};
    };
    auto a = corner(0), b = corner(1), c = corner(2);
    auto red_a = color(0), red_b = color(1), red_c = color(2);
    builder.SetAttributeValuesForFace(position_id, draco::FaceIndex(f), a.data(), b.data(), c.data());
    builder.SetAttributeValuesForFace(color_id, draco::FaceIndex(f), red_a.data(), red_b.data(),
                                      red_c.data());
  }
  std::unique_ptr<draco::Mesh> mesh = builder.Finalize();
  draco::Encoder encoder;
  encoder.SetAttributeQuantization(draco::GeometryAttribute::POSITION, 14);
  draco::EncoderBuffer buffer;
  return encoder.EncodeMeshToBuffer(*mesh, &buffer).ok() ? std::string(buffer.data(), buffer.size()) : "";
}

#endif

// `mode` is inserted among the members of the primitive.
inline std::string draco_glb([[maybe_unused]] const TestGrid& grid,
                             [[maybe_unused]] const std::string& mode) {
#ifdef VOX_HAS_DRACO
  int position_id = 0, color_id = 0;
  std::string data = draco_data(grid, position_id, color_id);
  GltfBuilder gltf;
  uint32_t view = gltf.view(data.data(), data.size());
  uint32_t position = gltf.add_accessor(
      fmt::format(R"({{"componentType":5126,"type":"VEC3","count":{}}})", grid.positions.size()));
  uint32_t color = gltf.add_accessor(fmt::format(
      R"({{"componentType":5121,"normalized":true,"type":"VEC4","count":{}}})", grid.positions.size()));
  uint32_t indices = gltf.add_accessor(
      fmt::format(R"({{"componentType":5125,"type":"SCALAR","count":{}}})", grid.indices.size()));
  gltf.add(
      "meshes",
      fmt::format(
          R"({{"primitives":[{{{}"attributes":{{"POSITION":{},"COLOR_0":{}}},"indices":{},"extensions":)"
          R"({{"KHR_draco_mesh_compression":{{"bufferView":{},"attributes":{{"POSITION":{},"COLOR_0":{}}}}}}}}}]}})",
          mode, position, color, indices, view, position_id, color_id));
  gltf.add("nodes", R"({"mesh":0})");
  gltf.add("extensionsRequired", R"("KHR_draco_mesh_compression")");
  return gltf.glb();
#else
  return "";
#endif
}

}  // namespace vox
