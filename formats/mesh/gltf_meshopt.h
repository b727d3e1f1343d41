// EXT_meshopt_compression: buffer views compressed by meshoptimizer's codecs, in builds that have it.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "formats/mesh/gltf_document.h"

namespace vox {

// Bytes that will come out. Throws Error where the compressed ones cannot hold as many.
uint64_t decoded_size(const GltfMeshopt& packed);

// The `size` bytes that `compressed` stands for. Throws Error.
std::vector<std::byte> decode_meshopt(const GltfMeshopt& packed, uint64_t size,
                                      std::span<const std::byte> compressed);

}  // namespace vox
