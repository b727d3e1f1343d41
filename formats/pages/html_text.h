// Escapes text for HTML and SVG, so that text from files is shown and never interpreted.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace vox {

// Escapes text for content and for attributes in double quotes. Control characters, and bytes that are not
// UTF-8, become U+FFFD.
std::string escape_html(std::string_view text);

// Returns the first characters of a text, with "…" in place of the rest if it has more than `most`.
std::string shortened(std::string_view text, size_t most);

// Counts characters, not bytes.
size_t character_count(std::string_view text);

// Encodes bytes as text that a page can hold (RFC 4648).

std::string to_base64(std::span<const uint8_t> bytes);

}  // namespace vox
