// The options that several programs have, and functions that read them.
#pragma once

#include <vector>

#include "formats/volume/volume_formats.h"
#include "libvox/bricks/frozen_bricks.h"
#include "libvox/engine/engine.h"
#include "libvox/ranks/ranks.h"
#include "tools/common/command_line.h"

namespace vox {

// These are the options of every program that runs something on a device.

// Returns the topic "device" with --device, --threads, --memory-limit and --profile. The rules are for --profile.
OptionTopic device_topic(std::vector<OptionRule> profile_rules = {});

// Reads these options. The name of the hash table keeps its default. Throws UsageError.
EngineOptions read_device_options(const CommandLine& arguments);

// Returns --table, the hash table that holds a scene's SVDAG. `help` says when it is used.
Option table_option(std::string help, std::vector<OptionRule> rules = {});

// These are the options of programs that read volumes and make bricks.

// These functions return options with the program's rules.
std::vector<Option> brick_options(const std::vector<OptionRule>& rules);  // --brick-size and --types
std::vector<Option> threshold_options(
    const std::vector<OptionRule>& rules);  // --threshold and --threshold-raw
std::vector<Option> raw_options(
    const std::vector<OptionRule>& rules);  // --dims, --type, --endian and --offset

// These functions read the options. They throw UsageError.
bricks::BricksOptions read_bricks_options(const CommandLine& arguments);
volume::ThresholdOptions read_threshold_options(const CommandLine& arguments);
RawOptions read_raw_options(const CommandLine& arguments);

// Reads the side of a brick and returns its logarithm. Throws UsageError with the message if there is no such side.
uint32_t parse_brick_side(std::string_view text, std::string_view message);

// Each of several ranks takes a part of a host: a GPU, a share of the cores and of the memory.

// Collective. With `cuda` and `auto`, ranks that see the same GPUs take one each. With `auto`, ranks without a GPU
// take the processor. Throws UsageError for several devices, and Error if --device cuda finds fewer GPUs than
// ranks.
EngineOptions engine_of_rank(EngineOptions options, ranks::Ranks& ranks);

}  // namespace vox
