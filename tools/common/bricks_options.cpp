#include "tools/common/bricks_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>

#include "libvox/base/error.h"
#include "libvox/base/units.h"
#include "tools/common/option_values.h"

namespace vox {
namespace {

uint32_t parse_brick_size(std::string_view text) {
  if (text == "auto") return 0;
  const uint64_t side = parse_count(text, "--brick-size");
  if (!std::has_single_bit(side) || side < 1u << bricks::kMinBrickLog2 || side > 1u << bricks::kMaxBrickLog2)
    throw UsageError(fmt::format("--brick-size is '{}', expected 4, 8, 16, 32, 64 or auto", text));
  return static_cast<uint32_t>(std::countr_zero(side));
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

Int3 parse_dims(const std::string& text) {
  const std::vector<double> sides = parse_numbers(text, "dims", 3, "three numbers x,y,z");
  for (const double side : sides)
    if (!(side >= 1 && side <= static_cast<double>(volume::kMaxVolumeSide)) ||
        side != static_cast<double>(static_cast<int64_t>(side)))
      throw UsageError(
          fmt::format("--dims is '{}', expected whole numbers from 1 to {}", text, volume::kMaxVolumeSide));
  const auto whole = [&](size_t i) { return static_cast<int64_t>(sides[i]); };
  return volume::checked_volume_size(whole(0), whole(1), whole(2));
}

double parse_share(std::string_view text) {
  const double share = parse_number(text, "--threshold");
  if (share < 0 || share > 1)
    throw UsageError(
        fmt::format("--threshold is '{}', expected a share from 0 to 1; a value is --threshold-raw", text));
  return share;
}

}  // namespace

void add_bricks_options(cxxopts::Options& options) {
  const auto preset = [](const char* value) { return cxxopts::value<std::string>()->default_value(value); };
  options.add_options("Bricks")(
      "brick-size", "Voxels a side: 4, 8, 16, 32, 64, or auto: that which takes least memory", preset("auto"),
      "N")("types",
           fmt::format("What bricks may be, of {}; the thesis has the first four",
                       fmt::join(bricks::BrickTypes::kNames, ",")),
           preset("all"), "LIST");
}

void add_volume_options(cxxopts::Options& options) {
  const auto text = [] { return cxxopts::value<std::string>(); };
  options.add_options("Volumes")("threshold",
                                 "What is below this share of the way from the lowest to the highest value "
                                 "is empty",
                                 text(), "SHARE")("threshold-raw", "What is below this value is empty",
                                                  text(), "VALUE")(
      "dims", "Of a raw file: voxels along each axis, unless its name says them (x_256x256x178_uint8.raw)",
      text(), "X,Y,Z")(
      "type", fmt::format("Of a raw file: {}, unless its name says it", fmt::join(kStoredTypeNames, ", ")),
      text(), "TYPE")("endian", "Of a raw file: little or big", text()->default_value("little"), "ORDER")(
      "offset", "Of a raw file: bytes before the values", text()->default_value("0"), "N");
}

bricks::BricksOptions read_bricks_options(const cxxopts::ParseResult& parsed) {
  bricks::BricksOptions options;
  options.log2_side = parse_brick_size(parsed["brick-size"].as<std::string>());
  options.types = parse_types(parsed["types"].as<std::string>());
  options.threshold = read_threshold_options(parsed);
  return options;
}

volume::ThresholdOptions read_threshold_options(const cxxopts::ParseResult& parsed) {
  volume::ThresholdOptions options;
  if (parsed.count("threshold") && parsed.count("threshold-raw"))
    throw UsageError("--threshold and --threshold-raw exclude each other");
  if (parsed.count("threshold")) options.share = parse_share(parsed["threshold"].as<std::string>());
  if (parsed.count("threshold-raw"))
    options.raw = parse_number(parsed["threshold-raw"].as<std::string>(), "--threshold-raw");
  return options;
}

RawOptions read_raw_options(const cxxopts::ParseResult& parsed) {
  RawOptions options;
  if (parsed.count("dims")) options.size = parse_dims(parsed["dims"].as<std::string>());
  if (parsed.count("type")) {
    const auto name = parsed["type"].as<std::string>();
    options.type = parse_stored_type(name);
    if (!options.type)
      throw UsageError(
          fmt::format("--type is '{}', expected one of: {}", name, fmt::join(kStoredTypeNames, ", ")));
  }
  options.order =
      parse_choice<ByteOrder>(parsed, "endian", {{"little", ByteOrder::Little}, {"big", ByteOrder::Big}});
  options.offset = parse_bytes(parsed["offset"].as<std::string>(), "--offset");
  return options;
}

}  // namespace vox
