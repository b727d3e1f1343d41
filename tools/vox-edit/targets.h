// Checks where a run of vox-edit may write.
#pragma once

#include "libvox/edit/script.h"
#include "libvox/edit/script_errors.h"
#include "tools/vox-edit/options.h"

namespace vox {

// Checks before the work, not after it, that the results can be written. It is an error if a result would
// replace a file that is read, or another result. `on_error` is called with every error that is found in the
// script; without it, the first one is thrown.
void check_targets(const EditOptions& options, const edit::Script& script,
                   const edit::OnScriptError& on_error = {});

}  // namespace vox
