// The options of programs that read volumes and make bricks.
#pragma once

#include <cxxopts.hpp>

#include "formats/volume/raw_volume.h"
#include "libvox/bricks/build.h"

namespace vox {

// --brick-size and --types, in the group "Bricks".
void add_bricks_options(cxxopts::Options& options);

// --threshold, --threshold-raw, --dims, --type, --endian and --offset, in the group "Volumes".
void add_volume_options(cxxopts::Options& options);

// These read what the user gave. They throw UsageError.
bricks::BricksOptions read_bricks_options(const cxxopts::ParseResult& parsed);
volume::ThresholdOptions read_threshold_options(const cxxopts::ParseResult& parsed);
RawOptions read_raw_options(const cxxopts::ParseResult& parsed);

}  // namespace vox
