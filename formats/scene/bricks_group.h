// Reads and writes bricks as the group /bricks of a scene file:
//
//   /bricks          attributes size uint32 [3] (voxels), value_type "u8" | "u16" | "i16" | "f32", spacing,
//                    origin float64 [3], background float64 (what empty voxels hold), brick_side, filled
//                    (voxels that are not empty), entry_words 1 | 2, source; allowed_types (names with commas
//                    between them): the types that a brick might have; slope float64 where some were made
//                    dense for speed: how much memory that was worth. Old files lack these two attributes
//   /bricks/types    names of the types, by number (texts)
//   /bricks/root     uint32 [bricks * entry_words], x fastest: type in bits 0 to 3, place above, in words
//   /bricks/NAME     uint32: the bricks of that type, as libvox/bricks says; attribute bricks: how many
//
// A voxel's word xor the bits of the background is its value.
#pragma once

#include "formats/io/compression.h"
#include "formats/io/h5.h"
#include "libvox/bricks/frozen_bricks.h"

namespace vox {

void write_bricks_group(const h5::Object& file, const bricks::FrozenBricks& bricks,
                        const Compression& compression);

// Checks everything that access to the bricks relies on. Throws Error that names the defect.
bricks::FrozenBricks read_bricks_group(const h5::Object& file);

}  // namespace vox
