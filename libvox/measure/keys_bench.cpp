#include "libvox/measure/keys_bench.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "libvox/base/error.h"
#include "libvox/base/morton.h"
#include "libvox/base/units.h"
#include "libvox/dag/walk.h"
#include "libvox/hash/keyed/key_table.h"
#include "libvox/measure/key_shapes.h"
#include "libvox/measure/timing.h"

namespace vox::measure {
namespace {

// A value of 32 bits could be equal to kNoValue.
constexpr uint32_t kMostValueBits = 31;

void check_cells(const KeysBenchOptions& options) {
  check_axis(options.key_bits, "the list of bits of a key", KeysBenchOptions::kFewestKeyBits, 64);
  check_axis({options.value_bits}, "the number of bits of a value", 0, kMostValueBits);
  for (const uint32_t bits : options.key_bits)
    if (bits + options.value_bits > 64)
      throw UsageError(fmt::format("a key has {} bits and a value {}, but a cell has 64 bits for both", bits,
                                   options.value_bits))
          .about("key_bits");
}

// Throws Error if the picture has only white pixels, since nothing would be stored.
void check_picture(const scene::Image& picture) {
  if (picture.pixels.empty()) return;
  if (std::ranges::all_of(picture.pixels, [](const auto& pixel) { return rgb_of(pixel) == kWhite; }))
    throw Error("all pixels of the picture are white, so there is nothing to store").at(picture.name);
}

}  // namespace

uint32_t rgb_of(const scene::Rgba8& pixel) {
  return pixel.a == 0 ? kWhite : uint32_t{pixel.r} << 16 | uint32_t{pixel.g} << 8 | pixel.b;
}

scene::Rgba8 pixel_of_rgb(uint32_t color) {
  return {static_cast<uint8_t>(color >> 16), static_cast<uint8_t>(color >> 8), static_cast<uint8_t>(color),
          255};
}

void check(const KeysBenchOptions& options) {
  check_names(options.tables, hash::key_table_names(), "the list of hash tables");
  check_cells(options);
  check_load_factors(options.load_factors);
  check_axis(options.hit_rates, "the list of hit rates", 0, 100);
  check_axis(options.multiplicities, "the list of numbers of values", 1, KeysBenchOptions::kMostMultiplicity);
  if (options.failure_keys == 0 || options.failure_keys > KeysBenchOptions::kMostFailureKeys)
    throw UsageError(fmt::format("the number of keys of a build is {}, expected 1 to {}",
                                 options.failure_keys, KeysBenchOptions::kMostFailureKeys));
  check_axis({options.repetitions}, "the number of repetitions", KeysBenchOptions::kFewestRepetitions,
             KeysBenchOptions::kMostRepetitions);
  check_axis({options.age_bits}, "the number of bits of a maximum age", 2, 4);
  check_picture(options.picture);
}

SceneLeaves leaves_of(const dag::FrozenDag& dag) {
  SceneLeaves scene = {.side = dag.resolution, .leaves = {}, .masks = {}};
  const auto side = static_cast<int32_t>(dag.resolution);
  dag::for_each_leaf(dag, {{0, 0, 0}, {side, side, side}}, [&](Int3 corner, uint64_t mask, const uint32_t*) {
    scene.leaves.push_back(morton_encode(static_cast<uint32_t>(corner.x), static_cast<uint32_t>(corner.y),
                                         static_cast<uint32_t>(corner.z)) >>
                           6);
    scene.masks.push_back(mask);
  });
  return scene;
}

bool is_asked_for(const KeysBenchOptions& options, KeyOp op) {
  return std::ranges::find(options.ops, op) != options.ops.end();
}

bool is_any_asked_for(const KeysBenchOptions& options, std::span<const KeyOp> ops) {
  return std::ranges::any_of(ops, [&](KeyOp op) { return is_asked_for(options, op); });
}

uint32_t cell_bits(uint32_t key_bits, uint32_t value_bits) {
  return key_bits + value_bits <= 32 && value_bits <= hash::CellFormat<uint32_t>::kMostValueBits ? 32 : 64;
}

KeysBenchSizes sizes_of(const KeysBenchOptions& options, const std::string& device) {
  constexpr double kMostKeys = 0x1p31;  // with a load factor of a half, 32-bit slots cannot address more
  const double scale =
      options.scale.value_or(device == "cpu" ? KeysBenchOptions::kCpuScale : KeysBenchOptions::kGpuScale);
  if (!(scale > 0)) throw UsageError("the scale must be greater than 0");
  const auto size = [&](uint64_t given, double factor, std::string_view what) {
    const double count = static_cast<double>(given) * factor;
    if (!(count <= kMostKeys))
      throw UsageError(fmt::format("{}, or the scale, asks for more than 2^31 keys", what)).about("scale");
    const uint64_t rounded = scaled(given, factor);
    if (rounded == 0) throw UsageError(fmt::format("{} is 0 keys, expected 1 or more", what));
    return rounded;
  };
  KeysBenchSizes sizes;
  const bool by_scale = options.keys.empty();
  for (const uint64_t keys : by_scale ? options.keys_at_scale_1 : options.keys)
    sizes.keys.push_back(size(keys, by_scale ? scale : 1, "the number of keys"));
  sizes.searches = size(options.searches.value_or(KeysBenchOptions::kSearches), options.searches ? 1 : scale,
                        "the number of searches");
  return sizes;
}

void KeysBenchRow::note_build(const hash::KeyTableBuild& build, uint64_t table_bytes) {
  if (build.keys != keys)
    throw Error(
        fmt::format("the table has {} keys instead of {}", format_count(build.keys), format_count(keys)));
  bytes = table_bytes;
  attempts = build.attempts;
  restarts = build.restarts;
  constexpr double kSubTables = 3;
  if (build.turns > 0)
    iterations = static_cast<double>(build.turns) / (kSubTables * static_cast<double>(build.parts));
  most_probes = build.most_probes;
}

void KeysBenchRow::note_wrong() {
  if (wrong > 0) error = format_count(wrong) + " results of searches were wrong";
}

std::optional<double> KeysBenchRow::items_per_second() const {
  if (!time || time->median <= 0) return std::nullopt;
  return static_cast<double>(items) / time->median;
}

std::optional<double> KeysBenchRow::frames_per_second() const {
  if (!time || !frames) return std::nullopt;
  return static_cast<double>(*frames) / time->median;
}

std::optional<double> KeysBenchRow::bytes_per_key() const {
  if (!bytes || keys == 0) return std::nullopt;
  return static_cast<double>(*bytes) / static_cast<double>(multiplicity ? items : keys);
}

std::optional<double> KeysBenchRow::key_density() const {
  if (!bytes || keys == 0) return std::nullopt;
  const double key_count = static_cast<double>(keys),
               value_bits_of_slots = key_count / load_factor * value_bits;
  return key_count * key_bits / (8 * static_cast<double>(*bytes) - value_bits_of_slots);
}

uint64_t wrong_results(const KeysBenchResult& result) {
  uint64_t wrong = 0;
  for (const KeysBenchRow& row : result.rows) wrong += row.wrong;
  return wrong;
}

std::vector<std::string> chosen_tables(const KeysBenchOptions& options) {
  if (!options.tables.empty()) return chosen_names(options.tables, hash::key_table_names());
  std::vector<std::string> names = hash::key_table_names();
  std::erase(names, "perfect");  // its builds would take longer than everything else
  for (const std::string& name : options.left_out) std::erase(names, name);
  return names;
}

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
  options.ages_in_2d = true;
  return options;
}

