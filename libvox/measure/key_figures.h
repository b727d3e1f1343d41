// The figures of the two papers about tables of voxel keys as axes of the benchmark (keys_bench.h).
#pragma once

#include <span>
#include <string_view>

#include "libvox/measure/keys_bench.h"

namespace vox::measure {

struct KeyFigure {
  const char* name;  // a number of García et al. 2011, or of Alcantara et al. 2009 behind an a
  const char* about;
  KeysBenchOptions (*axes)();
};
std::span<const KeyFigure> key_figures();

// The axes of a figure. Throws UsageError where there is none of this name.
KeysBenchOptions key_figure(std::string_view name);

}  // namespace vox::measure
