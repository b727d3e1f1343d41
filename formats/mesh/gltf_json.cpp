#include "formats/mesh/gltf_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "formats/io/scan.h"
#include "formats/mesh/gltf_document.h"
#include "libvox/base/error.h"

namespace vox {
namespace {

namespace dom = simdjson::dom;

[[noreturn]] void fail(std::string_view name, std::string_view expected) {
  throw Error(fmt::format("'{}' is not {}", name, expected));
}

double as_number(dom::element element, std::string_view name) {
  double value = 0;
  if (element.get(value) != simdjson::SUCCESS) fail(name, "a number");
  return value;
}

// Returns a whole number, which some exporters write as 3.0.
uint64_t as_whole(dom::element element, std::string_view name) {
  uint64_t value = 0;
  if (element.get(value) == simdjson::SUCCESS) return value;
  double number = -1;
  if (element.get(number) != simdjson::SUCCESS || number < 0 || number > 0x1p53 ||
      number != std::floor(number))
    fail(name, "a whole number of 0 or more");
  return static_cast<uint64_t>(number);
}

uint32_t as_index(dom::element element, std::string_view name) {
  uint64_t value = as_whole(element, name);
  if (value >= scene::kNone) fail(name, fmt::format("an index below {}", scene::kNone));
  return static_cast<uint32_t>(value);
}

std::string as_text(dom::element element, std::string_view name) {
  std::string_view text;
  if (element.get(text) != simdjson::SUCCESS) fail(name, "a text");
  return std::string(text);
}

}  // namespace

std::optional<dom::element> GltfObject::find(std::string_view name) const {
  dom::element element;
  if (members_.at_key(name).get(element) != simdjson::SUCCESS) return std::nullopt;
  return element;
}

GltfObject GltfObject::as_object(dom::element element) {
  dom::object object;
  if (element.get(object) != simdjson::SUCCESS) throw Error("is not an object");
  return GltfObject(object);
}

std::optional<GltfObject> GltfObject::object(std::string_view name) const {
  auto element = find(name);
  if (!element) return std::nullopt;
  if (!element->is_object()) fail(name, "an object");
  return as_object(*element);
}

std::optional<uint64_t> GltfObject::whole(std::string_view name) const {
  auto element = find(name);
  return element ? std::optional(as_whole(*element, name)) : std::nullopt;
}

uint64_t GltfObject::required_whole(std::string_view name) const {
  auto value = whole(name);
  if (!value) throw Error(fmt::format("'{}' is missing", name));
  return *value;
}

uint64_t GltfObject::whole_or(std::string_view name, uint64_t otherwise) const {
  return whole(name).value_or(otherwise);
}

uint32_t GltfObject::whole_of_32_bits(std::string_view name, uint32_t otherwise) const {
  auto element = find(name);
  return element ? as_index(*element, name) : otherwise;
}

uint32_t GltfObject::index(std::string_view name) const {
  return whole_of_32_bits(name, scene::kNone);
}

uint32_t GltfObject::required_index(std::string_view name) const {
  uint32_t value = index(name);
  if (value == scene::kNone) throw Error(fmt::format("'{}' is missing", name));
  return value;
}

double GltfObject::number_or(std::string_view name, double otherwise) const {
  auto element = find(name);
  return element ? as_number(*element, name) : otherwise;
}

std::string GltfObject::text_or(std::string_view name, std::string otherwise) const {
  auto element = find(name);
  return element ? as_text(*element, name) : otherwise;
}

bool GltfObject::flag(std::string_view name) const {
  auto element = find(name);
  bool value = false;
  if (element && element->get(value) != simdjson::SUCCESS) fail(name, "true or false");
  return value;
}

std::vector<dom::element> GltfObject::items(std::string_view name) const {
  auto element = find(name);
  if (!element) return {};
  dom::array list;
  if (element->get(list) != simdjson::SUCCESS) fail(name, "a list");
  return {list.begin(), list.end()};
}

std::vector<double> GltfObject::numbers(std::string_view name) const {
  std::vector<double> values;
  for (dom::element item : items(name)) values.push_back(as_number(item, name));
  return values;
}

void GltfObject::copy_numbers(std::string_view name, std::span<double> to) const {
  std::vector<double> values = numbers(name);
  if (values.size() != to.size()) fail(name, fmt::format("a list of {} numbers", to.size()));
  std::ranges::copy(values, to.begin());
}

std::vector<uint32_t> GltfObject::indices(std::string_view name) const {
  std::vector<uint32_t> values;
  for (dom::element item : items(name)) values.push_back(as_index(item, name));
  return values;
}

std::vector<std::string> GltfObject::texts(std::string_view name) const {
  std::vector<std::string> values;
  for (dom::element item : items(name)) values.push_back(as_text(item, name));
  return values;
}

std::optional<GltfObject> GltfObject::extension(std::string_view name) const {
  auto extensions = object("extensions");
  return extensions ? extensions->object(name) : std::nullopt;
}

std::vector<std::pair<std::string, uint32_t>> GltfObject::named_indices() const {
  std::vector<std::pair<std::string, uint32_t>> members;
  for (auto [name, value] : members_) members.emplace_back(name, as_index(value, name));
  return members;
}

namespace {

constexpr size_t kHeaderSize = 12, kChunkHeaderSize = 8;
constexpr uint32_t kJsonChunk = 0x4e4f534a, kBinaryChunk = 0x004e4942;

std::string_view as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

GltfContainer::GltfContainer(const std::filesystem::path& path) : file_(path) {
  if (file_.text().starts_with("glTF")) {
    split(file_.bytes());
  } else {
    json_ = file_.text();
  }
  if (json_.starts_with("\xef\xbb\xbf")) json_.remove_prefix(3);          // a byte order mark
  while (!json_.empty() && json_.back() == '\0') json_.remove_suffix(1);  // padding, which should be blanks
}

void GltfContainer::split(std::span<const std::byte> file) {
  if (file.size() < kHeaderSize + kChunkHeaderSize)
    throw Error(fmt::format("a GLB file of {} bytes", file.size())).hint("is the file truncated?");
  const auto version = value_at<uint32_t>(file.data() + 4), length = value_at<uint32_t>(file.data() + 8);
  if (version == 1) throw OldGltf();
  if (version != 2)
    throw Error(fmt::format("GLB version {} is not supported, only version 2", version))
        .hint("export it as glTF 2.0");
  if (length > file.size())
    throw Error(fmt::format("the header says {} bytes, but the file has {}", length, file.size()))
        .hint("is the file truncated?");
  std::span<const std::byte> rest = file.first(length);
  if (rest.size() < kHeaderSize) throw Error(fmt::format("the header says {} bytes", length));
  rest = rest.subspan(kHeaderSize);
  while (rest.size() >= kChunkHeaderSize) {
    const auto size = value_at<uint32_t>(rest.data()), type = value_at<uint32_t>(rest.data() + 4);
    rest = rest.subspan(kChunkHeaderSize);
    if (size > rest.size())
      throw Error(fmt::format("a chunk of {} bytes, but only {} follow", size, rest.size()))
          .hint("is the file damaged?");
    if (type == kJsonChunk && json_.empty()) json_ = as_text(rest.first(size));
    if (type == kBinaryChunk && binary_.empty()) binary_ = rest.first(size);
    rest = rest.subspan(size);
  }
  if (json_.empty()) throw Error("a GLB file without JSON").hint("is the file damaged?");
}

}  // namespace vox
