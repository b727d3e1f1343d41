// The boundary of the C interface. Exceptions become status codes and texts that the thread keeps, and arguments are
// checked.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "capi/vox.h"
#include "libvox/base/error.h"

namespace vox {

// Keeps the exception that is being handled as the last error of this thread, and returns its code.
vox_status keep_error() noexcept;

// Calls f(), and turns its exceptions into a code.
template <class F>
vox_status guarded(const F& f) noexcept {
  try {
    f();
    return VOX_OK;
  } catch (...) {
    return keep_error();
  }
}

// Throws UsageError if an argument is NULL.
template <class T>
T& needed(T* pointer, const char* name) {
  if (pointer == nullptr) throw UsageError(fmt::format("{} is NULL", name));
  return *pointer;
}

inline std::string needed_text(const char* text, const char* name) {
  return &needed(text, name);
}

// Returns the size that the caller's structure has, according to its first field.
template <class T>
uint64_t checked_size(const T& given, const char* name) {
  constexpr uint64_t kMost = 4096;
  const uint64_t size = given.struct_size;
  if (size < sizeof size || size > kMost || size % sizeof size != 0)
    throw UsageError(fmt::format("{}->struct_size is {}", name, size))
        .hint("it must be set to the size of the structure");
  return size;
}

// Returns a structure that the caller has filled. Fields that it lacks become 0; fields that this library does not know
// must be 0. If `given` is nullptr, all are 0.
template <class T>
T known_part(const T* given, const char* name) {
  T known = {};
  if (given == nullptr) return known;
  const uint64_t size = checked_size(*given, name);
  std::memcpy(&known, given, std::min<uint64_t>(size, sizeof known));
  const auto* bytes = reinterpret_cast<const std::byte*>(given);
  if (size > sizeof known &&
      std::any_of(bytes + sizeof known, bytes + size, [](std::byte byte) { return byte != std::byte{0}; }))
    throw UsageError(fmt::format("{} has fields that this library does not know", name))
        .hint("a newer version of it is needed");
  return known;
}

// Fills as much of a caller's structure as it has room for.
template <class T>
void give_part(T found, T* to, const char* name) {
  found.struct_size = checked_size(needed(to, name), name);
  std::memcpy(to, &found, std::min<uint64_t>(found.struct_size, sizeof found));
}

// Gives a text and its end if `text` has room for them, and its length.
inline void give_text(const std::string& given, char* text, uint64_t capacity, uint64_t* length) {
  needed(length, "length") = given.size();
  if (text == nullptr) return;
  if (capacity <= given.size())
    throw UsageError(fmt::format("capacity is {}, but the text needs {} bytes", capacity, given.size() + 1));
  std::memcpy(text, given.c_str(), given.size() + 1);
}

// Returns the value of a field of which `count` values are known.
template <class Enum>
Enum known_choice(uint32_t value, uint32_t count, const char* name) {
  if (value >= count) throw UsageError(fmt::format("{} is {}, expected 0 to {}", name, value, count - 1));
  return static_cast<Enum>(value);
}

}  // namespace vox
