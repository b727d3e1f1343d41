#include "libvox/measure/filled_places.h"

#include "libvox/base/bits.h"
#include "libvox/base/cube_order.h"
#include "libvox/base/mix.h"

namespace vox::measure {
namespace {

// A sequence of random choices from a seed.
class PlaceDice {
 public:
  explicit PlaceDice(uint64_t seed) : state_(mix64(seed + 1)) {}

  // Returns one of the set bits of the mask, which must not be 0.
  uint32_t bit_of(uint64_t mask) {
    state_ += 0x9e3779b97f4a7c15;  // from the golden ratio; the state repeats only after 2^64 steps
    uint64_t left = mix64(state_) % static_cast<uint64_t>(popcount(mask));
    for (; left > 0; --left) mask &= mask - 1;
    return static_cast<uint32_t>(lowest_bit(mask));
  }

 private:
  uint64_t state_;
};

Int3 filled_place(const dag::FrozenDag& dag, PlaceDice& dice) {
  Int3 corner = {0, 0, 0};
  uint32_t at = 0;
  for (uint32_t level = 0; level < dag.depth(); ++level) {
    const uint32_t* const node = dag.levels[level].node(at);
    const uint32_t child = dice.bit_of(dag::child_mask(*node));
    corner = corner + octant_corner(child, static_cast<int32_t>(dag.level_side(level + 1)));
    at = node[dag::child_word(*node, child)];
  }
  const uint64_t mask = dag::leaf_mask(dag.levels[dag.depth()].node(at));
  return corner + cube_place(dice.bit_of(mask));
}

}  // namespace

std::vector<Int3> filled_places(const dag::FrozenDag& dag, uint64_t seed, uint64_t count) {
  PlaceDice dice(seed);
  std::vector<Int3> places;
  for (uint64_t i = 0; i < count; ++i) places.push_back(filled_place(dag, dice));
  return places;
}

}  // namespace vox::measure
