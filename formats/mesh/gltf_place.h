// Adds to errors the place in a glTF file where something is wrong, as in "meshes[0]: primitives[1]: …", from
// the outside in.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "libvox/base/error.h"

namespace vox {

inline std::string list_place(std::string_view list, uint64_t index) {
  return fmt::format("{}[{}]", list, index);
}

// Runs `body`. The text returned by `place`, which is called only if an error is thrown, is put before its
// errors.
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

// Returns the item of a list with an index that the file gives. Throws Error if it is out of range.
template <class T>
const T& item_of(const std::vector<T>& list, uint32_t index, std::string_view name) {
  if (index >= list.size())
    throw Error(fmt::format("refers to {}[{}], but there are {}", name, index, list.size()));
  return list[index];
}

}  // namespace vox
