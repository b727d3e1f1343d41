// The palette of a mesh's own materials or objects, with their names.

#include <algorithm>
#include <numeric>
#include <unordered_map>
#include <unordered_set>

#include "libvox/base/progress.h"
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

// The entries of a palette of any size, or the numbers of a list of materials.
struct Entries {
  std::vector<std::string> names;
  std::vector<Rgb8> colors;
  std::vector<uint32_t> of_name;  // the entry of each of NamedAreas::names

  void add(const std::string& name, Rgb8 color) {
    names.push_back(name);
    colors.push_back(color);
  }
};

Entries entries_by_area(const NamedAreas& named, uint32_t most) {
  const auto count = static_cast<uint32_t>(named.order.size());
  const uint32_t own = count <= most ? count : most - 1;
  Entries entries;
  entries.of_name.resize(count);
  ColoredArea rest;
  for (uint32_t rank = 0; rank < count; ++rank) {
    const uint32_t number = named.order[rank];
    entries.of_name[number] = std::min(rank, own);
    if (rank < own)
      entries.add(named.names[number], named.colors[number]);
    else
      rest.add(named.areas[number]);
  }
  if (count > own) entries.add(kRest, rest.color(named.colors[named.order[own]]));
  return entries;
}

Entries entries_by_rules(const NamedAreas& named, std::span<const AssignRule> rules) {
  uint32_t count = 0;
  for (const AssignRule& rule : rules) count = std::max(count, rule.number + 1);
  Entries entries;
  entries.add(kUnassigned, kColorOfNothing);
  while (entries.names.size() < count) entries.add(kUnused, kColorOfNothing);
  entries.of_name.resize(named.names.size());
  std::vector<ColoredArea> areas(count);
  std::vector<std::vector<uint32_t>> members(count);
  std::vector<bool> decided(rules.size());
  // From the largest area on, so that something invisible has the color of its largest member.
  for (const uint32_t number : named.order) {
    size_t rule = rules.size();
    while (rule > 0 && !matches(named.names[number], rules[rule - 1].pattern)) --rule;
    const uint32_t entry = rule > 0 ? rules[rule - 1].number : 0;
    if (rule > 0) decided[rule - 1] = true;
    if (members[entry].empty()) entries.colors[entry] = named.colors[number];
    members[entry].push_back(number);
    areas[entry].add(named.areas[number]);
    entries.of_name[number] = entry;
  }
  // The first rule that has decided something names an entry of several members.
  for (size_t i = rules.size(); i-- > 0;) {
    const AssignRule& rule = rules[i];
    const std::vector<uint32_t>& own = members[rule.number];
    if (!rule.name.empty() || own.empty())
      entries.names[rule.number] = rule.name.empty() ? rule.pattern : rule.name;
    else if (decided[i])
      entries.names[rule.number] = own.size() == 1 ? named.names[own[0]] : rule.pattern;
  }
  for (size_t entry = 0; entry < count; ++entry)
    entries.colors[entry] = areas[entry].color(entries.colors[entry]);
  return entries;
}

Entries entries_of(const NamedAreas& named, const NameOptions& options) {
  return options.rules.empty() ? entries_by_area(named, options.most)
                               : entries_by_rules(named, options.rules);
}

// Makes colors that differ. The first of equal ones stays; the lowest bit of blue changes first, then those of red and
// green, and then the next bits.
class UnlikeColors {
 public:
  Rgb8 operator()(Rgb8 color) {
    const uint32_t packed = packed_color(color);
    uint32_t& step = next_step_[packed];
    while (!known_.insert(packed ^ bits_of(step)).second) ++step;
    return unpacked_color(packed ^ bits_of(step++));
  }

 private:
  static uint32_t bits_of(uint32_t step) {
    constexpr uint32_t kShifts[3] = {16, 0, 8};
    uint32_t bits = 0;
    for (uint32_t bit = 0; bit < 24; ++bit) bits |= (step >> bit & 1) << (kShifts[bit % 3] + bit / 3);
    return bits;
  }

  std::unordered_set<uint32_t> known_;
  std::unordered_map<uint32_t, uint32_t> next_step_;  // of each color that was asked for
};

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
  const Entries entries = entries_of(named, options);
  Palette palette;
  if (!options.rules.empty()) {
    palette.names.fill(kUnused);
    palette.colors.fill(kColorOfNothing);
  }
  palette.count = static_cast<uint32_t>(entries.names.size());
  std::ranges::copy(entries.names, palette.names.begin());
  std::ranges::copy(entries.colors, palette.colors.begin());
  for (size_t i = 0; i < named.names.size(); ++i)
    palette.members.push_back({named.names[i], static_cast<uint8_t>(entries.of_name[i])});
  return palette;
}

MeshMaterials mesh_materials(const Scene& scene, const NameOptions& options) {
  const NamedAreas named = named_areas(scene, options.mode);
  const Entries entries = entries_of(named, options);
  MeshMaterials materials;
  UnlikeColors unlike;
  for (size_t i = 0; i < entries.names.size(); ++i) {
    if (i % 4096 == 0) throw_if_cancelled();
    materials.list.push_back({entries.names[i], unlike(entries.colors[i]), {}});
  }
  for (size_t i = 0; i < named.names.size(); ++i)
    materials.list[entries.of_name[i]].members.push_back(named.names[i]);
  for (const uint32_t name : named.of_material) materials.of_material.push_back(entries.of_name[name]);
  return materials;
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
