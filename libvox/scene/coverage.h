// The two rules that decide which voxels a triangle fills.
#pragma once

namespace vox::scene {

// Conservative fills every voxel whose cube the triangle touches (26-separating). Thin fills fewer voxels,
// but still no path from face to face crosses a closed surface (6-separating).
enum class Coverage { Conservative, Thin };

}  // namespace vox::scene
