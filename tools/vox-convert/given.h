// Which options of vox-convert go with which input, and with what is made of it.
#pragma once

#include "tools/vox-convert/options.h"

namespace vox {

// Looks at what the inputs are. Throws UsageError for an option that would have no effect, and Error where an
// input is missing or a file of a kind that is not read.
void check_given(const ConvertOptions& options);

}  // namespace vox
