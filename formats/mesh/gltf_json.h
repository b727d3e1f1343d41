// Typed access to the JSON of a glTF file. The functions throw an Error that names the member if it is
// missing, has the wrong type, or is not a whole number although one is expected.
#pragma once

#include <fmt/format.h>
#include <simdjson.h>

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/io/read_file.h"
#include "libvox/base/error.h"
#include "libvox/scene/scene.h"

namespace vox {

// Errors get the place of the defect in a glTF file, from the outside in: "meshes[0]: primitives[1]:
// …".

inline std::string list_place(std::string_view list, uint64_t index) {
  return fmt::format("{}[{}]", list, index);
}

// Runs `body`. If it throws an error, calls `place` and puts the text that it returns before the error's
// text.
template <class Place, class Body>
auto at_place(Place place, Body body) -> decltype(body()) {
  try {
    return body();
  } catch (const Cancelled&) {
    throw;
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", place(), error.what())).about(error.setting());
  }
}

template <class Body>
auto at_item(std::string_view list, uint64_t index, Body body) {
  return at_place([&] { return list_place(list, index); }, body);
}

// Returns the item of a list with an index that the file gives. Throws Error if it is out of range.
template <class T>
const T& item_of(const std::vector<T>& list, uint32_t index, std::string_view name) {
  if (index >= list.size())
    throw Error(fmt::format("refers to {}[{}], but there are {}", name, index, list.size()));
  return list[index];
}

class GltfObject {
 public:
  explicit GltfObject(simdjson::dom::object members) : members_(members) {}

  bool has(std::string_view name) const { return find(name).has_value(); }

  // Returns nothing if there is no such member. Other functions return a default or require the
  // member.
  std::optional<GltfObject> object(std::string_view name) const;
  std::optional<uint64_t> whole(std::string_view name) const;
  uint64_t required_whole(std::string_view name) const;
  uint64_t whole_or(std::string_view name, uint64_t otherwise) const;
  uint32_t whole_of_32_bits(std::string_view name, uint32_t otherwise) const;
  uint32_t index(std::string_view name) const;  // kNone if it is missing
  uint32_t required_index(std::string_view name) const;
  double number_or(std::string_view name, double otherwise) const;
  std::string text_or(std::string_view name, std::string otherwise) const;
  bool flag(std::string_view name) const;  // false if it is missing

  std::vector<double> numbers(std::string_view name) const;  // empty if it is missing
  std::vector<uint32_t> indices(std::string_view name) const;
  std::vector<std::string> texts(std::string_view name) const;

  template <size_t N>
  std::array<double, N> numbers_or(std::string_view name, const std::array<double, N>& otherwise) const {
    if (!has(name)) return otherwise;
    std::array<double, N> values = otherwise;
    copy_numbers(name, values);
    return values;
  }

  std::optional<GltfObject> extension(std::string_view name) const;

  // Calls body(GltfObject) for each item of a list, which may be missing. Errors name the item.
  void each(std::string_view name, std::invocable<GltfObject> auto body) const {
    std::vector<simdjson::dom::element> list = items(name);
    for (size_t i = 0; i < list.size(); ++i) at_item(name, i, [&] { body(as_object(list[i])); });
  }

  // Returns all members of an object that holds only indices, such as the attributes of a primitive.
  std::vector<std::pair<std::string, uint32_t>> named_indices() const;

 private:
  std::optional<simdjson::dom::element> find(std::string_view name) const;
  std::vector<simdjson::dom::element> items(std::string_view name) const;  // the list may be missing
  void copy_numbers(std::string_view name, std::span<double> to) const;
  static GltfObject as_object(simdjson::dom::element element);

  simdjson::dom::object members_;
};

// A glTF file as stored on disk: JSON text, and the data that follows it in a GLB (glTF 2.0, §4.4).
class GltfContainer {
 public:
  // Throws Error, for example if a GLB is truncated. The content decides if it is a GLB or JSON, not the
  // name.
  explicit GltfContainer(const std::filesystem::path& path);

  std::string_view json() const { return json_; }
  std::span<const std::byte> binary() const { return binary_; }  // empty if there is none

 private:
  void split(std::span<const std::byte> file);

  MappedFile file_;
  std::string_view json_;
  std::span<const std::byte> binary_;
};

}  // namespace vox
