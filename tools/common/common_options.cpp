#include "tools/common/command_line.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <string>
#include <string_view>

#include "libvox/base/error.h"
#include "libvox/base/process.h"
#include "libvox/base/units.h"
#include "libvox/device/devices.h"
#include "libvox/hash/table_options.h"

namespace vox {

OptionTopic device_topic(std::vector<OptionRule> profile_rules) {
  return {.name = "device",
          .title = "the device",
          .options = {option("device", "DEVICE", {},
                             "Run on cpu, cuda or cuda:N; auto takes a GPU if there is one. For a mesh or a "
                             "picture, vox-convert and vox-render also take a list such as cuda:0,1.",
                             {.preset = "auto"}),
                      option("threads", "N", {}, "Use this number of threads on the processor.",
                             {.usual = "all", .range = OptionRange{1, 4096}}),
                      option("memory-limit", "SIZE", {},
                             "Use at most this much memory of the process, or of the GPU, in bytes such as "
                             "800M or 6G.",
                             {.usual = "four fifths of the free memory",
                              .range = OptionRange{.least = 0, .ends = OptionRange::Ends::LeastExcluded}}),
                      flag("profile", std::move(profile_rules),
                           "Show the launches, time and bytes of every kernel on stderr.")}};
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
  return option("table", "NAME", std::move(rules), std::move(help),
                {.words = hash::table_names(), .preset = EngineOptions().table});
}

namespace {

uint32_t parse_brick_size(const std::string& text) {
  if (text == "auto") return 0;
  return parse_brick_side(
      text, fmt::format("--brick-size is '{}', expected a power of two from 4 to 512, or auto", text));
}

uint32_t parse_types(std::string_view text) {
  if (text == "all") return bricks::kAllBrickTypes;
  uint32_t types = 0;
  for (const std::string_view name : comma_separated(text)) {
    const auto found = std::ranges::find(bricks::BrickTypes::kNames, name);
    if (found == bricks::BrickTypes::kNames.end())
      throw UsageError(fmt::format("--types names '{}', expected some of: {}", name,
                                   fmt::join(bricks::BrickTypes::kNames, ", ")));
    types |= 1u << (found - bricks::BrickTypes::kNames.begin());
  }
  bricks::check_brick_types(types);
  return types;
}

Int3 read_dims(const CommandLine& arguments) {
  const std::vector<double> sides = arguments.numbers("dims", 3, "three numbers x,y,z");
  for (const double side : sides)
    if (!(side >= 1 && side <= static_cast<double>(volume::kMaxVolumeSide)) ||
        side != static_cast<double>(static_cast<int64_t>(side)))
      throw UsageError(fmt::format("--dims is '{}', expected whole numbers from 1 to {}",
                                   arguments.text("dims"), volume::kMaxVolumeSide));
  const auto whole = [&](size_t i) { return static_cast<int64_t>(sides[i]); };
  return volume::checked_volume_size(whole(0), whole(1), whole(2));
}

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
  const auto gpus = static_cast<uint32_t>(device::gpu_count());
  if (gpus == 0) return device == "auto" ? "cpu" : device;  // make_engine() says what is missing
  if (sharers.before < gpus) return fmt::format("cuda:{}", sharers.before);
  if (device == "auto") return "cpu";
  throw Error(fmt::format("{} processes on this host want a GPU each, and it has {}", sharers.count, gpus))
      .hint("start as many, or name one GPU for all by --device cuda:0");
}

}  // namespace

uint32_t parse_brick_side(std::string_view text, std::string_view message) {
  const uint64_t side = parse_count(text, "the side of a brick");
  if (!std::has_single_bit(side) || side < 1u << bricks::kMinBrickLog2 || side > 1u << bricks::kMaxBrickLog2)
    throw UsageError(std::string(message));
  return static_cast<uint32_t>(std::countr_zero(side));
}

std::vector<Option> brick_options(const std::vector<OptionRule>& rules) {
  return {
      option("brick-size", "N", rules,
             "Make bricks with this side, 4 to 512; auto takes the size up to 64 that needs the least "
             "memory.",
             {.preset = "auto", .unit = "voxels"}),
      option("brick-root", "KIND", rules,
             "dense: an entry for each brick; sparse: entries only where something is filled, and equal "
             "bricks of a scene share their words; auto: sparse above 2^24 bricks.",
             {.words = {bricks::kBrickRootNames.begin(), bricks::kBrickRootNames.end()}, .preset = "auto"}),
      option("types", "TYPE,...", rules,
             fmt::format("Allow these types of bricks: all, or some of {}. The thesis has the first four.",
                         fmt::join(bricks::BrickTypes::kNames, ",")),
             {.preset = "all"})};
}

std::vector<Option> threshold_options(const std::vector<OptionRule>& rules) {
  return {option("threshold", "SHARE", rules,
                 "Treat values below this share of the range, from the lowest to the highest value, as "
                 "empty.",
                 {.range = OptionRange{0, 1}}),
          option("threshold-raw", "VALUE", rules, "Treat values below this one as empty.")};
}

std::vector<Option> raw_options(const std::vector<OptionRule>& rules) {
  return {option("dims", "X,Y,Z", rules,
                 "The number of voxels of a raw file along each axis. It is not needed if the file's name "
                 "contains it, as in x_256x256x178_uint8.raw.",
                 {.setting = "size"}),
          option("type", "TYPE", rules,
                 fmt::format("The type of a raw file's values, if its name does not contain it: {}.",
                             fmt::join(kStoredTypeNames, ", "))),
          option("endian", "ORDER", rules, "The byte order of a raw file.",
                 {.words = {"little", "big"}, .preset = "little"}),
          option("offset", "N", rules, "The number of bytes before the values of a raw file.",
                 {.preset = "0", .unit = "bytes"})};
}

bricks::BricksOptions read_bricks_options(const CommandLine& arguments) {
  bricks::BricksOptions options;
  options.log2_side = parse_brick_size(arguments.text("brick-size"));
  options.types = parse_types(arguments.text("types"));
  using bricks::BrickRoot;
  options.root = arguments.choice("brick-root", {BrickRoot::Auto, BrickRoot::Dense, BrickRoot::Sparse});
  options.threshold = read_threshold_options(arguments);
  return options;
}

volume::ThresholdOptions read_threshold_options(const CommandLine& arguments) {
  if (arguments.has("threshold") && arguments.has("threshold-raw"))
    throw UsageError("--threshold and --threshold-raw exclude each other");
  return {.share = arguments.given_number("threshold"), .raw = arguments.given_number("threshold-raw")};
}

RawOptions read_raw_options(const CommandLine& arguments) {
  RawOptions options;
  if (arguments.has("dims")) options.size = read_dims(arguments);
  if (const auto name = arguments.given("type")) {
    options.type = parse_stored_type(*name);
    if (!options.type)
      throw UsageError(
          fmt::format("--type is '{}', expected one of: {}", *name, fmt::join(kStoredTypeNames, ", ")));
  }
  options.order = arguments.choice("endian", {ByteOrder::Little, ByteOrder::Big});
  options.offset = arguments.bytes("offset");
  return options;
}

EngineOptions engine_of_rank(EngineOptions options, ranks::Ranks& ranks) {
  if (device::names_several(options.device))
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
