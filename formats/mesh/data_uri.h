// Files inside a URI: "data:application/octet-stream;base64,AAAA" (RFC 2397, RFC 4648).
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace vox {

// Returns the bytes of a data URI, or nothing for any other URI. Throws Error if the data is not valid
// base64.
std::optional<std::vector<std::byte>> data_of_uri(std::string_view uri);

}  // namespace vox
