// What --version prints: the version in the first line, then what this build was made with.
#pragma once

#include <string>

namespace vox {

std::string generator_text();  // "vox 0.1.0"

std::string version_text();  // lines, each with its end
std::string version_json();

}  // namespace vox
