// Reads the parts of a scene file (scene_parts.h).
#pragma once

#include <vector>

#include "formats/io/h5.h"
#include "libvox/dag/dag_part.h"

namespace vox {

// True if the words of a file's SVDAG group are in parts.
bool has_parts(const h5::Object& svdag);

// Reads the parts of a DAG with the same number of levels as `dag`. Throws Error that names a part that is
// missing or is not the one for which the head was written.
std::vector<dag::DagPart> read_scene_parts(const h5::Object& svdag, const dag::FrozenDag& dag);

}  // namespace vox
