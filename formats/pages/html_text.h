// Escapes text for HTML and SVG: text that comes from files is shown, never obeyed.
#pragma once

#include <string>
#include <string_view>

namespace vox {

// Escapes text for content and for attributes in double quotes. Bytes that are not UTF-8, and control
// characters, become U+FFFD.
std::string escape_html(std::string_view text);

// The first characters of a text, with "…" in place of the others where it has more than `most`.
std::string shortened(std::string_view text, size_t most);

// Counts characters, not bytes.
size_t character_count(std::string_view text);

}  // namespace vox
