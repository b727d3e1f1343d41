// Checks that the options of vox-convert go with its inputs and its output.
#pragma once

#include "tools/vox-convert/options.h"

namespace vox {

// Looks at the inputs. Throws UsageError for an option that would have no effect, and Error if an input is of
// a type that is not read.
void check_given(const ConvertOptions& options);

}  // namespace vox
