// The options of every program that runs something on a device.
#pragma once

#include "libvox/engine/engine.h"
#include "tools/common/command_line.h"

namespace vox {

// Returns the topic "device" with --device, --threads, --memory-limit and --profile. The rules are those of --profile.
OptionTopic device_topic(std::vector<OptionRule> profile_rules = {});

// Reads these options; the name of the hash table keeps its default. Throws UsageError.
EngineOptions read_device_options(const CommandLine& arguments);

// Returns --table, the hash table that holds a scene's SVDAG; `help` says when.
Option table_option(std::string help, std::vector<OptionRule> rules = {});

}  // namespace vox
