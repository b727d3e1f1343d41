#include "tools/vox-edit/given.h"

#include "tools/vox-edit/described_options.h"

namespace vox {
void check_given(const EditOptions& options, const dag::VoxelScene& scene) {
  RunTraits run;
  if (!options.check) run.bits |= kEdits;
  if (is_replay_path(options.script)) run.bits |= kRecording;
  if (scene.dag.materials) run.bits |= kMaterials;
  run.what = options.check ? "--check" : (run.bits & kRecording) ? "this scene" : "an edit script";
  check_effects(options.given, run);
}

}  // namespace vox
