// The checks of scenes that tests of the mesh readers share.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <string>

#include "formats/mesh/mesh.h"
#include "libvox/scene/scene.h"
#include "tests/formats/mesh/gltf_builder.h"
#include "tests/formats/mesh/mesh_checks.h"

namespace vox {

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
