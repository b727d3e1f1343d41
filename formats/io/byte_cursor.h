// Reads the bytes of a file from front to back. Reading beyond the end is an error.
#pragma once

#include <fmt/format.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

#include "libvox/base/error.h"

namespace vox {

class ByteCursor {
 public:
  // `offset` is the place of the bytes in the file, for messages.
  explicit ByteCursor(std::span<const std::byte> bytes, uint64_t offset = 0)
      : bytes_(bytes), end_(offset + bytes.size()) {}

  uint64_t left() const { return bytes_.size(); }
  uint64_t offset() const { return end_ - bytes_.size(); }  // in the file

  std::span<const std::byte> take(uint64_t count) {
    if (count > left())
      fail(fmt::format("expected {} more bytes, but there are {}; is the file truncated?", count, left()));
    const auto taken = bytes_.first(count);
    bytes_ = bytes_.subspan(count);
    return taken;
  }
  ByteCursor part(uint64_t count) {
    const uint64_t at = offset();
    return ByteCursor(take(count), at);
  }
  std::string_view text(uint64_t count) {
    const auto taken = take(count);
    return {reinterpret_cast<const char*>(taken.data()), taken.size()};
  }

  // Read a whole number in little-endian or big-endian byte order.
  template <class T>
  T little() {
    return number<T>(std::endian::little);
  }
  template <class T>
  T big() {
    return number<T>(std::endian::big);
  }

  [[noreturn]] void fail(const std::string& problem) const {
    throw Error(fmt::format("byte {}: {}", offset(), problem));
  }

 private:
  template <class T>
  T number(std::endian order) {
    const auto taken = take(sizeof(T));
    uint64_t value = 0;
    for (size_t i = 0; i < sizeof(T); ++i) {
      const size_t place = order == std::endian::little ? i : sizeof(T) - 1 - i;
      value |= std::to_integer<uint64_t>(taken[i]) << 8 * place;
    }
    return static_cast<T>(value);
  }

  std::span<const std::byte> bytes_;
  uint64_t end_;  // the end of the bytes, as an offset in the file
};

}  // namespace vox
