#include "tools/common/device_options.h"

#include "libvox/hash/table_list.h"

namespace vox {

OptionTopic device_topic(std::vector<OptionRule> profile_rules) {
  return {
      .name = "device",
      .title = "the device",
      .options = {
          {.name = "device",
           .argument = "DEVICE",
           .preset = "auto",
           .help = "Run on cpu, cuda or cuda:N; auto takes a GPU if there is one. A list such as cuda:0,1 "
                   "converts "
                   "a mesh or takes a picture on several devices together."},
          {.name = "threads",
           .argument = "N",
           .usual = "all",
           .range = OptionRange{1, 4096},
           .help = "Use this number of threads on the processor."},
          {.name = "memory-limit",
           .argument = "SIZE",
           .usual = "four fifths of the free memory",
           .range = OptionRange{.least = 0, .ends = OptionRange::Ends::LeastExcluded},
           .help =
               "Use at most this much memory of the process, or of the GPU, in bytes such as 800M or 6G."},
          {.name = "profile",
           .rules = std::move(profile_rules),
           .help = "Show the launches, time and bytes of every kernel on stderr."}}};
}

EngineOptions read_device_options(const CommandLine& arguments) {
  EngineOptions options;
  options.device = arguments.text("device");
  if (const auto threads = arguments.given_whole("threads")) options.threads = *threads;
  if (arguments.has("memory-limit")) options.memory_limit = arguments.bytes("memory-limit");
  options.profile = arguments.has("profile");
  return options;
}

Option table_option(std::string help, std::vector<OptionRule> rules) {
  return {.name = "table",
          .argument = "NAME",
          .words = hash::table_names(),
          .preset = EngineOptions().table,
          .rules = std::move(rules),
          .help = std::move(help)};
}

}  // namespace vox
