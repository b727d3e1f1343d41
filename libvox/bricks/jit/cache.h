// A cache of compiled images in $XDG_CACHE_HOME/vox or ~/.cache/vox, each under the hash of all that it was
// made of. Nothing relies on it: an image that is missing, damaged or could not be written is compiled again.
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>
#include <vector>

namespace vox::bricks {

using JitImage = std::vector<std::byte>;

// The image kept for these two texts, which say all that the image depends on; where none is kept, the one
// that `compile` makes. A file holds the image and behind it a hash of the image and of the texts.
JitImage cached_image(std::string_view source, std::string_view compiler,
                      const std::function<JitImage()>& compile);

}  // namespace vox::bricks
