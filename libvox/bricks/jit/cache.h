// A cache of compiled images in $XDG_CACHE_HOME/vox or ~/.cache/vox, each under the hash of everything from
// which it was made. Nothing relies on the cache: an image that is missing, damaged or could not be written
// is compiled again.
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>
#include <vector>

namespace vox::bricks {

using JitImage = std::vector<std::byte>;

// Returns the cached image for these two texts, which contain everything on which the image depends. If there
// is none, returns the image that `compile` makes, and caches it. A file holds the image, followed by a hash
// of the image and of the texts.
JitImage cached_image(std::string_view source, std::string_view compiler,
                      const std::function<JitImage()>& compile);

}  // namespace vox::bricks
