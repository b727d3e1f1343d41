// The header of a NIfTI file, of either version and byte order.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "formats/volume/channels.h"
#include "formats/volume/placement.h"

namespace vox {

inline constexpr size_t kMostNiftiHeader = 540;  // bytes

struct NiftiHeader {
  ByteOrder order = ByteOrder::Little;
  bool one_file = false;              // the values follow the header
  std::array<int64_t, 8> sizes = {};  // the number of axes, then their sizes
  int64_t type = 0;                   // NIfTI's code for the type
  uint64_t offset = 0;                // the position of the values in their file, in bytes
  double slope = 0, intercept = 0;    // a slope of 0 leaves values as they are
  Placement placement;
};

// Reads the header from the first bytes of a file. Throws Error if they are not a NIfTI header.
NiftiHeader read_nifti_header(std::span<const std::byte> bytes);

// The type that a code stands for, and the number of such values in a voxel: colours have several.
struct NiftiValues {
  StoredType type;
  int64_t count = 1;
};
// Throws Error for types that are not supported.
NiftiValues nifti_values(int64_t code);

}  // namespace vox
