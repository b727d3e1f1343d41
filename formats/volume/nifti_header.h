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
  std::array<int64_t, 8> sizes = {};  // the number of axes, and then their sizes
  int64_t type = 0;                   // a code
  uint64_t offset = 0;                // of the values in their file
  double slope = 0, intercept = 0;    // a slope of 0 stands for values as they are
  Placement placement;
};

// Reads the first bytes of a file. Throws Error where they are no such header.
NiftiHeader read_nifti_header(std::span<const std::byte> bytes);

// The type of each value of a code, and how many a voxel has of it: colours have several. Throws Error for
// types that are not read.
struct NiftiValues {
  StoredType type;
  int64_t count = 1;
};
NiftiValues nifti_values(int64_t code);

}  // namespace vox
