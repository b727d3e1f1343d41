// What the tools call the things that a user can set: their options.
#pragma once

#include <string_view>

#include "libvox/base/phrase.h"

namespace vox {

// For set_phrases(); run_tool() says so.
std::string_view tool_words(Phrase phrase);

}  // namespace vox