// Options for the paper's picture, which is read back, and for drawings of its tables.
KeysBenchOptions picture_in_tables() {
  KeysBenchOptions options = over_load_factors({KeySetKind::Image}, {BuildOrdered, FindAll});
  options.tables = {"robin-random", "robin"};
  options.load_factors = {0.99};
  options.keys = {3'700'000};
  options.key_bits = {40};
  options.value_bits = 24;
  options.draw_tables = true;
  return options;
}

// Options for the voxels of a surface in buckets and sub-tables, which are drawn.
KeysBenchOptions surface_in_a_table() {
  KeysBenchOptions options = over_load_factors({KeySetKind::Surface}, {Build, Find});
  options.tables = {"cuckoo2009"};
  options.load_factors = {0.71};
  options.keys = {3'500'000};
  options.value_bits = 0;
  options.draw_tables = true;
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

// Options for keys of 12 bits a coordinate, with colors as values.
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

// Options for as many keys as Alcantara et al. 2009 measure, in the paper's table and in those that it is
// compared with.
KeysBenchOptions alcantara(std::vector<KeySetKind> sets, std::vector<KeyOp> ops) {
  KeysBenchOptions options = over_keys(kAlcantaraLoadFactor);
  options.tables = {"lines", "cuckoo2009", "cuckoo2011", "sorted", "perfect"};
  options.sets = std::move(sets);
  options.ops = std::move(ops);
  options.hit_rates = {100};
  options.keys_at_scale_1 = powers_of_two(16, 23);
  return options;
}

// Options for voxels of a grid of 1024³, as keys of 30 bits.
KeysBenchOptions random_voxels() {
  KeysBenchOptions options = alcantara({KeySetKind::Random}, {Build, Find, BuildAndFind});
  options.key_bits = {30};
  return options;
}

KeysBenchOptions steps_of_building() {
  KeysBenchOptions options = random_voxels();
  options.tables = {"cuckoo2009"};
  options.ops = {Build};
  return options;
}

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
  options.key_bits = {30};
  options.value_bits = 0;
  options.keys_at_scale_1 = {uint64_t{1} << 20};
  options.ops.assign(kMultiOps.begin(), kMultiOps.end());
  options.multiplicities = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024};
  return options;
}

