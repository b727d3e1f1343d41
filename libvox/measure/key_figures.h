// The figures of the two papers about tables of voxel keys, as axes of the benchmark (keys_bench.h).
#pragma once

#include <span>
#include <string_view>

#include "libvox/measure/keys_bench.h"

namespace vox::measure {

struct KeyFigure {
  const char* name;  // the figure's number in García et al. 2011, or "a" and its number in Alcantara et al.
                     // 2009
  const char* about;
  KeysBenchOptions (*axes)();
};
std::span<const KeyFigure> key_figures();

// Returns the axes of a figure. Throws UsageError if there is no figure of this name.
KeysBenchOptions key_figure(std::string_view name);

}  // namespace vox::measure
