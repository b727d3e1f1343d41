#include "tools/common/bricks_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>

#include "libvox/base/error.h"
#include "libvox/base/units.h"

namespace vox {
namespace {

uint32_t parse_brick_size(const std::string& text) {
  if (text == "auto") return 0;
  return parse_brick_side(text, fmt::format("--brick-size is '{}', expected 4, 8, 16, 32, 64 or auto", text));
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

}  // namespace

uint32_t parse_brick_side(std::string_view text, std::string_view message) {
  const uint64_t side = parse_count(text, "the side of a brick");
  if (!std::has_single_bit(side) || side < 1u << bricks::kMinBrickLog2 || side > 1u << bricks::kMaxBrickLog2)
    throw UsageError(std::string(message));
  return static_cast<uint32_t>(std::countr_zero(side));
}

std::vector<Option> brick_options(const std::vector<OptionRule>& rules) {
  return {
      {.name = "brick-size",
       .argument = "N",
       .preset = "auto",
       .unit = "voxels",
       .rules = rules,
       .help = "Make bricks with this side: 4, 8, 16, 32 or 64; auto takes the one that needs least memory."},
      {.name = "types",
       .argument = "TYPE,...",
       .preset = "all",
       .rules = rules,
       .help = fmt::format("Allow these types of bricks: all, or some of {}. The thesis has the first four.",
                           fmt::join(bricks::BrickTypes::kNames, ","))}};
}

std::vector<Option> threshold_options(const std::vector<OptionRule>& rules) {
  return {{.name = "threshold",
           .argument = "SHARE",
           .range = OptionRange{0, 1},
           .rules = rules,
           .help = "Treat values as empty that are below this share of the way from the lowest to the "
                   "highest value."},
          {.name = "threshold-raw",
           .argument = "VALUE",
           .rules = rules,
           .help = "Treat values below this one as empty."}};
}

std::vector<Option> raw_options(const std::vector<OptionRule>& rules) {
  return {{.name = "dims",
           .argument = "X,Y,Z",
           .setting = "size",
           .rules = rules,
           .help = "The number of voxels of a raw file along each axis. It is not needed if the file's name "
                   "contains it, as "
                   "in x_256x256x178_uint8.raw."},
          {.name = "type",
           .argument = "TYPE",
           .rules = rules,
           .help = fmt::format("The type of a raw file's values, if its name does not contain it: {}.",
                               fmt::join(kStoredTypeNames, ", "))},
          {.name = "endian",
           .argument = "ORDER",
           .words = {"little", "big"},
           .preset = "little",
           .rules = rules,
           .help = "The byte order of a raw file."},
          {.name = "offset",
           .argument = "N",
           .preset = "0",
           .unit = "bytes",
           .rules = rules,
           .help = "The number of bytes before the values of a raw file."}};
}

bricks::BricksOptions read_bricks_options(const CommandLine& arguments) {
  bricks::BricksOptions options;
  options.log2_side = parse_brick_size(arguments.text("brick-size"));
  options.types = parse_types(arguments.text("types"));
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

}  // namespace vox
