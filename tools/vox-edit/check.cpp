#include "tools/vox-edit/check.h"

#include <fmt/format.h>

#include <map>

#include "libvox/base/error.h"
#include "libvox/base/json.h"
#include "libvox/base/log.h"
#include "libvox/base/units.h"
#include "libvox/edit/bounds.h"
#include "libvox/edit/editor.h"
#include "tools/common/text_table.h"

namespace vox {
namespace {

struct Findings {
  std::map<std::string, uint64_t> tools;  // edits of each
  uint64_t edits = 0, outside = 0;
};

Findings findings_of(const Script& script, const std::vector<EditorScene>& scenes, uint32_t resolution) {
  constexpr uint64_t kMostNamed = 20;
  Findings found;
  for (ScriptCursor cursor(script); const auto command = cursor.next();) {
    const Edit* edit = std::get_if<Edit>(&command->action);
    if (!edit) continue;
    ++found.edits;
    ++found.tools[tool_name(*edit)];
    if (!written_box(with_scene(*edit, scenes), resolution).empty()) continue;
    if (std::holds_alternative<FillEdit>(*edit))
      throw Error("the seed of the fill lies outside of the grid, or of its shape")
          .at(location(script, *command));
    if (++found.outside <= kMostNamed)
      log_warning("{}: changes nothing inside the grid", location(script, *command));
  }
  if (found.outside > kMostNamed)
    log_warning("{} more edits change nothing inside the grid", format_count(found.outside - kMostNamed));
  return found;
}

}  // namespace

void check_script(const EditOptions& options, const VoxelScene& scene, const Script& script,
                  const std::vector<VoxelScene>& others) {
  std::vector<EditorScene> scenes;
  for (const VoxelScene& other : others)
    scenes.push_back({static_cast<uint32_t>(scenes.size() + 1), other.dag.resolution});
  const Findings found = findings_of(script, scenes, scene.dag.resolution);
  if (options.json) {
    Json json;
    json.set("script", options.script.string()).set("commands", script.total).set("edits", found.edits);
    json.set("outside", found.outside);
    Json& counts = json.object("tools");
    for (const auto& [tool, count] : found.tools) counts.set(tool, count);
    fmt::print("{}\n", json.text());
    return;
  }
  fmt::print("{}: correct: {}, {}, {} without effect inside the grid\n", options.script.string(),
             format_count(script.total, "command"), format_count(found.edits, "edit"),
             format_count(found.outside));
  TextTable table({"", "edits"});
  for (const auto& [tool, count] : found.tools) table.row({tool, format_count(count)});
  if (!found.tools.empty()) fmt::print("{}", table.text());
}

}  // namespace vox
