// The checks of scenes that tests of all mesh readers share, and the triangles that Assimp reads from the
// same file.
#pragma once

#include <assimp/scene.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <stb_image_write.h>

#include <algorithm>
#include <array>
#include <assimp/Importer.hpp>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "formats/mesh/mesh.h"
#include "libvox/base/error.h"
#include "libvox/scene/scene.h"
#include "tests/common/test_engine.h"
#include "tests/common/test_process.h"
#include "tests/formats/mesh/gltf_builder.h"

namespace vox {

// Small files that tests of the readers write for themselves.

// Opaque colors of images.
inline constexpr scene::Rgba8 kBlack = {0, 0, 0, 255}, kRed = {255, 0, 0, 255}, kGreen = {0, 255, 0, 255},
                              kBlue = {0, 0, 255, 255};

using ImageWriter = int(stbi_write_func*, void*, int, int, int, const void*);

inline int write_jpg(stbi_write_func* write, void* context, int width, int height, int channels,
                     const void* data) {
  return stbi_write_jpg_to_func(write, context, width, height, channels, data, 95);
}
inline int write_png(stbi_write_func* write, void* context, int width, int height, int channels,
                     const void* data) {
  return stbi_write_png_to_func(write, context, width, height, channels, data, 0);
}

inline std::string encoded(ImageWriter* writer, uint32_t width, uint32_t height,
                           const std::vector<scene::Rgba8>& pixels) {
  std::string file;
  auto append = [](void* to, void* data, int size) {
    static_cast<std::string*>(to)->append(static_cast<char*>(data), static_cast<size_t>(size));
  };
  writer(append, &file, static_cast<int>(width), static_cast<int>(height), 4, pixels.data());
  return file;
}

inline std::string png(uint32_t width, uint32_t height, const std::vector<scene::Rgba8>& pixels) {
  return encoded(write_png, width, height, pixels);
}

inline std::string base64(const std::string& bytes) {
  const char* digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (size_t i = 0; i < bytes.size(); i += 3) {
    auto byte = [&](size_t at) { return at < bytes.size() ? static_cast<uint8_t>(bytes[at]) : 0u; };
    uint32_t bits = byte(i) << 16 | byte(i + 1) << 8 | byte(i + 2);
    for (size_t k = 0; k < 4; ++k) text += i + k > bytes.size() ? '=' : digits[bits >> (18 - 6 * k) & 63];
  }
  return text;
}

// True if every index is in range.
inline bool is_sound(const scene::Scene& scene) {
  auto below = [](size_t limit) { return [limit](uint32_t index) { return index < limit; }; };
  if (!scene.colors.empty() && scene.colors.size() != scene.positions.size()) return false;
  for (const scene::Triangle& triangle : scene.triangles) {
    if (!std::ranges::all_of(triangle.position, below(scene.positions.size()))) return false;
    bool plain = std::ranges::all_of(triangle.texcoord, [](uint32_t index) { return index == scene::kNone; });
    if (!plain && !std::ranges::all_of(triangle.texcoord, below(scene.texcoords.size()))) return false;
    if (triangle.material >= scene.materials.size()) return false;
  }
  return std::ranges::all_of(scene.materials, [&](const scene::Material& material) {
    return material.image == scene::kNone || material.image < scene.images.size();
  });
}

// Returns the message of the Error that `read` throws, or an empty text if it throws none.
inline std::string error_of(const std::function<void()>& read) {
  try {
    read();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

// Reads `content` with up to three changed bytes, `times` times. Each result must be an Error or a sound
// scene.
inline void expect_flips_to_be_harmless(
    const std::string& content, const std::filesystem::path& file,
    const std::function<scene::Scene(const std::filesystem::path&, const MeshOptions&)>& read,
    int times = 500) {
  QuietLog quiet;
  std::mt19937 random(1);
  for (int i = 0; i < times; ++i) {
    std::string damaged = content;
    for (size_t flips = 1 + random() % 3; flips > 0; --flips)
      damaged[random() % damaged.size()] = static_cast<char>(random());
    std::filesystem::remove(file);  // some file systems flush a file that is truncated and rewritten
    std::ofstream(file, std::ios::binary) << damaged;
    try {
      EXPECT_TRUE(is_sound(read(file, {}))) << "flip " << i;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(file.filename().string()), std::string::npos) << error.what();
    }
  }
}

struct SoupCorner {
  double x, y, z, u, v;  // v points down; u = v = 0 without texture coordinates
};
using SoupTriangle = std::array<SoupCorner, 3>;

inline std::vector<SoupTriangle> soup_of(const scene::Scene& scene) {
  std::vector<SoupTriangle> soup;
  for (const scene::Triangle& triangle : scene.triangles) {
    SoupTriangle& out = soup.emplace_back();
    for (size_t i = 0; i < 3; ++i) {
      Vec3d p = scene.positions[triangle.position[i]];
      Vec2f uv = triangle.texcoord[i] == scene::kNone ? Vec2f{0, 0} : scene.texcoords[triangle.texcoord[i]];
      out[i] = {p.x, p.y, p.z, uv.x, uv.y};
    }
  }
  return soup;
}

// Returns the triangles that Assimp reads from the file; polygons become fans.
inline std::vector<SoupTriangle> assimp_soup(const std::filesystem::path& file) {
  Assimp::Importer importer;
  const aiScene* scene = importer.ReadFile(file.string(), 0);
  std::vector<SoupTriangle> soup;
  if (!scene) ADD_FAILURE() << importer.GetErrorString();
  for (unsigned m = 0; scene && m < scene->mNumMeshes; ++m) {
    const aiMesh& mesh = *scene->mMeshes[m];
    auto corner = [&](unsigned index) {
      aiVector3D p = mesh.mVertices[index];
      SoupCorner out = {p.x, p.y, p.z, 0, 0};
      if (mesh.HasTextureCoords(0))
        out.u = mesh.mTextureCoords[0][index].x, out.v = 1 - mesh.mTextureCoords[0][index].y;
      return out;
    };
    for (unsigned f = 0; f < mesh.mNumFaces; ++f) {
      const aiFace& face = mesh.mFaces[f];
      for (unsigned i = 2; i < face.mNumIndices; ++i)
        soup.push_back({corner(face.mIndices[0]), corner(face.mIndices[i - 1]), corner(face.mIndices[i])});
    }
  }
  return soup;
}

inline double difference(const SoupTriangle& a, const SoupTriangle& b) {
  double most = 0;
  for (size_t i = 0; i < 3; ++i)
    most = std::max({most, std::abs(a[i].x - b[i].x), std::abs(a[i].y - b[i].y), std::abs(a[i].z - b[i].z),
                     std::abs(a[i].u - b[i].u), std::abs(a[i].v - b[i].v)});
  return most;
}

// Expects the same triangles in both, within `tolerance` and in any order: each of `actual` must match one of
// `expected` that no other has matched.
inline void expect_same_soup(std::vector<SoupTriangle> actual, std::vector<SoupTriangle> expected,
                             double tolerance) {
  ASSERT_EQ(actual.size(), expected.size());
  auto by_x = [](const SoupTriangle& a, const SoupTriangle& b) { return a[0].x < b[0].x; };
  std::ranges::sort(expected, by_x);
  std::vector<bool> taken(expected.size());
  for (const SoupTriangle& triangle : actual) {
    SoupTriangle lowest = triangle;
    lowest[0].x -= tolerance;
    auto first = std::ranges::lower_bound(expected, lowest, by_x) - expected.begin();
    auto is_match = [&](size_t i) { return !taken[i] && difference(triangle, expected[i]) <= tolerance; };
    size_t i = static_cast<size_t>(first);
    while (i < expected.size() && expected[i][0].x <= triangle[0].x + tolerance && !is_match(i)) ++i;
    ASSERT_TRUE(i < expected.size() && is_match(i))
        << fmt::format("no triangle at ({}, {}, {})", triangle[0].x, triangle[0].y, triangle[0].z);
    taken[i] = true;
  }
}

inline double largest_coordinate(const scene::Scene& scene) {
  double largest = 1;
  for (Vec3d p : scene.positions) largest = std::max({largest, std::abs(p.x), std::abs(p.y), std::abs(p.z)});
  return largest;
}

// Returns the shared models with this extension, or none if VOX_SHARED does not name the folder.
inline std::vector<std::filesystem::path> shared_models(const std::string& extension) {
  std::vector<std::filesystem::path> files;
  const char* shared = std::getenv("VOX_SHARED");
  std::error_code none;
  std::filesystem::path folder = std::filesystem::path(shared ? shared : "") / "data/small";
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder, none))
    if (entry.path().extension() == extension) files.push_back(entry.path());
  std::ranges::sort(files);
  return files;
}

