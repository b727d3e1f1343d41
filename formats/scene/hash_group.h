// Reads and writes a spatial hash as the group /hash of a scene file:
//
//   /hash           attributes version 2, table "lines", layout "morton" | "linear", resolution,
//                   material_bits 0 | 4, key_bits 60, value_bits 4, line_cells 16, bucket_cells 8, voxels,
//                   lines, seed, probes, apart 0 | 1, load_factor; arithmetic: a text that says how a voxel
//                   is found
//   /hash/cells     uint64 [16 * lines + 1]
//
// docs/formats.md describes each of them.
#pragma once

#include "formats/io/compression.h"
#include "formats/io/h5.h"
#include "libvox/spatial/frozen_hash.h"

namespace vox {

void write_hash_group(const h5::Object& file, const spatial::FrozenHash& hash,
                      const Compression& compression);

// Checks everything that searches rely on. Throws Error that names the defect.
spatial::FrozenHash read_hash_group(const h5::Object& file);

}  // namespace vox
