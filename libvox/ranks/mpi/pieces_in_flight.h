// Bytes that go from one rank to all others, or come from them, in pieces. Several pieces are under way at
// once. There are pieces because MPI counts bytes in 31 bits, and because those of a GPU's memory pass
// through staging memory of the host.
//
// Sender and receiver cut their bytes at the same places and handle each other's pieces in the same order, so
// the first piece that has not arrived is always under way on both sides.
#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "libvox/ranks/any_memory.h"

namespace vox::ranks {

inline constexpr uint64_t kPieceBytes = 4 << 20;

// Staging memory that is kept from one exchange to the next, because a GPU's driver takes long to allocate
// it.
class StagingList {
 public:
  std::unique_ptr<StagingMemory> take();  // has kPieceBytes
  void give_back(std::unique_ptr<StagingMemory> memory) { free_.push_back(std::move(memory)); }

 private:
  std::vector<std::unique_ptr<StagingMemory>> free_;
};

class PiecesInFlight {
 public:
  enum class Direction { Send, Receive };

  // `sizes` are the numbers of bytes of each rank, which lie one behind the other in memory. With Send, the
  // memory is only read. The bytes of this rank itself are left alone.
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

// Throws Error if a call of MPI failed.

void check_mpi(int status, const char* call);

}  // namespace vox::ranks
