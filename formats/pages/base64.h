// Encodes bytes as text that a page can hold (RFC 4648).
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace vox {

std::string to_base64(std::span<const uint8_t> bytes);

}  // namespace vox
