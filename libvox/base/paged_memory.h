// Memory that is filled when it is first read, so that a program can read more than the machine can hold.
//
// A PagedMemory is a range of addresses that is divided into pieces. The first read of a piece is a fault, whose
// handler fills the piece; then the read goes on. If the memories that share a budget hold more than it allows,
// they drop the pieces that have not been read for the longest time. Any number of threads may read.
//
// - A piece that cannot be filled is all zeros, and throw_if_cancelled() throws the reason (see fail_later()).
// - A page of zeros stands behind the end.
// - The system's own calls, such as write(2) or a copy to a GPU, do not fill pieces: they fail. Copy the bytes
//   to ordinary memory first.
// - A thread must not read such memory while it holds a lock that `Fill` needs, or within malloc().
//
// Walks in random order fill pieces again and again. So a piece that is filled for the fourth time is also written to a
// file without a name, from which it is read a thousand times faster. Loops in order fill no piece that often.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace vox {

class PagedMemory;

// Bounds the bytes that several memories hold together. At least kLeastPieces stay, because one instruction may read
// several pieces at once, and each thread needs its own.
class PagedBudget {
 public:
  static constexpr size_t kLeastPieces = 16;

  // Pieces that are filled often are kept in this folder. Without a folder, or if it lies in memory or has little room,
  // none are kept.
  explicit PagedBudget(uint64_t bytes, std::filesystem::path folder = {})
      : limit_(bytes), folder_(std::move(folder)) {}

  uint64_t limit() const { return limit_; }
  uint64_t held() const;
  uint64_t filled()
      const;  // the bytes of all pieces filled so far; a piece that was filled again counts again

 private:
  friend class PagedMemory;
  struct Place {
    PagedMemory* memory;
    uint64_t piece;
    uint64_t cost;  // in bytes, when it was filled
  };

  void make_room(uint64_t bytes);
  void add(Place place);
  void remove(const PagedMemory& memory);
  void rest_oldest();

  const uint64_t limit_;
  const std::filesystem::path folder_;
  mutable std::mutex mutex_;
  // A piece rests before it is dropped: it keeps its content, but the next read of it is a fault, which makes it
  // readable again.
  std::deque<Place> read_, resting_;
  uint64_t held_ = 0, read_bytes_ = 0, filled_ = 0;
};

class PagedMemory {
 public:
  // Fills the piece with this number. `to` has the size of a piece; the last piece may be shorter. The function may
  // read other PagedMemory. It must not use TBB or any library whose code may be reading this memory.
  using Fill = std::function<void(uint64_t piece, std::span<uint8_t> to)>;

  // `piece_bytes` must be a multiple of the system's page size.
  PagedMemory(uint64_t bytes, uint64_t piece_bytes, Fill fill, std::shared_ptr<PagedBudget> budget);
  ~PagedMemory();
  PagedMemory(const PagedMemory&) = delete;
  PagedMemory& operator=(const PagedMemory&) = delete;

  uint8_t* data() const { return begin_; }
  uint64_t size() const { return bytes_; }

  // Makes the piece readable. The fault's handler calls this.
  void provide(uint64_t piece);
  uint64_t piece_at(const uint8_t* address) const {
    return static_cast<uint64_t>(address - begin_) / piece_bytes_;
  }

 private:
  friend class PagedBudget;
  enum State : uint32_t { Absent, Busy, Here, Resting };
  static constexpr uint8_t kFillsUntilKept = 4, kKept = UINT8_MAX, kMapped = UINT8_MAX - 1;

  uint64_t size_of(uint64_t piece) const;  // in whole pages
  uint64_t cost_of(uint64_t piece) const;  // the bytes that it takes from the budget
  uint8_t* address_of(uint64_t piece) const { return begin_ + piece * piece_bytes_; }
  void fill(uint64_t piece);
  bool map_kept(uint64_t piece);  // false if it is not in the file
  bool has_room_in_file() const;
  void keep(uint64_t piece, const uint8_t* content);  // if it has been filled often
  bool rest(uint64_t piece);                          // false if it is not there
  bool drop(uint64_t piece);                          // false if it does not rest

  uint64_t bytes_, piece_bytes_;
  Fill fill_;
  std::shared_ptr<PagedBudget> budget_;
  uint8_t* begin_;
  std::vector<std::atomic<uint32_t>> states_;
  int file_;  // -1 if there is none
  // The number of times that each piece was filled; kKept if it is in the file, kMapped if it is mapped from there.
  std::vector<std::atomic<uint8_t>> fills_;
};

// Makes all pieces unread again after one could not be filled, because any of them may have been made from its zeros. It
// is called when the error is thrown (see fail_later()).
void forget_unfilled_pieces();

// Vectors of words that are not set to zero before they are filled. Gigabytes of words are written only once, by
// all cores, and each page is first touched by the core that fills it. The words may also be those of a
// PagedMemory, which fills them when they are read.

// Asks the system for pages of 2 MiB for memory that is about to be written for the first time. Each small page would cost a
// fault, and random reads of gigabytes would have to look up where their pages lie.
void prefer_huge_pages(void* memory, uint64_t bytes);

template <class T>
class UninitializedAllocator {
 public:
  using value_type = T;
  using propagate_on_container_move_assignment = std::true_type;
  using propagate_on_container_swap = std::true_type;

  UninitializedAllocator() = default;
  // A vector of paged.size() bytes lies in this memory, and must only be read. Its copies have memory of their own.
  explicit UninitializedAllocator(std::shared_ptr<PagedMemory> paged) : paged_(std::move(paged)) {}
  template <class U>
  UninitializedAllocator(const UninitializedAllocator<U>& other) : paged_(other.paged()) {}

  T* allocate(size_t count) {
    if (paged_ && count * sizeof(T) == paged_->size()) return reinterpret_cast<T*>(paged_->data());
    constexpr uint64_t kLarge = 8 << 20;  // a smaller array is not worth the rest of a huge page
    T* const at = std::allocator<T>().allocate(count);
    if (count * sizeof(T) >= kLarge) prefer_huge_pages(at, count * sizeof(T));
    return at;
  }
  void deallocate(T* at, size_t count) {
    if (paged_ && reinterpret_cast<uint8_t*>(at) == paged_->data()) return;
    std::allocator<T>().deallocate(at, count);
  }
  template <class U, class... Args>
  void construct(U* at, Args&&... args) {
    if constexpr (sizeof...(Args) == 0) {
      ::new (static_cast<void*>(at)) U;
    } else {
      ::new (static_cast<void*>(at)) U(std::forward<Args>(args)...);
    }
  }
  UninitializedAllocator select_on_container_copy_construction() const { return {}; }

  const std::shared_ptr<PagedMemory>& paged() const { return paged_; }
  friend bool operator==(const UninitializedAllocator& a, const UninitializedAllocator& b) {
    return a.paged_ == b.paged_;
  }

 private:
  std::shared_ptr<PagedMemory> paged_;
};

using Words = std::vector<uint32_t, UninitializedAllocator<uint32_t>>;
using LongWords = std::vector<uint64_t, UninitializedAllocator<uint64_t>>;

// Returns a vector that shows the whole content of the memory.
template <class T>
std::vector<T, UninitializedAllocator<T>> paged_vector(std::shared_ptr<PagedMemory> memory) {
  const uint64_t count = memory->size() / sizeof(T);
  return std::vector<T, UninitializedAllocator<T>>(count, UninitializedAllocator<T>(std::move(memory)));
}

}  // namespace vox
