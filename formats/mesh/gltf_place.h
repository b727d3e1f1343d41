// Says in errors where in a glTF something is wrong: "meshes[0]: primitives[1]: …", the innermost place last.
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

// Runs `body`; its errors begin with the text that `place` returns, which is called only where one is thrown.
template <class Place, class Body>
auto at_place(Place place, Body body) -> decltype(body()) {
  try {
    return body();
  } catch (const Cancelled&) {
    throw;
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", place(), error.what()));
  }
}

// The item of a list that an index of the file names.
template <class T>
const T& item_of(const std::vector<T>& list, uint32_t index, std::string_view name) {
  if (index >= list.size())
    throw Error(fmt::format("names {}[{}], but there are {}", name, index, list.size()));
  return list[index];
}

}  // namespace vox
