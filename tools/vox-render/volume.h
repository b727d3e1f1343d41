// Pictures of files that hold the bricks of a volume alone.
#pragma once

#include "tools/vox-render/options.h"

namespace vox {

// Shows the volume by rays, or a cut of it. Throws UsageError for options that only scenes take.
void show_volume(const RenderToolOptions& options);

}  // namespace vox
