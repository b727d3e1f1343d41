// Objects of the C interface for tests: they are deleted at the end, and a call that fails ends the test.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "capi/vox.h"
#include "tests/common/random.h"
#include "tests/common/test_engine.h"

namespace vox::test {

#define EXPECT_OK(call) EXPECT_EQ(call, VOX_OK) << vox_error_message()

template <class Handle, void (*kDelete)(Handle**)>
class Owned {
 public:
  Owned() = default;
  ~Owned() { kDelete(&handle_); }
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;

  // Gives the place for a new object, after it has deleted the one that was there.
  Handle** to() {
    kDelete(&handle_);
    return &handle_;
  }
  operator Handle*() const { return handle_; }

 private:
  Handle* handle_ = nullptr;
};

class EngineHandle : public Owned<vox_engine, vox_engine_delete> {
 public:
  explicit EngineHandle(uint32_t threads = 0) {
    const std::string device = test_device();
    vox_engine_options options = {};
    options.struct_size = sizeof options;
    options.device = device.c_str();
    options.threads = threads;
    EXPECT_OK(vox_engine_create(&options, to()));
  }
};
using MeshHandle = Owned<vox_mesh, vox_mesh_delete>;
using SceneHandle = Owned<vox_scene, vox_scene_delete>;

// The surface of the cube from `low` to `high` along each axis, with outward faces.
struct CubeArrays {
  CubeArrays(double low, double high) {
    for (uint32_t i = 0; i < 8; ++i)
      for (uint32_t axis = 0; axis < 3; ++axis) places.push_back((i >> axis & 1) != 0 ? high : low);
    arrays.struct_size = sizeof arrays;
    arrays.vertices = 8, arrays.triangles = 12;
    arrays.positions = places.data(), arrays.indices = faces.data();
    arrays.position_type = VOX_FLOAT64;
  }
  CubeArrays(const CubeArrays&) = delete;
  CubeArrays& operator=(const CubeArrays&) = delete;

  std::vector<double> places;
  std::vector<uint32_t> faces = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                 2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
  vox_mesh_arrays arrays = {};
};

// A soup of random triangles with materials by turns.
struct Soup {
  std::vector<float> positions;
  std::vector<uint32_t> indices, materials;

  explicit Soup(uint32_t triangles, uint64_t seed = 1) {
    Random random(seed);
    for (uint32_t i = 0; i < triangles; ++i) {
      const Vec3d middle = random.in_cube(0, 10);
      for (uint32_t corner = 0; corner < 3; ++corner) {
        const Vec3d at = middle + random.in_cube(-1, 1);
        for (uint32_t axis = 0; axis < 3; ++axis) positions.push_back(static_cast<float>(at[axis]));
        indices.push_back(3 * i + corner);
      }
      materials.push_back(i % 3);
    }
  }

  vox_mesh_arrays arrays() const {
    vox_mesh_arrays arrays = {};
    arrays.struct_size = sizeof arrays;
    arrays.vertices = positions.size() / 3;
    arrays.triangles = indices.size() / 3;
    arrays.positions = positions.data();
    arrays.indices = indices.data();
    return arrays;
  }
};

inline vox_material plain_material_of(const char* name, float red, float green, float blue) {
  vox_material material = {};
  material.struct_size = sizeof material;
  material.name = name;
  material.base_color[0] = red, material.base_color[1] = green, material.base_color[2] = blue,
  material.base_color[3] = 1;
  return material;
}

// Red, green and blue.
inline std::array<vox_material, 3> three_materials() {
  return {plain_material_of("red", 1, 0, 0), plain_material_of("green", 0, 1, 0),
          plain_material_of("blue", 0, 0, 1)};
}

inline vox_voxelize_options at_resolution(uint32_t resolution) {
  vox_voxelize_options options = {};
  options.struct_size = sizeof options;
  options.resolution = resolution;
  return options;
}

inline vox_info info_of(const vox_scene* scene) {
  vox_info info = {};
  info.struct_size = sizeof info;
  EXPECT_OK(vox_scene_info(scene, &info));
  return info;
}

}  // namespace vox::test
