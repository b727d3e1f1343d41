// Converts a volume with values of any type to one whose value type kernels support.
#pragma once

#include "formats/volume/stored_volume.h"
#include "libvox/volume/volume.h"

namespace vox {

// i8 becomes i16. For u32, i32, u64 and i64 the function reads all values and chooses the first of u8, u16,
// i16 and f32 that holds each of them exactly; it throws Error that names the first unfit value if there is
// no such type. f64 becomes f32: a warning says how much is lost if values are rounded, and a value outside
// f32's range is an error.
volume::Volume known_volume(StoredVolume stored);

}  // namespace vox
