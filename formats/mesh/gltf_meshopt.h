// EXT_meshopt_compression: decodes buffer views that are compressed by meshoptimizer's codecs, in builds with
// that library.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "formats/mesh/gltf_document.h"

namespace vox {

// Returns the size of the decoded view. Throws Error if the compressed bytes cannot stand for that many.
uint64_t decoded_size(const GltfMeshopt& packed);

// Decodes `compressed` to `size` bytes. Throws Error.
std::vector<std::byte> decode_meshopt(const GltfMeshopt& packed, uint64_t size,
                                      std::span<const std::byte> compressed);

}  // namespace vox