// Encodes texts in the way of other programs.

// `text` must be ASCII.
inline std::string utf16(std::string_view text, bool big_endian) {
  std::string bytes;
  for (const char c : text) bytes += big_endian ? std::string{'\0', c} : std::string{c, '\0'};
  return bytes;
}

inline const std::string kUtf8Mark = "\xef\xbb\xbf", kUtf16LittleMark = "\xff\xfe",
                         kUtf16BigMark = "\xfe\xff";

// The checks of scenes that tests of the mesh readers share.

inline scene::Scene read_built(const TestFolder& folder, const GltfBuilder& gltf,
                               const std::string& scene_nodes = "0") {
  folder.write("buffer.bin", gltf.bin());
  return read_gltf(folder.write("scene.gltf", gltf.json("buffer.bin", scene_nodes)));
}

// Returns the corners of triangle `index`.
inline std::array<Vec3d, 3> corners(const scene::Scene& scene, size_t index) {
  const scene::Triangle& triangle = scene.triangles[index];
  return {scene.positions[triangle.position[0]], scene.positions[triangle.position[1]],
          scene.positions[triangle.position[2]]};
}

inline std::array<Vec2f, 3> texcoords(const scene::Scene& scene, size_t index) {
  const scene::Triangle& triangle = scene.triangles[index];
  return {scene.texcoords.at(triangle.texcoord[0]), scene.texcoords.at(triangle.texcoord[1]),
          scene.texcoords.at(triangle.texcoord[2])};
}

