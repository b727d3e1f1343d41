// The part of vox-convert that names materials.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <vector>

#include "formats/images/palette_file.h"
#include "libvox/base/log.h"
#include "libvox/base/units.h"
#include "tools/vox-convert/scenes.h"

namespace vox {
namespace {

std::string shown_names(const std::vector<std::string>& names) {
  constexpr size_t kShown = 5;
  const auto end = names.begin() + static_cast<ptrdiff_t>(std::min(names.size(), kShown));
  return fmt::format(
      "{}{}", fmt::join(names.begin(), end, ", "),
      names.size() > kShown ? fmt::format(" and {} more", format_count(names.size() - kShown)) : "");
}

}  // namespace

void warn_of_names(const scene::Palette& palette, std::span<const scene::AssignRule> rules,
                   const ConvertOptions& options) {
  if (palette.members.empty()) return;
  const char* const what = options.materials == scene::MaterialMode::Object ? "objects" : "materials";
  const uint32_t shared = rules.empty() ? palette.count - 1 : 0;
  std::vector<std::string> sharing;
  for (const scene::NamedEntry& member : palette.members)
    if (member.entry == shared) sharing.push_back(member.name);
  if (rules.empty() && sharing.size() > 1)
    log_warning(
        "the mesh has {} {}: the {} with the largest areas have a number each, and {} share the number {} "
        "(--assign gives numbers by name): {}",
        format_count(palette.members.size()), what, shared, format_count(sharing.size()), shared,
        shown_names(sharing));
  if (rules.empty()) return;
  if (!sharing.empty())
    log_warning("{} of the {} {} match no line of {} and share the number 0: {}",
                format_count(sharing.size()), format_count(palette.members.size()), what,
                options.assign->string(), shown_names(sharing));
  std::vector<std::string> idle;
  for (const scene::AssignRule& rule : rules)
    if (std::ranges::none_of(palette.members, [&](const scene::NamedEntry& member) {
          return scene::matches(member.name, rule.pattern);
        }))
      idle.push_back(rule.pattern);
  if (!idle.empty())
    log_warning("{}: these match none of the {}: {}", options.assign->string(), what, shown_names(idle));
}

void write_materials_out(const dag::VoxelScene& scene, const ConvertOptions& options) {
  if (options.materials_out) write_material_list(*options.materials_out, scene);
}

}  // namespace vox
