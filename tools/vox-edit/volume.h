// Edits the values of a volume whose file holds only bricks.
#pragma once

#include <deque>
#include <span>
#include <string>
#include <vector>

#include "formats/results/results.h"
#include "formats/scene/any_scene.h"
#include "libvox/bricks/frozen_bricks.h"
#include "libvox/edit/script.h"
#include "libvox/edit/volume_session.h"
#include "libvox/volume/volume.h"
#include "tools/common/reports.h"
#include "tools/vox-edit/options.h"

namespace vox {

// The volumes that a script uses as masks, and the bricks or scenes from which they are read.
class ScriptMasks {
 public:
  // Opens the script's files. A file that cannot be opened is an error at the first line that uses it.
  explicit ScriptMasks(const edit::Script& script, const edit::OnScriptError& on_error = {});

  std::span<const volume::Volume> volumes() const { return volumes_; }

 private:
  std::deque<AnyVolume> opened_;
  std::vector<volume::Volume> volumes_;
};

// Reads a script for this volume. Throws UsageError for a recording, because its edits are for scenes.
edit::Script read_volume_script(const EditOptions& options, const bricks::FrozenBricks& bricks,
                                const edit::OnScriptError& on_error = {});

// The results of a run of edits of a volume.
struct VolumeEditResults {
  const EditOptions& options;
  const bricks::FrozenBricks& bricks;  // after the edits
  std::vector<edit::VolumeEditRecord> edits;
  std::vector<NamedSeconds> seconds;
  std::string device;
  std::vector<device::KernelTime> kernels;
};
ResultGroup results_of(const VolumeEditResults& run);

void edit_volume(const EditOptions& options, const bricks::FrozenBricks& bricks);

}  // namespace vox
