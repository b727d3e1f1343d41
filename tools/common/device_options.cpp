#include "tools/common/device_options.h"

#include "libvox/base/error.h"
#include "libvox/base/units.h"

namespace vox {

void add_device_options(cxxopts::Options& options) {
  auto text = [] { return cxxopts::value<std::string>(); };
  options.add_options("Device")(
      "device",
      "auto (a GPU where there is one), cpu, cuda or cuda:N; a mesh is converted, and "
      "a picture taken, on several together: cuda:0,1",
      text()->default_value("auto"),
      "DEVICE")("threads", "Threads to run on the processor (default: all)", text(), "N")(
      "memory-limit",
      "Memory to use at most, in bytes such as 800M or 6G: of the process on the CPU, of the device on a GPU "
      "(default: four fifths of what is free)",
      text(), "SIZE")("profile", "Show launches, time and bytes of every kernel on stderr");
}

EngineOptions read_device_options(const cxxopts::ParseResult& parsed) {
  EngineOptions options;
  options.device = parsed["device"].as<std::string>();
  if (parsed.count("threads")) {
    const uint64_t threads = parse_count(parsed["threads"].as<std::string>(), "--threads");
    if (threads < 1 || threads > 4096) throw UsageError("--threads must be 1 to 4096");
    options.threads = static_cast<uint32_t>(threads);
  }
  if (parsed.count("memory-limit")) {
    options.memory_limit = parse_bytes(parsed["memory-limit"].as<std::string>(), "--memory-limit");
    if (options.memory_limit == 0) throw UsageError("--memory-limit must be greater than 0");
  }
  options.profile = parsed.count("profile") > 0;
  return options;
}

}  // namespace vox
