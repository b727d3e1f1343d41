// Assembles small glTF 2.0 files.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

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
