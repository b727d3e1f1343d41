// Strokes that are applied together, as arrays for a device.
#pragma once

#include <vector>

#include "libvox/painting/stroke_ref.h"

namespace vox::painting {

struct StrokeArrays {
  std::vector<StrokeRef> strokes;
  std::vector<Segment> segments;
  std::vector<Paint> colors;  // one for each stroke
};

// Returns the arrays of the strokes [begin, end).
StrokeArrays stroke_arrays(const Strokes& strokes, size_t begin, size_t end);

}  // namespace vox::painting
