#include "tools/common/ranks_engine.h"

#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <string>
#include <string_view>

#include "libvox/base/error.h"
#include "libvox/base/memory.h"
#include "libvox/engine/engine_devices.h"
#include "libvox/engine/group_engine.h"

namespace vox {
namespace {

// Those among the ranks that share something with this one, itself among them.
struct Sharers {
  uint32_t before = 0, count = 0;
};

Sharers sharers_of(const std::string& shared, ranks::Ranks& ranks) {
  const uint64_t own = std::hash<std::string>()(shared);
  const std::vector<uint64_t> all = ranks.gather(own);
  return {static_cast<uint32_t>(std::count(all.begin(), all.begin() + ranks.rank(), own)),
          static_cast<uint32_t>(std::ranges::count(all, own))};
}

// Names a host among others, and a container on it.
std::string host_name() {
  std::string boot;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
  std::array<char, 256> name = {};
  if (gethostname(name.data(), name.size() - 1) != 0) name[0] = '\0';
  return boot + name.data();
}

// The cores that this process may run on: a launcher may have given each its own.
cpu_set_t own_cores() {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  sched_getaffinity(0, sizeof cores, &cores);
  return cores;
}

std::string gpu_for(const std::string& device, const Sharers& sharers) {
  if (device != "auto" && device != "cuda") return device;
  const auto gpus = static_cast<uint32_t>(gpu_count());
  if (gpus == 0) return device;  // make_engine() says what is missing
  if (sharers.before < gpus) return fmt::format("cuda:{}", sharers.before);
  if (device == "auto") return "cpu";
  throw Error(fmt::format("{} processes on this host want a GPU each, and it has {}", sharers.count, gpus))
      .hint("start as many, or name one GPU for all by --device cuda:0");
}

}  // namespace

EngineOptions engine_of_rank(EngineOptions options, ranks::Ranks& ranks) {
  if (names_several(options.device))
    throw UsageError("--device names several devices, but each of several processes runs on one: cpu, cuda");
  const std::string host = host_name();
  const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
  const cpu_set_t cores = own_cores();
  const std::string_view core_bits(reinterpret_cast<const char*>(&cores), sizeof cores);
  const Sharers of_host = sharers_of(host, ranks),
                of_cores = sharers_of(host + std::string(core_bits), ranks),
                of_gpus = sharers_of(host + (visible ? visible : ""), ranks);
  options.device = gpu_for(options.device, of_gpus);
  if (options.threads == 0)
    options.threads = std::max(1u, static_cast<uint32_t>(CPU_COUNT(&cores)) / of_cores.count);
  if (options.memory_limit == 0 && options.device == "cpu" && of_host.count > 1)
    options.memory_limit = resident_bytes() + available_bytes() / 5 * 4 / of_host.count;
  return options;
}

}  // namespace vox
