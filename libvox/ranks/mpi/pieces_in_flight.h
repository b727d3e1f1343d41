// Bytes that go from one rank to all others, or come from them, in pieces, some of which are on their way at once. MPI
// counts 31 bits of them; and a piece of a GPU's memory goes through memory of the host.
//
// Both sides cut alike and go through each other's pieces in the same order, so that the first piece of all that has
// not arrived is on its way.
#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "libvox/ranks/staging_memory.h"

namespace vox::ranks {

inline constexpr uint64_t kPieceBytes = 4 << 20;

// Memory of the host that is kept from one exchange to the next: a GPU's driver takes long to give it.
class StagingList {
 public:
  std::unique_ptr<StagingMemory> take();  // of kPieceBytes
  void give_back(std::unique_ptr<StagingMemory> memory) { free_.push_back(std::move(memory)); }

 private:
  std::vector<std::unique_ptr<StagingMemory>> free_;
};

class PiecesInFlight {
 public:
  enum class Direction { Send, Receive };

  // `sizes` are bytes of each rank, one behind the other in memory, which those who send do not write. Those of this
  // rank itself stay where they are.
  PiecesInFlight(Direction direction, MPI_Comm ranks, std::byte* memory, std::span<const uint64_t> sizes,
                 StagingList& staging);

  // Sets on their way as many as may be, and looks which have arrived. Returns whether there was any.
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
    std::byte* memory = nullptr;  // nullptr: nothing is on its way
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
  uint64_t next_ = 0, offset_ = 0;  // of the next piece: its peer, and its place there
  uint64_t bytes_ = 0;              // of all
  uint32_t in_flight_ = 0;
  std::vector<Slot> slots_;
};

}  // namespace vox::ranks
