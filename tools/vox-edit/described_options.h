// The description of vox-edit: its options with the scripts that they go with, and examples. options.h reads the
// command line by it.
#pragma once

#include "tools/common/option.h"

namespace vox {

// The traits of a run, for the rules of options: what it does.
enum EditTrait : uint32_t {
  kEdits = 1,  // the script is run, not only checked
  kRecording = 2,
  kMaterials = 4  // the scene has materials
};

ToolDescription edit_description();

}  // namespace vox
