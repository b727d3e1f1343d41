// What readers of a scene file see of its parts (scene_parts.h).
#pragma once

#include <vector>

#include "formats/io/h5.h"
#include "libvox/dag/dag_part.h"

namespace vox {

// Whether the group of a file's SVDAG has its words in parts.
bool has_parts(const h5::Object& svdag);

// Reads the parts of a DAG that has as many levels. Throws Error that names a part that is missing, or another than
// the one that the head was written for.
std::vector<dag::DagPart> read_scene_parts(const h5::Object& svdag, const dag::FrozenDag& dag);

}  // namespace vox
