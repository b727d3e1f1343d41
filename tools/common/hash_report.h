// The figures on a spatial hash that programs show on screen and write into files.
#pragma once

#include <string>

#include "libvox/measure/results.h"
#include "libvox/spatial/frozen_hash.h"

namespace vox {

// Sets the group `hash`: bytes, cells, load_factor, layout, probes.
void set_hash(measure::ResultGroup& results, const spatial::FrozenHash& hash);

// "86,000 voxels as a spatial hash of 90,528 cells, 95.0 % full, in 751 KiB, morton keys, 7 probes at most"
std::string hash_line(const spatial::FrozenHash& hash);

}  // namespace vox
