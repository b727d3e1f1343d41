// The options of programs that read volumes and make bricks.
#pragma once

#include <vector>

#include "formats/volume/raw_volume.h"
#include "libvox/bricks/build.h"
#include "tools/common/command_line.h"

namespace vox {

// These return options with the rules of the program.
std::vector<Option> brick_options(const std::vector<OptionRule>& rules);  // --brick-size and --types
std::vector<Option> threshold_options(
    const std::vector<OptionRule>& rules);  // --threshold and --threshold-raw
std::vector<Option> raw_options(
    const std::vector<OptionRule>& rules);  // --dims, --type, --endian and --offset

// These read the options. They throw UsageError.
bricks::BricksOptions read_bricks_options(const CommandLine& arguments);
volume::ThresholdOptions read_threshold_options(const CommandLine& arguments);
RawOptions read_raw_options(const CommandLine& arguments);

// Reads the side of a brick and returns its logarithm. Throws UsageError with the message if it is none.
uint32_t parse_brick_side(std::string_view text, std::string_view message);

}  // namespace vox
