// Makes scenes from a seed: the same options give the same bytes on every machine. y is up, units are meters,
// and coordinates are multiples of 1/1024 m (2^-20 m for the sphere).
#pragma once

#include <cstdint>

#include "libvox/scene/scene.h"

namespace vox::scene {

// A village of about 20,000 triangles on 96 m x 96 m: hills, two roads, houses, fences, a well, and trees
// with alpha-cut leaves.
struct VillageOptions {
  uint64_t seed = 1;
  uint32_t texture_size = 512;  // texels along a side
};
Scene make_village(const VillageOptions& options);

// A walled city on terraces, four times as long as wide and mostly empty above its roofs. A block is 60 m x
// 60 m and has about 6,500 triangles. The city has blocks x max(1, blocks / 4) of them: `blocks` of 8 gives
// 0.1 M triangles, 24 gives 1 M, 56 gives 5 M.
struct CityOptions {
  uint32_t blocks = 24;  // along x; 1 to kMaxCityBlocks
  uint64_t seed = 1;
  uint32_t texture_size = 512;
};
inline constexpr uint32_t kMaxCityBlocks = 128;
Scene make_city(const CityOptions& options);

// The texture coordinates of a sphere.
enum class SphereTexcoords {
  Repeated,   // each face of the box shows the whole texture, twice along each side: 0 to 2
  Unwrapped,  // each face has a part of the texture of its own, so that no texel is shown twice: 0 to 1
};

// A closed, displaced sphere of radius about 1: the surface of a box of a x b x c squares, inflated. It has
// 4(ab + bc + ca) triangles, the count nearest to `triangles` with a, b, c nearly equal.
struct BumpySphereOptions {
  uint64_t triangles = 100'000;  // from 12 to kMaxSphereTriangles
  uint64_t seed = 1;
  uint32_t texture_size = 512;
  SphereTexcoords texcoords = SphereTexcoords::Repeated;
};
inline constexpr uint64_t kMaxSphereTriangles = 1'000'000'000;
Scene make_bumpy_sphere(const BumpySphereOptions& options);

}  // namespace vox::scene
