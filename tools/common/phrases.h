// The names that programs have for the things that a user can set: their options.
#pragma once

#include <string_view>

#include "libvox/base/phrase.h"

namespace vox {

// The function for set_phrases(), which run_tool() calls with it.
std::string_view tool_words(Phrase phrase);

}  // namespace vox
