// Where a run may write.
#pragma once

#include "libvox/edit/script.h"
#include "libvox/edit/script_errors.h"
#include "tools/vox-edit/options.h"

namespace vox {

// Before the work, not after it: can the results be written where they are to go? It is an error where one
// would replace what is read, or another result. `on_error` hears of everything that is wrong with the script;
// without it, the first is thrown.
void check_targets(const EditOptions& options, const edit::Script& script,
                   const edit::OnScriptError& on_error = {});

}  // namespace vox
