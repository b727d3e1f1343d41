// Arrays for data that a device has no room for. They lie in the host's memory or in nameless files in a
// folder. With files, the system keeps in memory as much as fits, and nothing is left in the folder, however
// the program ends.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>

namespace vox::rounds {

// The place where spilled arrays lie.
class SpillPlace {
 public:
  SpillPlace() = default;  // in the host's memory
  // Uses files in this folder. Throws Error if no file can be made there.
  explicit SpillPlace(std::filesystem::path folder);

  const std::optional<std::filesystem::path>& folder() const { return folder_; }

 private:
  std::optional<std::filesystem::path> folder_;
};

// Bytes that keep their addresses while their number grows. Addresses are reserved for the greatest number;
// memory, or space on the disk, is taken as the bytes grow.
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

  // Takes memory or disk space for this many bytes. Throws Error if there is not enough.
  void grow(uint64_t bytes);

  std::byte* data() const { return data_; }

 private:
  void swap(SpilledBytes& other) noexcept;

  std::byte* data_ = nullptr;
  uint64_t most_ = 0, taken_ = 0;
  int file_ = -1;                 // -1 if the bytes lie in memory
  std::filesystem::path folder_;  // for messages
};

template <class T>
class SpilledArray {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  SpilledArray() = default;
  // An empty array that can grow to this length.
  SpilledArray(const SpillPlace& place, uint64_t most) : bytes_(place, most * sizeof(T)) {}

  // Makes the array longer by n values and returns them, uninitialised. The other values keep their
  // addresses.
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
