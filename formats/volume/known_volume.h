// A volume whose values are of a type that kernels know, made of one with values of any type.
#pragma once

#include "formats/volume/stored_volume.h"
#include "libvox/volume/volume.h"

namespace vox {

// i8 becomes i16. Of u32, i32, u64 and i64 all values are read: they become the first of u8, u16, i16 and f32
// that holds each of them exactly; throws Error that names the first one where there is none. f64 becomes
// f32; a warning says how much is lost where values are rounded, and one that f32 cannot hold is an error.
volume::Volume known_volume(StoredVolume stored);

}  // namespace vox
