// The palette of a mesh's own materials or objects, with their names.

#include <algorithm>
#include <array>
#include <numeric>
#include <unordered_map>

#include "libvox/scene/oklab.h"
#include "libvox/scene/palette.h"
#include "libvox/scene/surface.h"

namespace vox::scene {
namespace {

constexpr const char* kRest = "rest";
constexpr const char* kUnassigned = "unassigned";
constexpr const char* kUnused = "unused";
constexpr Rgb8 kColorOfNothing = {128, 128, 128};  // of an entry without members

// An area and its color, in linear light at 16 bits.
struct ColoredArea {
  uint64_t weight = 0, r = 0, g = 0, b = 0;

  void add(const ColoredArea& other) {
    weight += other.weight;
    r += other.r;
    g += other.g, b += other.b;
  }
  Rgb8 color(Rgb8 without_area) const {
    if (weight == 0) return without_area;
    const double scale = 1 / (static_cast<double>(weight) * 65535);
    return linear_to_srgb(Vec3d{static_cast<double>(r), static_cast<double>(g), static_cast<double>(b)} *
                          scale);
  }
};

struct AreaTally {
  std::vector<ColoredArea> materials;

  void add(const SurfaceSample& sample) {
    auto linear16 = [](uint8_t code) { return static_cast<uint64_t>(srgb_to_linear(code) * 65535 + 0.5); };
    materials[sample.material].add({sample.weight, sample.weight * linear16(sample.color.r),
                                    sample.weight * linear16(sample.color.g),
                                    sample.weight * linear16(sample.color.b)});
  }
  void merge(const AreaTally& other) {
    for (size_t i = 0; i < materials.size(); ++i) materials[i].add(other.materials[i]);
  }
};

// The materials or the objects of a scene: what has a name.
struct NamedAreas {
  std::vector<uint32_t> of_material;  // its number among the names, for each material
  std::vector<std::string> names;
  std::vector<ColoredArea> areas;
  std::vector<Rgb8> colors;
  std::vector<uint32_t> order;  // the numbers, by falling visible area
};

NamedAreas named_areas(const Scene& scene, MaterialMode mode) {
  NamedAreas named;
  std::unordered_map<std::string, uint32_t> objects;
  std::vector<Rgb8> plain;  // the color of something invisible: that of its first material
  const auto sums =
      tally_surface(SceneSurface(scene), AreaTally{std::vector<ColoredArea>(scene.materials.size())});
  for (size_t i = 0; i < scene.materials.size(); ++i) {
    const Material& material = scene.materials[i];
    auto number = static_cast<uint32_t>(named.names.size());
    if (mode == MaterialMode::Object) number = objects.try_emplace(material.object, number).first->second;
    if (number == named.names.size()) {
      named.names.push_back(mode == MaterialMode::Object ? material.object : material.name);
      named.areas.emplace_back();
      plain.push_back(base_color(material));
    }
    named.areas[number].add(sums.materials[i]);
    named.of_material.push_back(number);
  }
  for (size_t i = 0; i < named.names.size(); ++i) {
    named.colors.push_back(named.areas[i].color(plain[i]));
    if (named.names[i].empty()) named.names[i] = hex_name(named.colors[i]);
  }
  named.order.resize(named.names.size());
  std::iota(named.order.begin(), named.order.end(), 0u);
  std::stable_sort(named.order.begin(), named.order.end(),
                   [&](uint32_t a, uint32_t b) { return named.areas[a].weight > named.areas[b].weight; });
  return named;
}

void add_by_area(const NamedAreas& named, uint32_t most, Palette& palette) {
  const auto count = static_cast<uint32_t>(named.order.size());
  const uint32_t own = count <= most ? count : most - 1;
  ColoredArea rest;
  for (uint32_t rank = 0; rank < count; ++rank) {
    const uint32_t number = named.order[rank];
    palette.members[number].entry = static_cast<uint8_t>(std::min(rank, own));
    if (rank >= own) {
      rest.add(named.areas[number]);
      continue;
    }
    palette.colors[rank] = named.colors[number];
    palette.names[rank] = named.names[number];
  }
  palette.count = std::min(count, own + 1);
  if (count == own) return;
  palette.colors[own] = rest.color(named.colors[named.order[own]]);
  palette.names[own] = kRest;
}

void add_by_rules(const NamedAreas& named, std::span<const AssignRule> rules, Palette& palette) {
  std::array<ColoredArea, kPaletteSize> areas = {};
  std::array<std::vector<uint32_t>, kPaletteSize> members;
  std::vector<bool> decided(rules.size());
  palette.names.fill(kUnused);
  palette.names[0] = kUnassigned;
  palette.colors.fill(kColorOfNothing);
  // From the largest area on, so that something invisible has the color of its largest member.
  for (const uint32_t number : named.order) {
    size_t rule = rules.size();
    while (rule > 0 && !matches(named.names[number], rules[rule - 1].pattern)) --rule;
    const uint8_t entry = rule > 0 ? rules[rule - 1].number : uint8_t{0};
    if (rule > 0) decided[rule - 1] = true;
    if (members[entry].empty()) palette.colors[entry] = named.colors[number];
    members[entry].push_back(number);
    areas[entry].add(named.areas[number]);
    palette.members[number].entry = entry;
  }
  // The first rule that has decided something names an entry of several members.
  for (size_t i = rules.size(); i-- > 0;) {
    const AssignRule& rule = rules[i];
    const std::vector<uint32_t>& own = members[rule.number];
    palette.count = std::max(palette.count, rule.number + 1u);
    if (!rule.name.empty() || own.empty())
      palette.names[rule.number] = rule.name.empty() ? rule.pattern : rule.name;
    else if (decided[i])
      palette.names[rule.number] = own.size() == 1 ? named.names[own[0]] : rule.pattern;
  }
  for (size_t entry = 0; entry < kPaletteSize; ++entry)
    palette.colors[entry] = areas[entry].color(palette.colors[entry]);
}

}  // namespace

bool matches(std::string_view name, std::string_view pattern) {
  const auto next = [&](size_t at) {  // behind a character of UTF-8
    while (++at < name.size() && (static_cast<uint8_t>(name[at]) & 0xc0) == 0x80) {
    }
    return at;
  };
  size_t n = 0, p = 0;
  size_t star = pattern.npos,
         behind_star = 0;  // the last * in the pattern, and where the text behind it begins
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      behind_star = n;
    } else if (p < pattern.size() && pattern[p] == '?') {
      ++p;
      n = next(n);
    } else if (p < pattern.size() && pattern[p] == name[n]) {
      ++p;
      ++n;
    } else if (star != pattern.npos) {
      p = star + 1;
      n = behind_star = next(behind_star);
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

Palette mesh_palette(const Scene& scene, const NameOptions& options) {
  const NamedAreas named = named_areas(scene, options.mode);
  Palette palette;
  for (const std::string& name : named.names) palette.members.push_back({name, 0});
  if (options.rules.empty())
    add_by_area(named, options.most, palette);
  else
    add_by_rules(named, options.rules, palette);
  return palette;
}

std::vector<uint8_t> named_entries(const Scene& scene, const Palette& palette, MaterialMode mode) {
  const NamedAreas named = named_areas(scene, mode);
  std::vector<uint8_t> of_names(named.names.size());
  if (!palette.members.empty()) {
    for (size_t i = 0; i < of_names.size(); ++i) of_names[i] = palette.members[i].entry;
  } else {
    const NearestEntry nearest(palette);
    for (uint32_t rank = 0; rank < named.order.size(); ++rank) {
      const uint32_t number = named.order[rank];
      of_names[number] = rank < palette.count ? static_cast<uint8_t>(rank) : nearest(named.colors[number]);
    }
  }
  std::vector<uint8_t> entries;
  for (const uint32_t number : named.of_material) entries.push_back(of_names[number]);
  return entries;
}

}  // namespace vox::scene
