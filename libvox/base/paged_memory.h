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

}  // namespace vox
