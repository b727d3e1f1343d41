// Reads and writes everything in a scene file except its voxels (docs/formats.md): the header, the place in
// the world, the palette, the origin.
#pragma once

#include "formats/io/h5.h"
#include "formats/scene/scene_file.h"

namespace vox {

void write_header(const h5::Object& file, const FileOrigin& origin, uint32_t version);
void write_palette(const h5::Object& file, const dag::VoxelScene& scene);
// Writes all of it, including header and palette.
void write_scene_facts(const h5::Object& file, const dag::VoxelScene& scene, uint32_t version);

// Returns the version of a file. Throws Error if this program cannot read that version or the file is not a
// scene file.
uint32_t checked_version(const h5::Object& file);
void read_palette(const h5::Object& file, dag::VoxelScene& scene);
// Reads everything except the voxels: the levels of the DAG are empty.
dag::VoxelScene read_scene_but_voxels(const h5::Object& file);

}  // namespace vox
