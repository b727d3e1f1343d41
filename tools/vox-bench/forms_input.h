// The scene that vox-bench forms measures.
#pragma once

#include "tools/vox-bench/forms_options.h"

namespace vox {

struct FormsInput {
  dag::VoxelScene scene;
  std::optional<double> svdag_seconds;  // of making the SVDAG, where it was made
};

// Throws UsageError where the file is neither a scene file nor a mesh.
FormsInput read_forms_input(Engine& engine, const FormsCommand& command);

// The resolution of a mesh where none is asked for.
uint32_t default_forms_resolution(const std::string& device);

}  // namespace vox
