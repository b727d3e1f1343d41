// Checks that two volumes hold the same values.
#pragma once

#include <string_view>

#include "libvox/volume/read_pieces.h"
#include "libvox/volume/volume.h"

namespace vox::volume {

// Throws Error that names the first voxel, x fastest, whose value is not the expected one, or says that size
// or type differ. `name` and `expected_name` are names for the two volumes, such as "the bricks". Reads both
// piece by piece.
void check_same_values(const Volume& volume, std::string_view name, const Volume& expected,
                       std::string_view expected_name, uint64_t piece_voxels = kReadVoxels);

}  // namespace vox::volume
