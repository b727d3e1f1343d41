// Checks that the options of vox-render go with its picture.
#pragma once

#include "tools/vox-render/options.h"

namespace vox {

enum class Shown { Scene, Volume };

// Throws UsageError for an option that would have no effect.
void check_given(const RenderToolOptions& options, Shown shown);

}  // namespace vox
