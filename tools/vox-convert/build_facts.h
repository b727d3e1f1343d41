// The facts that decide which voxels vox-convert makes of meshes, in words: builds of equal facts make equal scenes.
#pragma once

#include "formats/scene/kept_rounds.h"
#include "tools/vox-convert/options.h"
#include "tools/vox-convert/shares.h"

namespace vox {

BuildFacts build_facts(const MeshWork& work, const ConvertOptions& options);

}  // namespace vox
