// The header of an NRRD file and its description of the file's axes.
// https://teem.sourceforge.net/nrrd/format.html
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "formats/volume/channels.h"
#include "formats/volume/placement.h"

namespace vox {

struct NrrdHeader {
  std::map<std::string, std::string, std::less<>> fields;  // names in lower case
  std::string_view files;                                  // the lines after `data file: LIST`
  uint64_t bytes = 0;

  std::string_view value(std::string_view name) const;
  std::string_view needed(std::string_view name) const;  // throws Error if it is missing
  std::string_view value(std::string_view name, std::string_view other_name) const;
};

// Reads the header up to the empty line that ends it; a detached header need not have one. The result has
// views into `text` for listed files.
NrrdHeader read_nrrd_header(std::string_view text);

// The axes of a file: at most three of space, and at most one of channels, which is the first or the last.
struct NrrdAxes {
  std::vector<int64_t> sizes;           // the sizes of the axes of space, in voxels
  std::vector<std::string_view> steps;  // their `space directions`, or empty
  std::vector<std::string_view> spacings;
  Channels channels;
};

NrrdAxes nrrd_axes(const NrrdHeader& header);

Placement nrrd_placement(const NrrdHeader& header, const NrrdAxes& axes);

}  // namespace vox
