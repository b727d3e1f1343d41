// Compiled images, kept from run to run under the hash of all that they were made of, in $XDG_CACHE_HOME/vox
// or ~/.cache/vox. Nothing relies on it: what is missing, damaged or cannot be written is compiled again.
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>
#include <vector>

namespace vox::bricks {

using JitImage = std::vector<std::byte>;

// The image kept for these texts, which say all that the image depends on; else what `compile` makes of them.
// A file is the image and behind it a hash of the image and of the texts.
JitImage cached_image(std::string_view source, std::string_view compiler,
                      const std::function<JitImage()>& compile);

}  // namespace vox::bricks
