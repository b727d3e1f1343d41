// Arrays for data that a device has no room for. They lie in the host's memory or in nameless files in a
// folder. With files, the system keeps in memory as much as fits, and nothing is left in the folder, however
// the program ends.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>

namespace vox {

// The place where spilled arrays lie.
class SpillPlace {
 public:
  SpillPlace() = default;  // in the host's memory
  // Uses files in this folder. Throws an Error if no file can be made there.
  explicit SpillPlace(std::filesystem::path folder);

  // Returns the folder for temporary files, if that many bytes are more than `memory`; else the host's memory.
  static SpillPlace if_larger(uint64_t bytes, uint64_t memory);

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

  // Takes memory or disk space for this many bytes. Throws an Error if there is not enough.
  void grow(uint64_t bytes);
  // Gives back the memory or disk space behind this many bytes.
  void shrink(uint64_t bytes);
  // Frees the memory that the process uses for a file. The bytes stay in the file, and are read again when used.
  void rest();
  // Read from the file, or write to it, directly and not through the addresses. Any thread may call these; the handler
  // of a fault may call read(), too.
  void read(uint64_t first, std::span<std::byte> to) const;
  void write(uint64_t first, std::span<const std::byte> from) const;
  bool in_file() const { return file_ >= 0; }

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

  // Makes the array longer by n values and returns them, uninitialized. The other values keep their
  // addresses.
  std::span<T> append(uint64_t n) {
    bytes_.grow((size_ + n) * sizeof(T));
    size_ += n;
    return {data() + size_ - n, n};
  }

  // Keeps the first n values.
  void shrink(uint64_t n) {
    bytes_.shrink(n * sizeof(T));
    size_ = n;
  }

  // Says that the values are not used for now: if they lie in a file, the process frees the memory that they take.
  void rest() { bytes_.rest(); }
  // Copies values, from the file if they lie there. Any thread may call this.
  void read(uint64_t first, std::span<T> to) const {
    if (bytes_.in_file()) return bytes_.read(first * sizeof(T), std::as_writable_bytes(to));
    std::copy_n(data() + first, to.size(), to.begin());
  }
  void write(uint64_t first, std::span<const T> from) const {
    if (bytes_.in_file()) return bytes_.write(first * sizeof(T), std::as_bytes(from));
    std::ranges::copy(from, data() + first);
  }
  bool in_file() const { return bytes_.in_file(); }

  T* data() const { return reinterpret_cast<T*>(bytes_.data()); }
  uint64_t size() const { return size_; }
  std::span<const T> values() const { return {data(), size_}; }

 private:
  SpilledBytes bytes_;
  uint64_t size_ = 0;
};

}  // namespace vox
