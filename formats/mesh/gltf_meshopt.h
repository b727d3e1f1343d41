// EXT_meshopt_compression: decodes buffer views that meshoptimizer's codecs have compressed, in builds with
// that library.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "formats/mesh/gltf_document.h"

namespace vox {

// The bytes of the decoded view. Throws Error where the compressed bytes cannot hold as many.
uint64_t decoded_size(const GltfMeshopt& packed);

// The `size` bytes that `compressed` stands for. Throws Error.
std::vector<std::byte> decode_meshopt(const GltfMeshopt& packed, uint64_t size,
                                      std::span<const std::byte> compressed);

}  // namespace vox
