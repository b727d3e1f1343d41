// The sets of brick types that have a name, because benchmarks compare them.
#pragma once

#include <array>

#include "libvox/bricks/types/types.h"

namespace vox::bricks {

struct BrickTypeSet {
  const char* name;   // on command lines
  const char* title;  // in tables
  uint32_t types;
};

namespace detail {
template <class... Types>
constexpr uint32_t set_of() {
  return ((1u << BrickTypes::kNumber<Types>) | ...);
}
}  // namespace detail

// The sets of Labschütz, Figure 6.1: one type beside empty bricks, and the thesis's four types; then all
// types.
inline constexpr std::array<BrickTypeSet, 5> kBrickTypeSets = {
    {{"dense", "dense", detail::set_of<EmptyBrick, DenseBrick>()},
     {"octree", "octree", detail::set_of<EmptyBrick, OctreeBrick>()},
     {"list", "list", detail::set_of<EmptyBrick, ListBrick>()},
     {"four", "four types", kThesisBrickTypes},
     {"all", "all types", kAllBrickTypes}}};

}  // namespace vox::bricks
