#include "formats/mesh/ply_header.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "formats/io/scan.h"
#include "libvox/base/error.h"
#include "libvox/base/log.h"

namespace vox {
namespace {

std::optional<PlyType> type_named(std::string_view name) {
  using enum PlyType;
  static const std::unordered_map<std::string_view, PlyType> kTypes = {
      {"char", Int8},     {"int8", Int8},       {"uchar", Uint8},    {"uint8", Uint8},
      {"short", Int16},   {"int16", Int16},     {"ushort", Uint16},  {"uint16", Uint16},
      {"int", Int32},     {"int32", Int32},     {"uint", Uint32},    {"uint32", Uint32},
      {"float", Float32}, {"float32", Float32}, {"double", Float64}, {"float64", Float64}};
  auto type = kTypes.find(name);
  return type == kTypes.end() ? std::nullopt : std::optional(type->second);
}

class HeaderReader {
 public:
  HeaderReader(std::string_view text, const std::filesystem::path& path, UnknownLines unknown)
      : text_(text), path_(path), unknown_(unknown) {}

  PlyHeader read() {
    const char* end = text_.data() + text_.size();
    p_ = text_.data();
    if (take_word() != "ply") fail("not a PLY mesh: does not start with 'ply'");
    bool has_format = false;
    for (;;) {
      next_line();
      if (p_ >= end) fail("the header has no 'end_header'");
      std::string_view keyword = take_word();
      if (keyword == "end_header") break;
      if (keyword == "format") {
        read_format();
        has_format = true;
      } else if (keyword == "comment") {
        read_comment();
      } else if (keyword == "element") {
        read_element();
      } else if (keyword == "property") {
        read_property();
      } else if (keyword != "obj_info" && !keyword.empty()) {
        // Blender 2.47 wrote "Created by …" without the word `comment`.
        if (unknown_ == UnknownLines::Warn)
          log_warning("{}:{}: the header line '{} {}' is skipped", path_.string(), line_number_, keyword,
                      rest_of_line(p_));
      }
    }
    if (!has_format) fail("the header has no 'format'");
    next_line();
    header_.bytes = static_cast<size_t>(std::min(p_, end) - text_.data());
    check_counts();
    return std::move(header_);
  }

 private:
  std::string_view take_word() {
    p_ = skip_blanks(p_);
    std::string_view word(p_, word_end(p_));
    p_ = word.data() + word.size();
    return word;
  }

  // If lines end with CR alone, an LF after the header is not skipped, because it is the first byte of the
  // data. One header may mix lines that end with LF and with CR LF.
  void next_line() {
    while (!is_line_end(*p_)) ++p_;
    const bool crlf = p_[0] == '\r' && p_[1] == '\n';
    if (line_number_ == 1) lone_cr_ = *p_ == '\r' && !crlf;
    p_ += crlf && !lone_cr_ ? 2 : 1;
    ++line_number_;
  }

  void read_format() {
    std::string_view name = take_word();
    if (name == "ascii") {
      header_.format = PlyFormat::Text;
    } else if (name == "binary_little_endian") {
      header_.format = PlyFormat::LittleEndian;
    } else if (name == "binary_big_endian") {
      header_.format = PlyFormat::BigEndian;
    } else {
      fail(fmt::format("unknown format '{}'", name));
    }
  }

  void read_comment() {
    if (take_word() == "TextureFile") header_.textures.push_back(rest_of_line(p_));
  }

  void read_element() {
    PlyElement& element = header_.elements.emplace_back();
    element.name = take_word();
    if (element.name == "vertex" && std::exchange(has_vertices_, true)) fail("two elements 'vertex'");
    const std::string_view word = take_word();
    const auto count = parsed_number<uint64_t>(word);
    if (!count) fail(fmt::format("'{}' is not a number of elements", word));
    element.count = *count;
  }

  void read_property() {
    if (header_.elements.empty()) fail("a property before the first element");
    PlyProperty property;
    std::string_view word = take_word();
    if (word == "list") {
      property.count_type = read_type(take_word());
      if (!is_integer(*property.count_type)) fail("a list whose count is not a whole number");
      word = take_word();
    }
    property.type = read_type(word);
    property.name = take_word();
    header_.elements.back().properties.push_back(std::move(property));
  }

  PlyType read_type(std::string_view name) const {
    auto type = type_named(name);
    if (!type) fail(fmt::format("unknown property type '{}'", name));
    return *type;
  }

  // Compares the counts with the file's size, so that memory can be reserved for them. Each element takes at
  // least its scalars and the counts of its lists; in text, each of these takes a character and a blank.
  void check_counts() const {
    uint64_t left = text_.size() - header_.bytes + 1;
    for (const PlyElement& element : header_.elements) {
      uint64_t least = 0;
      for (const PlyProperty& property : element.properties)
        least += header_.format == PlyFormat::Text ? 2 : size_of(property.count_type.value_or(property.type));
      if (least == 0) continue;
      if (element.count > left / least)
        throw Error(fmt::format("{} elements '{}' cannot fit into the file", element.count, element.name))
            .at(path_.string())
            .hint("is the file truncated?");
      left -= element.count * least;
    }
  }

  [[noreturn]] void fail(const std::string& problem) const {
    throw Error(problem).at(fmt::format("{}:{}", path_.string(), line_number_));
  }

  std::string_view text_;
  const std::filesystem::path& path_;
  UnknownLines unknown_;
  const char* p_ = nullptr;
  uint64_t line_number_ = 1;
  bool lone_cr_ = false, has_vertices_ = false;
  PlyHeader header_;
};

}  // namespace

bool is_integer(PlyType type) {
  return type != PlyType::Float32 && type != PlyType::Float64;
}

size_t size_of(PlyType type) {
  static constexpr size_t kSizes[] = {1, 1, 2, 2, 4, 4, 4, 8};
  return kSizes[static_cast<size_t>(type)];
}

std::optional<size_t> PlyElement::find(std::initializer_list<std::string_view> names) const {
  for (std::string_view wanted : names)
    for (size_t i = 0; i < properties.size(); ++i)
      if (properties[i].name == wanted) return i;
  return std::nullopt;
}

PlyHeader parse_ply_header(std::string_view text, const std::filesystem::path& path, UnknownLines unknown) {
  return HeaderReader(text, path, unknown).read();
}

}  // namespace vox
