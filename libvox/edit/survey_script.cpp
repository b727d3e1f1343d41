#include "libvox/edit/survey_script.h"

#include "libvox/base/log.h"
#include "libvox/base/units.h"
#include "libvox/edit/bounds.h"
#include "libvox/edit/editor.h"

namespace vox::edit {

ScriptFindings survey_script(const Script& script, const std::vector<dag::VoxelScene>& scenes,
                             uint32_t resolution, const OnScriptError& on_error) {
  constexpr uint64_t kMostNamed = 20;
  std::vector<EditorScene> brushes;
  for (const dag::VoxelScene& scene : scenes)
    brushes.push_back({static_cast<uint32_t>(brushes.size() + 1), scene.dag.resolution});
  ScriptFindings found;
  for (ScriptCursor cursor(script); const auto command = cursor.next();) {
    const Edit* edit = std::get_if<Edit>(&command->action);
    if (!edit) continue;
    ++found.edits;
    ++found.tools[tool_name(*edit)];
    if (!written_box(with_scene(*edit, brushes), resolution).empty()) continue;
    if (std::holds_alternative<FillEdit>(*edit)) {
      at_command(script, *command, on_error,
                 [] { throw Error("the seed of the fill lies outside of the grid, or of its shape"); });
    } else if (++found.outside <= kMostNamed) {
      log_warning("{}: changes nothing inside the grid", location(script, *command));
    }
  }
  if (found.outside > kMostNamed)
    log_warning("{} more edits change nothing inside the grid", format_count(found.outside - kMostNamed));
  return found;
}

}  // namespace vox::edit
