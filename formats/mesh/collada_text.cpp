#include "formats/mesh/collada_text.h"

#include <algorithm>
#include <cctype>

namespace vox {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";

// Returns the length of the piece at the start of `xml` that ends with `end`.
size_t piece_length(std::string_view xml, std::string_view end) {
  const size_t at = xml.find(end);
  return at == xml.npos ? xml.size() : at + end.size();
}

// Returns the length of the tag at the start of `xml`. An attribute's quoted value may contain a >.
size_t tag_length(std::string_view xml) {
  char quote = '\0';
  for (size_t i = 0; i < xml.size(); ++i) {
    if (quote == '\0' && xml[i] == '>') return i + 1;
    if (xml[i] == quote) {
      quote = '\0';
    } else if (quote == '\0' && (xml[i] == '"' || xml[i] == '\'')) {
      quote = xml[i];
    }
  }
  return xml.size();
}

std::string_view trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(kBlanks);
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

bool says_latin1(std::string_view xml) {
  if (!xml.starts_with("<?xml")) return false;
  std::string declaration(xml.substr(0, piece_length(xml, "?>")));
  std::ranges::transform(declaration, declaration.begin(), [](unsigned char c) { return std::tolower(c); });
  return declaration.find("iso-8859-1") != declaration.npos || declaration.find("latin1") != declaration.npos;
}

std::string utf8_of_latin1(std::string_view text) {
  std::string utf8;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80) {
      utf8 += c;
    } else {
      utf8 += static_cast<char>(0xc0 | byte >> 6);
      utf8 += static_cast<char>(0x80 | (byte & 0x3f));
    }
  }
  return utf8;
}

std::string plain_xml(std::string_view xml) {
  std::string plain, contents;  // contents holds the element's text so far
  plain.reserve(xml.size() + 1);
  while (!xml.empty()) {
    size_t length = 0;
    if (xml.starts_with("<!--")) {
      length = piece_length(xml, "-->");
    } else if (xml.starts_with("<?")) {
      length = piece_length(xml, "?>");
    } else if (xml.starts_with("<![CDATA[")) {
      length = piece_length(xml, "]]>");
      contents += xml.substr(0, length);
    } else if (xml.starts_with('<')) {
      length = tag_length(xml);
      plain += trimmed(contents);
      plain += xml.substr(0, length);
      contents.clear();
    } else {
      length = std::min(xml.find('<'), xml.size());
      contents += xml.substr(0, length);
    }
    xml.remove_prefix(length);
  }
  return plain += contents;
}

}  // namespace

std::string plain_collada(std::string_view xml) {
  return plain_xml(says_latin1(xml) ? utf8_of_latin1(xml) : xml);
}

}  // namespace vox
