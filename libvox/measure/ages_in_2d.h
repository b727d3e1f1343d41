// The table of maximum ages of a picture that is hashed in 2D (García et al. 2011, Figure 4): each axis by itself, so that
// what a coherent hash keeps together can be seen. It serves the figure alone, and is made on the host.
#pragma once

#include <cstdint>
#include <vector>

#include "libvox/measure/key_shapes.h"

namespace vox::measure {

enum class Probes2d { Coherent, Random };

struct AgesIn2d {
  uint32_t side = 0;          // of the table, a prime
  std::vector<uint8_t> ages;  // for each slot, the largest age of the keys that look there first; x fastest
  uint64_t keys = 0;
};

// Hashes the pixels that are not white. Throws Error if the table could not be built in several attempts.
AgesIn2d maximum_ages_in_2d(const SparsePicture& picture, double load_factor, Probes2d probes);

}  // namespace vox::measure
