// Checks which options of vox-convert go with which input and output.
#pragma once

#include "tools/vox-convert/options.h"

namespace vox {

// Looks at the inputs. Throws UsageError for an option that would have no effect, and Error where an input is
// missing or of a type that is not read.
void check_given(const ConvertOptions& options);

}  // namespace vox
