// Painted square textures that repeat without a seam (except pictures). Their colours are blends of 16
// swatches, so that a palette of 16 fits them well.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "libvox/scene/scene.h"

namespace vox::scene {

namespace swatch {
inline constexpr Rgba8 kMoss = {58, 82, 38, 255}, kGrass = {84, 114, 50, 255}, kMeadow = {120, 144, 68, 255},
                       kEarth = {116, 90, 64, 255}, kSand = {166, 140, 100, 255}, kSlate = {74, 74, 80, 255},
                       kStone = {120, 117, 112, 255}, kChalk = {166, 161, 150, 255}, kOak = {62, 42, 28, 255},
                       kPine = {112, 78, 48, 255}, kRust = {104, 46, 34, 255},
                       kTerracotta = {158, 76, 52, 255}, kPlaster = {212, 196, 162, 255},
                       kOchre = {190, 150, 84, 255}, kWhite = {234, 230, 220, 255},
                       kGlass = {42, 56, 74, 255};
}  // namespace swatch

using Ramp = std::span<const Rgba8>;

// Returns the colour at t (clamped to [0, 1]) of a ramp, in 4 steps from one swatch to the next.
Rgba8 blend(Ramp ramp, double t);

// Calls shade(u, v) at the centre of every texel, in parallel.
Image paint(std::string name, uint32_t size, const std::function<Rgba8(double u, double v)>& shade);

Image grass_texture(uint32_t size, uint64_t seed);
Image dirt_texture(uint32_t size, uint64_t seed);
Image plaster_texture(uint32_t size, uint64_t seed);
Image plank_texture(uint32_t size, uint64_t seed);
Image bark_texture(uint32_t size, uint64_t seed);
Image brick_texture(uint32_t size, uint64_t seed);
Image stone_wall_texture(uint32_t size, uint64_t seed);  // ashlar
Image cobble_texture(uint32_t size, uint64_t seed);
Image roof_tile_texture(uint32_t size, uint64_t seed);
Image slate_texture(uint32_t size, uint64_t seed);
Image facade_texture(uint32_t size, uint64_t seed);  // one bay of a half-timbered wall
Image marble_texture(uint32_t size, uint64_t seed);

// The following textures are pictures, which are shown whole.
Image window_texture(uint32_t size, uint64_t seed);
Image door_texture(uint32_t size, uint64_t seed);
Image leaf_texture(uint32_t size, uint64_t seed);  // alpha is 0 between the leaves

}  // namespace vox::scene
