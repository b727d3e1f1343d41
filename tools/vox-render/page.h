// A scene as a page that one can fly through.
#pragma once

#include "tools/vox-render/options.h"

namespace vox {

// Writes options.page.
void write_page(const RenderToolOptions& options);

}  // namespace vox