inline void expect_near(Vec3d a, Vec3d b) {
  EXPECT_NEAR(a.x, b.x, 1e-6);
  EXPECT_NEAR(a.y, b.y, 1e-6);
  EXPECT_NEAR(a.z, b.z, 1e-6);
}

inline void expect_color(const std::array<float, 4>& color, std::array<double, 4> expected) {
  for (size_t i = 0; i < 4; ++i) EXPECT_NEAR(color[i], expected[i], 1e-4) << "channel " << i;
}

// Expects that every index in a scene is in range.
inline void expect_sound(const scene::Scene& scene) {
  auto fits = [](uint32_t index, size_t count) { return index == scene::kNone || index < count; };
  EXPECT_TRUE(scene.colors.empty() || scene.colors.size() == scene.positions.size());
  for (const scene::Triangle& triangle : scene.triangles) {
    ASSERT_LT(triangle.material, scene.materials.size());
    for (size_t i = 0; i < 3; ++i) {
      ASSERT_LT(triangle.position[i], scene.positions.size());
      ASSERT_TRUE(fits(triangle.texcoord[i], scene.texcoords.size()));
    }
  }
  for (const scene::Material& material : scene.materials)
    ASSERT_TRUE(fits(material.image, scene.images.size()));
  for (const scene::Image& image : scene.images)
    ASSERT_EQ(image.pixels.size(), size_t{image.width} * image.height);
}

}  // namespace vox
