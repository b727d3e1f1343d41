// Pictures of files that hold the bricks of a volume alone.
#pragma once

#include "tools/vox-render/options.h"

namespace vox {

// Rays through it, or a cut. Throws UsageError for options that only scenes take.
void show_volume(const RenderToolOptions& options);

}  // namespace vox
