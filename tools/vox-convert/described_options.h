// What vox-convert says of itself: its options, each with what it does, and examples. options.h reads them.
#pragma once

#include <cxxopts.hpp>
#include <string>

namespace vox {

cxxopts::Options described_options();

// The extensions that -o may have: ".h5, .nrrd, … or .vtkhdf".
std::string output_extensions();

}  // namespace vox
