// Bytes that go from one rank to all others, or come from them, in pieces. Several pieces are under way at
// once. The bytes are cut into pieces because MPI counts them in 31 bits, and because bytes of a GPU's
// memory pass through staging memory of the host.
//
// Sender and receiver cut their bytes at the same places and handle each other's pieces in the same order, so
// the first piece that has not arrived is always under way on both sides.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "libvox/ranks/any_memory.h"

namespace vox::ranks {

// Throws Error if a call of MPI failed.
void check_mpi(int status, const char* call);

inline constexpr uint64_t kPieceBytes = 4 << 20;
inline constexpr uint32_t kSlots = 8, kStagedSlots = 4;  // the most pieces under way

// Staging memory that is kept from one exchange to the next, because a GPU's driver takes long to allocate
// it.
class StagingList {
 public:
  std::unique_ptr<StagingMemory> take();  // returns memory of kPieceBytes
  void give_back(std::unique_ptr<StagingMemory> memory) { free_.push_back(std::move(memory)); }

 private:
  std::vector<std::unique_ptr<StagingMemory>> free_;
};

class PiecesInFlight {
 public:
  enum class Direction { Send, Receive };

  // `sizes` has the number of bytes for each rank; the ranks' bytes lie one behind the other in memory.
  // With Send, the memory is only read. This rank's own bytes are left alone.
  PiecesInFlight(Direction direction, MPI_Comm ranks, std::byte* memory, std::span<const uint64_t> sizes,
                 StagingList& staging);

  // Starts as many pieces as may be under way, and checks which have arrived. Returns true if there was any
  // progress.
  bool advance();

  bool done() const { return next_ == peers_.size() && in_flight_ == 0; }
  uint64_t bytes() const { return bytes_; }

 private:
  struct Peer {
    std::byte* memory;
    uint64_t bytes;
    int rank;
  };
  struct Slot {
    MPI_Request request = MPI_REQUEST_NULL;
    std::byte* memory = nullptr;  // nullptr if no piece is under way
    int size = 0;
    std::unique_ptr<StagingMemory> staging = {};
  };

  void start(Slot& slot);
  void finish(Slot& slot);

  Direction direction_;
  MPI_Comm ranks_;
  StagingList& staging_;
  bool staged_;
  std::vector<Peer> peers_;         // in the order in which their pieces go
  uint64_t next_ = 0, offset_ = 0;  // the next piece's peer, and its place in that peer's bytes
  uint64_t bytes_ = 0;              // sum of all pieces
  uint32_t in_flight_ = 0;
  std::vector<Slot> slots_;
};

inline std::unique_ptr<StagingMemory> StagingList::take() {
  if (free_.empty()) return std::make_unique<StagingMemory>(kPieceBytes);
  std::unique_ptr<StagingMemory> memory = std::move(free_.back());
  free_.pop_back();
  return memory;
}

inline PiecesInFlight::PiecesInFlight(Direction direction, MPI_Comm ranks, std::byte* memory,
                                      std::span<const uint64_t> sizes, StagingList& staging)
    : direction_(direction),
      ranks_(ranks),
      staging_(staging),
      staged_(is_device_memory(memory)),
      slots_(staged_ ? kStagedSlots : kSlots) {
  int rank = 0;
  check_mpi(MPI_Comm_rank(ranks, &rank), "MPI_Comm_rank");
  const size_t count = sizes.size(), own = static_cast<size_t>(rank);
  std::vector<uint64_t> begins(count);
  for (size_t i = 1; i < count; ++i) begins[i] = begins[i - 1] + sizes[i - 1];
  // Each rank sends to the next rank first, and receives from the previous one first.
  for (size_t step = 1; step < count; ++step) {
    const size_t peer = (own + (direction == Direction::Send ? step : count - step)) % count;
    if (sizes[peer] == 0) continue;
    peers_.push_back({memory + begins[peer], sizes[peer], static_cast<int>(peer)});
    bytes_ += sizes[peer];
  }
}

inline bool PiecesInFlight::advance() {
  bool moved = false;
  for (Slot& slot : slots_) {
    if (slot.memory) {
      int arrived = 0;
      check_mpi(MPI_Test(&slot.request, &arrived, MPI_STATUS_IGNORE), "MPI_Test");
      if (arrived) finish(slot);
      moved |= arrived != 0;
    }
    if (slot.memory || next_ == peers_.size()) continue;
    start(slot);
    moved = true;
  }
  return moved;
}

inline void PiecesInFlight::start(Slot& slot) {
  const Peer& peer = peers_[next_];
  slot.memory = peer.memory + offset_;
  slot.size = static_cast<int>(std::min(kPieceBytes, peer.bytes - offset_));
  if (staged_) slot.staging = staging_.take();
  void* wire = staged_ ? slot.staging->data() : slot.memory;
  if (direction_ == Direction::Send) {
    if (staged_) copy_any(wire, slot.memory, static_cast<uint64_t>(slot.size));
    check_mpi(MPI_Isend(wire, slot.size, MPI_BYTE, peer.rank, 0, ranks_, &slot.request), "MPI_Isend");
  } else {
    check_mpi(MPI_Irecv(wire, slot.size, MPI_BYTE, peer.rank, 0, ranks_, &slot.request), "MPI_Irecv");
  }
  ++in_flight_;
  offset_ += static_cast<uint64_t>(slot.size);
  if (offset_ < peer.bytes) return;
  ++next_;
  offset_ = 0;
}

inline void PiecesInFlight::finish(Slot& slot) {
  if (slot.staging) {
    if (direction_ == Direction::Receive)
      copy_any(slot.memory, slot.staging->data(), static_cast<uint64_t>(slot.size));
    staging_.give_back(std::move(slot.staging));
  }
  slot.memory = nullptr;
  --in_flight_;
}

}  // namespace vox::ranks
