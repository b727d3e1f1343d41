// All of a scene file but its voxels (docs/formats.md): what it is, where it lies, its palette, its history.
#pragma once

#include "formats/io/h5.h"
#include "formats/scene/scene_file.h"

namespace vox {

void write_header(const h5::Object& file, const FileOrigin& origin, uint32_t version);
void write_palette(const h5::Object& file, const dag::VoxelScene& scene);
// Header and palette among them.
void write_scene_facts(const h5::Object& file, const dag::VoxelScene& scene, uint32_t version);

// The version of a file, which this program reads. Throws Error where it does not, or the file is no scene.
uint32_t checked_version(const h5::Object& file);
void read_palette(const h5::Object& file, dag::VoxelScene& scene);
// The levels of the DAG are empty.
dag::VoxelScene read_scene_but_voxels(const h5::Object& file);

}  // namespace vox
