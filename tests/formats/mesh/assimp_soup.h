// Compares the triangles that Assimp, an independent reader, finds in a file of ours with the expected ones.
#pragma once

#include <assimp/postprocess.h>
#include <assimp/scene.h>
#include <gtest/gtest.h>

#include <array>
#include <assimp/Importer.hpp>
#include <cmath>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "libvox/scene/scene.h"

namespace vox {

struct MaterialCorner {
  double x, y, z, u, v;  // v points down
};
// The corners by the name of their material, three for each triangle.
using MaterialSoup = std::map<std::string, std::vector<MaterialCorner>>;

inline MaterialSoup soup_by_material(const scene::Scene& scene) {
  MaterialSoup soup;
  for (const scene::Triangle& triangle : scene.triangles)
    for (size_t i = 0; i < 3; ++i) {
      const Vec3d& p = scene.positions[triangle.position[i]];
      Vec2f uv = triangle.texcoord[i] == scene::kNone ? Vec2f{0, 0} : scene.texcoords[triangle.texcoord[i]];
      soup[scene.materials[triangle.material].name].push_back({p.x, p.y, p.z, uv.x, uv.y});
    }
  return soup;
}

inline MaterialSoup soup_by_material(const aiScene& scene) {
  MaterialSoup soup;
  for (unsigned m = 0; m < scene.mNumMeshes; ++m) {
    const aiMesh& mesh = *scene.mMeshes[m];
    std::string name = scene.mMaterials[mesh.mMaterialIndex]->GetName().C_Str();
    for (unsigned f = 0; f < mesh.mNumFaces; ++f)
      for (unsigned i = 0; i < mesh.mFaces[f].mNumIndices; ++i) {
        unsigned index = mesh.mFaces[f].mIndices[i];
        const aiVector3D& p = mesh.mVertices[index];
        aiVector3D uv = mesh.mTextureCoords[0] ? mesh.mTextureCoords[0][index] : aiVector3D(0, 1, 0);
        soup[name].push_back({p.x, p.y, p.z, uv.x, 1.0 - uv.y});  // Assimp's v points up
      }
  }
  return soup;
}

// Assimp stores floats and parses text with an error of a few units in the last place.
inline void expect_same_soup(const MaterialSoup& found, const MaterialSoup& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (const auto& [material, corners] : expected) {
    ASSERT_TRUE(found.contains(material)) << material;
    const auto& others = found.at(material);
    ASSERT_EQ(others.size(), corners.size()) << material;
    for (size_t i = 0; i < corners.size(); ++i) {
      const MaterialCorner &a = corners[i], &b = others[i];
      for (auto [x, y] : {std::pair{a.x, b.x}, {a.y, b.y}, {a.z, b.z}, {a.u, b.u}, {a.v, b.v}})
        ASSERT_NEAR(x, y, 4e-7 * (1 + std::abs(x))) << material << " corner " << i;
    }
  }
}

// A scene with shared corners, a colour without an image, clamped and cut-out images, and an image used
// twice.
inline scene::Scene writer_test_scene() {
  scene::Scene scene;
  scene.positions = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0.125}, {1e-7, -2.5e6, 1 / 3.0}};
  scene.texcoords = {{0, 1}, {1, 1}, {1, 0}, {0, 0}, {0.3f, -7.7f}};
  scene::Image opaque = {"stone wall.png", 2, 1, {{10, 20, 30, 255}, {200, 100, 0, 255}}};
  scene::Image leaf = {"leaf.png", 2, 2, {{1, 2, 3, 0}, {4, 5, 6, 255}, {7, 8, 9, 128}, {10, 11, 12, 255}}};
  scene.images = {opaque, leaf};
  scene.materials = {{.name = "wall", .base_color = {1, 1, 1, 1}, .image = 0},
                     {.name = "leaf",
                      .base_color = {1, 1, 1, 1},
                      .image = 1,
                      .wrap_u = scene::Wrap::Clamp,
                      .wrap_v = scene::Wrap::Clamp,
                      .alpha_cutoff = 0.5f},
                     {.name = "red", .base_color = {0.5f, 0.25f, 0, 1}},
                     {.name = "unused", .base_color = {0, 0, 1, 1}},
                     {.name = "dark wall", .base_color = {0.5f, 0.5f, 0.5f, 1}, .image = 0}};
  scene.triangles = {{{0, 1, 2}, {0, 1, 2}, 0},
                     {{0, 2, 3}, {0, 2, 3}, 1},
                     {{0, 2, 3}, {1, 2, 4}, 0},
                     {{1, 2, 4}, {scene::kNone, scene::kNone, scene::kNone}, 2},
                     {{4, 3, 0}, {0, 1, 4}, 4}};
  return scene;
}

}  // namespace vox
