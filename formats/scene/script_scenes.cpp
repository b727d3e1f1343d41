#include "formats/scene/script_scenes.h"

#include <algorithm>
#include <variant>

#include "formats/scene/scene_file.h"
#include "libvox/base/phrase.h"
#include "libvox/edit/editor.h"

namespace vox {
namespace {

namespace fs = std::filesystem;

// The first command that uses the script's file with this number, from 1. None where all that would are
// wrong.
const Command* first_use(const Script& script, uint32_t file) {
  const auto found = std::ranges::find_if(script.commands, [&](const Command& command) {
    const Edit* edit = std::get_if<Edit>(&command.action);
    return edit && scene_of(*edit) == file;
  });
  return found == script.commands.end() ? nullptr : &*found;
}

VoxelScene read_other_scene(const fs::path& file, const VoxelScene& scene) {
  VoxelScene other = read_scene(file);
  if (other.dag.materials && !scene.dag.materials)
    throw Error("has materials, the scene that is edited has none")
        .at(file.string())
        .hint(phrase(Phrase::LeaveMaterialsOut));
  if (!other.dag.materials && scene.dag.materials)
    throw Error("has no materials, the scene that is edited has some").at(file.string());
  return other;
}

}  // namespace

std::vector<VoxelScene> read_script_scenes(const Script& script, const VoxelScene& scene,
                                           const OnScriptError& on_error) {
  std::vector<VoxelScene> others;
  for (const fs::path& file : script.files) {
    VoxelScene& other = others.emplace_back();
    other.dag = empty_dag(scene.dag.resolution, scene.dag.materials);
    const auto number = static_cast<uint32_t>(others.size());
    if (const Command* command = first_use(script, number))
      at_command(script, *command, on_error, [&] { other = read_other_scene(file, scene); });
  }
  return others;
}

}  // namespace vox
