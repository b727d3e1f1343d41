// Arrays for what a device has no room for. They lie in the host's memory, or in files without names in a folder: then
// the system keeps in memory what it has room for, and nothing is left in the folder, however the program ends.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>

namespace vox::rounds {

// Where such arrays lie.
class SpillPlace {
 public:
  SpillPlace() = default;  // in the host's memory
  // In files of this folder. Throws Error unless one can be made there.
  explicit SpillPlace(std::filesystem::path folder);

  const std::optional<std::filesystem::path>& folder() const { return folder_; }

 private:
  std::optional<std::filesystem::path> folder_;
};

// Bytes that stay where they are while they become more. There are addresses for the most that there may be; memory, or
// room on the disk, is taken as they grow.
class SpilledBytes {
 public:
  SpilledBytes() = default;
  SpilledBytes(const SpillPlace& place, uint64_t most);
  ~SpilledBytes();
  SpilledBytes(SpilledBytes&& other) noexcept { swap(other); }
  SpilledBytes& operator=(SpilledBytes&& other) noexcept {
    SpilledBytes(std::move(other)).swap(*this);
    return *this;
  }

  // Takes room for this many. Throws Error where there is none.
  void grow(uint64_t bytes);

  std::byte* data() const { return data_; }

 private:
  void swap(SpilledBytes& other) noexcept;

  std::byte* data_ = nullptr;
  uint64_t most_ = 0, taken_ = 0;
  int file_ = -1;                 // none: in memory
  std::filesystem::path folder_;  // for messages
};

template <class T>
class SpilledArray {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  SpilledArray() = default;
  // An empty array that may become this long.
  SpilledArray(const SpillPlace& place, uint64_t most) : bytes_(place, most * sizeof(T)) {}

  // Makes it longer by n values, which are not set yet; returns them. Values stay where they are.
  std::span<T> append(uint64_t n) {
    bytes_.grow((size_ + n) * sizeof(T));
    size_ += n;
    return {data() + size_ - n, n};
  }

  T* data() const { return reinterpret_cast<T*>(bytes_.data()); }
  uint64_t size() const { return size_; }
  std::span<const T> values() const { return {data(), size_}; }

 private:
  SpilledBytes bytes_;
  uint64_t size_ = 0;
};

}  // namespace vox::rounds
