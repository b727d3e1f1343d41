// Who reads a script to the end, whatever is wrong with it, hears of all that is.
#pragma once

#include <functional>

#include "libvox/base/error.h"

namespace vox {

// Called for each line that is wrong, which is then left out. Empty: the first one is thrown.
using OnScriptError = std::function<void(const Error&)>;

}  // namespace vox