// `cuckoo2009` ends at a load factor of 0.71; in the figures of García et al. its sized form stands for both.
KeysBenchOptions with_sized(KeysBenchOptions options) {
  options.left_out = {"cuckoo2009"};
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
  options.ops = {FindAll, FindView};
  return options;
}

constexpr std::array kFigures = {
    KeyFigure{"1", "a picture in tables, which are drawn", picture_in_tables},
    KeyFigure{"3", "histograms of ages", histograms_of_ages},
    KeyFigure{"4", "a picture of maximum ages, of an image hashed in 2D", picture_of_ages},
    KeyFigure{"5", "building and searching over numbers of keys",
              [] {
                return with_sized(with_ops(over_keys(0.8), {Build, FindStored}));
              }},
    KeyFigure{"6", "building over load factors",
              [] { return with_sized(over_load_factors(kPixelsAndImage, {BuildOrdered})); }},
    KeyFigure{"7", "searching over load factors",
              [] { return with_sized(over_load_factors(kPixelsAndImage, {FindAll})); }},
    KeyFigure{"8", "sectors over load factors", sectors_of_image},
    KeyFigure{"9", "sectors at a load factor of 0.85", sectors_at_085},
    KeyFigure{"10", "layouts, also of a picture that turns", layouts_of_image},
    KeyFigure{"11", "a painted atlas", painting},
    KeyFigure{"12", "slices through a surface, or through a mesh that is given", slices},
    KeyFigure{"a1", "a surface in buckets and sub-tables, which are drawn", surface_in_a_table},
    KeyFigure{"a3", "building, searching and both for finer and finer voxels of a surface",
              [] {
                return alcantara({KeySetKind::Surface}, {Build, Find, BuildAndFind});
              }},
    KeyFigure{"a4", "the same for random voxels", random_voxels},
    KeyFigure{"a5", "steps of building over numbers of keys, if kernels are profiled", steps_of_building},
    KeyFigure{"a6", "several values a key", several_values_a_key},
    KeyFigure{"growth", "building over numbers of keys",
              [] { return with_ops(over_keys(kAlcantaraLoadFactor), {Build}); }},
    KeyFigure{"hits", "searching by the share of keys that are stored", shares_of_stored_keys},
    KeyFigure{"memory", "memory over load factors",
              [] { return over_load_factors({KeySetKind::Random}, {Build}); }},
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
