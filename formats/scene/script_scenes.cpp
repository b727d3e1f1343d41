#include "formats/scene/script_scenes.h"

#include <algorithm>
#include <variant>

#include "libvox/edit/editor.h"

namespace vox {
namespace {

namespace fs = std::filesystem;

// Returns the first command that uses the script's file with this number, which counts from 1, or null if
// every command with that file has an error.
const edit::Command* first_use(const edit::Script& script, uint32_t file) {
  const auto found = std::ranges::find_if(script.commands, [&](const edit::Command& command) {
    const edit::Edit* edit = std::get_if<edit::Edit>(&command.action);
    return edit && edit::scene_of(*edit) == file;
  });
  return found == script.commands.end() ? nullptr : &*found;
}

dag::VoxelScene read_other_scene(const fs::path& file, const dag::VoxelScene& scene, Damage damage) {
  dag::VoxelScene other = read_scene(file);
  check_content(other, file, damage);
  if (other.dag.materials && !scene.dag.materials)
    throw Error("has materials, the scene that is edited has none")
        .at(file.string())
        .hint("convert its source without materials");
  if (!other.dag.materials && scene.dag.materials)
    throw Error("has no materials, the scene that is edited has some").at(file.string());
  return other;
}

}  // namespace

std::vector<dag::VoxelScene> read_script_scenes(const edit::Script& script, const dag::VoxelScene& scene,
                                                Damage damage, const edit::OnScriptError& on_error) {
  std::vector<dag::VoxelScene> others;
  for (const fs::path& file : script.files) {
    dag::VoxelScene& other = others.emplace_back();
    other.dag = dag::empty_dag(scene.dag.resolution, scene.dag.materials);
    const auto number = static_cast<uint32_t>(others.size());
    if (const edit::Command* command = first_use(script, number))
      edit::at_command(script, *command, on_error, [&] { other = read_other_scene(file, scene, damage); });
  }
  return others;
}

}  // namespace vox
