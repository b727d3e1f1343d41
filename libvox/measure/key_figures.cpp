#include "libvox/measure/key_figures.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

#include "libvox/base/error.h"

namespace vox::measure {
namespace {

using enum KeyOp;
using hash::KeyLayout;

// Options for 64-bit cells: keys of 32 bits and values of 28, with 4 for ages (García et al. 2011, §4.1).
KeysBenchOptions pairs_of_64_bits() {
  KeysBenchOptions options;
  options.key_bits = {32};
  options.value_bits = 28;
  options.layouts = {KeyLayout::RowMajor};
  options.load_factors = {0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95, 0.99};
  return options;
}

std::vector<uint64_t> powers_of_two(uint32_t first, uint32_t last) {
  std::vector<uint64_t> powers;
  for (uint32_t log2 = first; log2 <= last; ++log2) powers.push_back(uint64_t{1} << log2);
  return powers;
}

// Options for several numbers of random keys at one load factor.
KeysBenchOptions over_keys(double load_factor) {
  KeysBenchOptions options = pairs_of_64_bits();
  options.sets = {KeySetKind::Random};
  options.load_factors = {load_factor};
  options.keys_at_scale_1 = powers_of_two(16, 25);
  return options;
}

KeysBenchOptions over_load_factors(std::vector<KeySetKind> sets, std::vector<KeyOp> ops) {
  KeysBenchOptions options = pairs_of_64_bits();
  options.sets = std::move(sets);
  options.ops = std::move(ops);
  return options;
}

// Options for 2^20 keys of 24 bits at a load factor of 0.8.
KeysBenchOptions histograms_of_ages() {
  KeysBenchOptions options = over_load_factors({KeySetKind::Random}, {Ages});
  options.tables = {"open", "robin-random", "robin"};
  options.key_bits = {24};
  options.value_bits = 0;
  options.load_factors = {0.8};
  options.keys = {uint64_t{1} << 20};
  return options;
}

// Options with so few keys that the picture fits on a screen.
KeysBenchOptions picture_of_ages() {
  KeysBenchOptions options = over_load_factors({KeySetKind::Image}, {Ages});
  options.tables = {"robin-random", "robin"};
  options.load_factors = {0.8};
  options.keys = {200000};
  options.draw_ages = true;
  return options;
}

// Options for a million painted texels of 4096².
KeysBenchOptions painting() {
  KeysBenchOptions options = over_load_factors({KeySetKind::Painted}, {Build, BuildOrdered, FindView});
  options.tables = {"lines", "robin", "robin-random"};
  options.load_factors = {0.5, 0.8, 0.99};
  options.keys = {uint64_t{1} << 20};
  return options;
}

// Options for keys of 12 bits a coordinate, with colours as values.
KeysBenchOptions slices() {
  KeysBenchOptions options = over_load_factors({KeySetKind::Surface}, {Build, FindView});
  options.layouts = {KeyLayout::RowMajor, KeyLayout::Morton};
  options.load_factors = {0.8, 0.99};
  options.key_bits = {36};
  options.value_bits = 24;
  return options;
}

// A load factor that all tables of the two papers can reach.
constexpr double kAlcantaraLoadFactor = 0.7;

KeysBenchOptions shares_of_stored_keys() {
  KeysBenchOptions options = over_keys(kAlcantaraLoadFactor);
  options.keys_at_scale_1 = {KeysBenchOptions::kKeys};
  options.ops = {Find};
  options.hit_rates = {0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100};
  return options;
}

KeysBenchOptions several_values_a_key() {
  KeysBenchOptions options = over_keys(kAlcantaraLoadFactor);
  options.tables = {"lines", "cuckoo2009", "cuckoo2011", "sorted"};
  options.value_bits = 0;
  options.keys_at_scale_1 = {KeysBenchOptions::kKeys};
  options.ops.assign(kMultiOps.begin(), kMultiOps.end());
  options.multiplicities = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024};
  return options;
}

KeysBenchOptions with_ops(KeysBenchOptions options, std::vector<KeyOp> ops) {
  options.ops = std::move(ops);
  return options;
}

const std::vector<KeySetKind> kPixelsAndImage = {KeySetKind::Pixels, KeySetKind::Image};

KeysBenchOptions sectors_of_image() {
  return over_load_factors({KeySetKind::Image}, {FindAll});
}

KeysBenchOptions sectors_at_085() {
  KeysBenchOptions options = sectors_of_image();
  options.load_factors = {0.85};
  return options;
}

KeysBenchOptions layouts_of_image() {
  KeysBenchOptions options = sectors_of_image();
  options.layouts.assign(hash::kKeyLayouts.begin(), hash::kKeyLayouts.end());
  return options;
}

constexpr std::array kFigures = {
    KeyFigure{"3", "histograms of ages", histograms_of_ages},
    KeyFigure{"4", "a picture of maximum ages", picture_of_ages},
    KeyFigure{"5", "building and searching over numbers of keys",
              [] {
                return with_ops(over_keys(0.8), {Build, FindStored});
              }},
    KeyFigure{"6", "building over load factors",
              [] { return over_load_factors(kPixelsAndImage, {BuildOrdered}); }},
    KeyFigure{"7", "searching over load factors",
              [] { return over_load_factors(kPixelsAndImage, {FindAll}); }},
    KeyFigure{"8", "sectors over load factors", sectors_of_image},
    KeyFigure{"9", "sectors at a load factor of 0.85", sectors_at_085},
    KeyFigure{"10", "layouts", layouts_of_image},
    KeyFigure{"11", "a painted atlas", painting},
    KeyFigure{"12", "slices through a surface", slices},
    KeyFigure{"a5", "building over numbers of keys",
              [] { return with_ops(over_keys(kAlcantaraLoadFactor), {Build}); }},
    KeyFigure{"a6", "searching by the share of keys that are stored", shares_of_stored_keys},
    KeyFigure{"a7", "memory over load factors",
              [] { return over_load_factors({KeySetKind::Random}, {Build}); }},
    KeyFigure{"multi", "several values a key", several_values_a_key},
};

}  // namespace

std::span<const KeyFigure> key_figures() {
  return kFigures;
}

KeysBenchOptions key_figure(std::string_view name) {
  std::vector<std::string_view> names;
  for (const KeyFigure& figure : kFigures) {
    if (name == figure.name) return figure.axes();
    names.emplace_back(figure.name);
  }
  throw UsageError(
      fmt::format("there is no figure {} to measure, expected one of: {}", name, fmt::join(names, ", ")));
}

}  // namespace vox::measure
