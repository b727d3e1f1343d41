// The text that --version prints: the version in the first line, then the libraries and options of this build.
#pragma once

#include <string>

namespace vox {

std::string generator_text();  // "vox 0.1.0"

std::string version_text();  // lines, each with its end
std::string version_json();

}  // namespace vox
