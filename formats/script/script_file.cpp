#include "formats/script/script_file.h"

namespace vox {

edit::Script read_script(const std::filesystem::path& path, const dag::VoxelScene& scene,
                         ReplayOptions replay, const edit::OnScriptError& on_error) {
  if (!is_replay_path(path)) return read_edit_script(path, frame_of(scene), on_error);
  replay.materials = scene.dag.materials;
  return read_replay_csv(path, replay, on_error);
}

}  // namespace vox
