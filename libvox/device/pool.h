// The memory of one device. Freed blocks are kept and handed out again, so that a loop over chunks calls the
// device's allocator in its first iterations only. The memory in use stays below a limit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

namespace vox::device {

class Pool {
 public:
  // The device's allocator, as functions that take its state.
  struct Backend {
    void* (*allocate)(void* state, uint64_t bytes);  // nullptr if there is no more memory
    void (*release)(void* state, void* block);       // may keep the memory for other blocks
    // Returns memory that release() has kept to the system, until at most `bytes` bytes are held, including
    // those in use.
    void (*shrink)(void* state, uint64_t bytes);
  };

  // The backend and its state must outlive the pool.
  Pool(const Backend& backend, void* state, uint64_t limit)
      : backend_(&backend), state_(state), limit_(limit) {}
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  void* allocate(uint64_t bytes);  // aligned to 256 bytes; throws OutOfMemory
  void release(void* block) noexcept;

  uint64_t limit() const { return limit_; }
  uint64_t used() const { return used_; }
  uint64_t peak() const { return peak_; }  // the most that was ever held, including kept blocks
  uint64_t available() const { return limit_ > used_ ? limit_ - used_ : 0; }
  void trim();          // returns kept blocks to the device's allocator
  void restart_peak();  // sets the peak to what is held now

 private:
  void release_kept();

  const Backend* backend_;
  void* state_;
  uint64_t limit_, used_ = 0, kept_ = 0, peak_ = 0;
  std::map<void*, uint64_t> sizes_;      // the sizes of blocks in use
  std::multimap<uint64_t, void*> free_;  // the kept blocks, by size
  std::mutex mutex_;
};

// An array in a pool. Its contents are not initialized.
template <class T>
class Buffer {
 public:
  Buffer() = default;
  Buffer(Pool& pool, uint64_t size)
      : pool_(&pool), data_(static_cast<T*>(pool.allocate(size * sizeof(T)))), size_(size) {}
  ~Buffer() { reset(); }
  Buffer(Buffer&& other) noexcept { swap(other); }
  Buffer& operator=(Buffer&& other) noexcept {
    reset();
    swap(other);
    return *this;
  }

  void reset() noexcept {
    if (data_) pool_->release(data_);
    data_ = nullptr;
    size_ = 0;
  }
  void swap(Buffer& other) noexcept {
    std::swap(pool_, other.pool_);
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
  }

  T* data() const { return data_; }
  uint64_t size() const { return size_; }

 private:
  Pool* pool_ = nullptr;
  T* data_ = nullptr;
  uint64_t size_ = 0;
};

// Lays out several arrays in one block of memory, because allocating memory on a GPU takes as long as a small
// edit.
class Layout {
 public:
  // The place where an array begins.
  template <class T>
  struct Place {
    uint64_t offset = 0;
    T* in(const Buffer<std::byte>& memory) const { return reinterpret_cast<T*>(memory.data() + offset); }
  };

  template <class T>
  Place<T> add(uint64_t size) {
    const Place<T> place = {bytes_};
    bytes_ += (size * sizeof(T) + kAlignment - 1) / kAlignment * kAlignment;
    return place;
  }
  // The number of bytes that all arrays need together.
  uint64_t bytes() const { return bytes_; }

 private:
  static constexpr uint64_t kAlignment = 256;  // the pool's alignment

  uint64_t bytes_ = 0;
};

// Copies a vector to the device's memory.
template <class Device, class T, class Allocator>
Buffer<T> uploaded(Device& device, const std::vector<T, Allocator>& values) {
  auto buffer = device.template make<T>(values.size());
  device.upload(buffer.data(), values.data(), values.size());
  return buffer;
}

// An array of the host for bodies to read: the vector itself if the device can read the host's memory, else a copy of
// it.

class CpuDevice;

template <class Device>
inline constexpr bool kReadsHostMemory = false;
template <>
inline constexpr bool kReadsHostMemory<CpuDevice> = true;

// The vector must outlive the HostArray, and must not change while the HostArray lives.
template <class Device, class T>
class HostArray {
 public:
  HostArray(Device& device, const std::vector<T>& values) : data_(values.data()) {
    if constexpr (!kReadsHostMemory<Device>) {
      copy_ = uploaded(device, values);
      data_ = copy_.data();
    }
  }
  const T* data() const { return data_; }

 private:
  Buffer<T> copy_;
  const T* data_;
};

}  // namespace vox::device
