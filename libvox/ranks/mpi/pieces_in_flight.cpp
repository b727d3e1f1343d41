#include "libvox/ranks/mpi/pieces_in_flight.h"

#include <algorithm>

#include "libvox/ranks/any_memory.h"

namespace vox::ranks {
namespace {

constexpr uint32_t kSlots = 8, kStagedSlots = 4;

}  // namespace

std::unique_ptr<StagingMemory> StagingList::take() {
  if (free_.empty()) return std::make_unique<StagingMemory>(kPieceBytes);
  std::unique_ptr<StagingMemory> memory = std::move(free_.back());
  free_.pop_back();
  return memory;
}

PiecesInFlight::PiecesInFlight(Direction direction, MPI_Comm ranks, std::byte* memory,
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

bool PiecesInFlight::advance() {
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

void PiecesInFlight::start(Slot& slot) {
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

void PiecesInFlight::finish(Slot& slot) {
  if (slot.staging) {
    if (direction_ == Direction::Receive)
      copy_any(slot.memory, slot.staging->data(), static_cast<uint64_t>(slot.size));
    staging_.give_back(std::move(slot.staging));
  }
  slot.memory = nullptr;
  --in_flight_;
}

}  // namespace vox::ranks
