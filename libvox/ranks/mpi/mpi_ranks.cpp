// Ranks that are MPI processes. Waiting is a loop that checks whether the awaited message has come, and
// whether the user has interrupted the program. It sleeps in between, because other ranks may need the core.

#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "libvox/base/error.h"
#include "libvox/base/progress.h"
#include "libvox/ranks/ranks.h"

namespace vox::ranks {

// Bytes that go from one rank to all others, or come from them, in pieces. Several pieces are under way at
// once. The bytes are cut into pieces because MPI counts them in 31 bits, and because bytes of a GPU's
// memory pass through staging memory of the host.
//
// Sender and receiver cut their bytes at the same places and handle each other's pieces in the same order, so
// the first piece that has not arrived is always under way on both sides.

// Throws Error if a call of MPI failed.
void check_mpi(int status, const char* call);

constexpr uint64_t kPieceBytes = 4 << 20;
constexpr uint32_t kSlots = 8, kStagedSlots = 4;  // the most pieces under way

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

class MpiRanks final : public LaunchedRanks {
 public:
  MpiRanks();            // starts MPI; a process may have only one object
  ~MpiRanks() override;  // ends MPI, together with all other ranks
  MpiRanks(const MpiRanks&) = delete;
  MpiRanks& operator=(const MpiRanks&) = delete;

  uint32_t rank() const override { return static_cast<uint32_t>(rank_); }
  uint32_t count() const override { return static_cast<uint32_t>(count_); }

  void exchange(const void* send, std::span<const uint64_t> send_sizes, void* receive,
                std::span<const uint64_t> receive_sizes) override;
  std::vector<uint64_t> gather(uint64_t value) override;
  void broadcast(void* bytes, uint64_t size) override;
  uint64_t take(uint64_t count) override;
  void restart() override;
  void fail() noexcept override { end_all(1); }
  Traffic traffic() const override { return traffic_; }

  bool first_to_fail() noexcept override;
  void end_all(int exit_code) noexcept override;

 private:
  enum Counter : MPI_Aint { kTaken, kFailures, kCounters };

  enum class Seen { Nothing, Progress, Done };
  template <class Look>
  void wait_until(const Look& look);
  void wait(MPI_Request request);
  void barrier();

  int rank_ = 0, count_ = 1;
  MPI_Comm all_ = MPI_COMM_NULL;
  MPI_Win window_ = MPI_WIN_NULL;
  uint64_t* counters_ = nullptr;  // only on rank 0; all ranks take numbers from them
  StagingList staging_;
  Traffic traffic_;
  bool failed_ = false, is_first_to_fail_ = false;
};

namespace {

// Paces a loop that waits. Messages between processes of one host take microseconds, so the loop first checks
// without a pause, then yields the core to others, then sleeps.
class Patience {
 public:
  void pause() {
    const double seconds = since_.seconds();
    if (seconds < 50e-6) return;
    if (seconds < 20e-3)
      std::this_thread::yield();
    else
      std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
  void begin_anew() { since_ = {}; }

 private:
  Stopwatch since_;
};

uint64_t sum_of(std::span<const uint64_t> sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), uint64_t{0});
}

}  // namespace

void check_mpi(int status, const char* call) {
  if (status == MPI_SUCCESS) return;
  std::string text(MPI_MAX_ERROR_STRING, '\0');
  int length = 0;
  if (MPI_Error_string(status, text.data(), &length) != MPI_SUCCESS) length = 0;
  text.resize(static_cast<size_t>(length));
  throw Error(fmt::format("{}: {}", call, text));
}

MpiRanks::MpiRanks() {
  // Only one thread calls MPI, the one that waits.
  int level = 0;
  check_mpi(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &level), "MPI_Init_thread");
  if (level < MPI_THREAD_FUNNELED) throw Error("this MPI does not support programs with threads");
  check_mpi(MPI_Comm_dup(MPI_COMM_WORLD, &all_), "MPI_Comm_dup");
  MPI_Comm_set_errhandler(all_, MPI_ERRORS_RETURN);
  check_mpi(MPI_Comm_rank(all_, &rank_), "MPI_Comm_rank");
  check_mpi(MPI_Comm_size(all_, &count_), "MPI_Comm_size");
  const MPI_Aint bytes = rank_ == 0 ? kCounters * MPI_Aint{sizeof(uint64_t)} : 0;
  check_mpi(MPI_Win_allocate(bytes, sizeof(uint64_t), MPI_INFO_NULL, all_, &counters_, &window_),
            "MPI_Win_allocate");
  MPI_Win_set_errhandler(window_, MPI_ERRORS_RETURN);
  if (rank_ == 0) std::fill_n(counters_, static_cast<size_t>(kCounters), uint64_t{0});
  check_mpi(MPI_Win_lock_all(0, window_), "MPI_Win_lock_all");
  check_mpi(MPI_Win_sync(window_), "MPI_Win_sync");
  barrier();
  traffic_ = {};
}

MpiRanks::~MpiRanks() {
  MPI_Win_unlock_all(window_);
  MPI_Win_free(&window_);
  MPI_Comm_free(&all_);
  MPI_Finalize();
}

// MPI still reads and writes the memory of messages under way, and that memory is gone once an exception has
// left this function. The last request to MPI, first_to_fail(), is therefore made here.
template <class Look>
void MpiRanks::wait_until(const Look& look) {
  const Stopwatch watch;
  try {
    Patience patience;
    for (Seen seen = look(); seen != Seen::Done; seen = look()) {
      throw_if_cancelled();
      if (seen == Seen::Progress) patience.begin_anew();
      patience.pause();
    }
  } catch (...) {
    first_to_fail();
    throw;
  }
  traffic_.waited += watch.seconds();
}

void MpiRanks::wait(MPI_Request request) {
  wait_until([&] {
    int done = 0;
    check_mpi(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "MPI_Test");
    return done ? Seen::Done : Seen::Nothing;
  });
}

void MpiRanks::barrier() {
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPI_Ibarrier(all_, &request), "MPI_Ibarrier");
  wait(request);
}

void MpiRanks::exchange(const void* send, std::span<const uint64_t> send_sizes, void* receive,
                        std::span<const uint64_t> receive_sizes) {
  // MPI's calls take what they only read as const, but a PiecesInFlight serves both directions.
  auto* from = static_cast<std::byte*>(const_cast<void*>(send));
  auto* to = static_cast<std::byte*>(receive);
  using enum PiecesInFlight::Direction;
  PiecesInFlight coming(Receive, all_, to, receive_sizes, staging_);
  PiecesInFlight going(Send, all_, from, send_sizes, staging_);
  bool own_copied = false;
  wait_until([&] {
    const bool came = coming.advance(), went = going.advance();
    const bool moved = came || went;
    if (!std::exchange(own_copied, true)) {
      const auto own = static_cast<size_t>(rank_);
      copy_any(to + sum_of(receive_sizes.first(own)), from + sum_of(send_sizes.first(own)), send_sizes[own]);
    }
    return coming.done() && going.done() ? Seen::Done : moved ? Seen::Progress : Seen::Nothing;
  });
  traffic_.sent += going.bytes();
  traffic_.received += coming.bytes();
}

std::vector<uint64_t> MpiRanks::gather(uint64_t value) {
  std::vector<uint64_t> values(static_cast<size_t>(count_));
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPI_Iallgather(&value, 1, MPI_UINT64_T, values.data(), 1, MPI_UINT64_T, all_, &request),
            "MPI_Iallgather");
  wait(request);
  const uint64_t others = static_cast<uint64_t>(count_ - 1) * sizeof(uint64_t);
  traffic_.sent += others;
  traffic_.received += others;
  return values;
}

void MpiRanks::broadcast(void* bytes, uint64_t size) {
  for (uint64_t begin = 0; begin < size; begin += kPieceBytes) {
    const int piece = static_cast<int>(std::min(kPieceBytes, size - begin));
    MPI_Request request = MPI_REQUEST_NULL;
    check_mpi(MPI_Ibcast(static_cast<std::byte*>(bytes) + begin, piece, MPI_BYTE, 0, all_, &request),
              "MPI_Ibcast");
    wait(request);
  }
  (rank_ == 0 ? traffic_.sent : traffic_.received) += size;
}

uint64_t MpiRanks::take(uint64_t count) {
  uint64_t taken = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPI_Rget_accumulate(&count, 1, MPI_UINT64_T, &taken, 1, MPI_UINT64_T, 0, kTaken, 1, MPI_UINT64_T,
                                MPI_SUM, window_, &request),
            "MPI_Rget_accumulate");
  wait(request);
  return taken;
}

void MpiRanks::restart() {
  barrier();  // all ranks have taken their last numbers
  if (rank_ == 0) {
    const uint64_t none = 0;
    check_mpi(MPI_Accumulate(&none, 1, MPI_UINT64_T, 0, kTaken, 1, MPI_UINT64_T, MPI_REPLACE, window_),
              "MPI_Accumulate");
    check_mpi(MPI_Win_flush(0, window_), "MPI_Win_flush");
  }
  barrier();
}

// Rank 0's counter may be out of reach while rank 0 computes. Then this rank counts as the first.
bool MpiRanks::first_to_fail() noexcept {
  if (failed_) return is_first_to_fail_;
  failed_ = true;
  const uint64_t one = 1;
  uint64_t before = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  int done = MPI_Rget_accumulate(&one, 1, MPI_UINT64_T, &before, 1, MPI_UINT64_T, 0, kFailures, 1,
                                 MPI_UINT64_T, MPI_SUM, window_, &request) != MPI_SUCCESS;
  const Stopwatch watch;
  for (Patience patience; !done && watch.seconds() < 1; patience.pause())
    if (MPI_Test(&request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS) break;
  is_first_to_fail_ = before == 0;
  return is_first_to_fail_;
}

// A rank that is not the first to fail gives the first one time to report its error.
void MpiRanks::end_all(int exit_code) noexcept {
  if (!first_to_fail()) std::this_thread::sleep_for(std::chrono::seconds(3));
  MPI_Abort(MPI_COMM_WORLD, exit_code);
  std::_Exit(exit_code);
}

}  // namespace vox::ranks

vox::ranks::JoinedMpi vox_join_mpi() {
  using namespace vox::ranks;
  static MpiRanks ranks;
  static const std::string library = [] {
    std::string text(MPI_MAX_LIBRARY_VERSION_STRING, '\0');
    int length = 0;
    MPI_Get_library_version(text.data(), &length);
    text.resize(static_cast<size_t>(length));
    return text.substr(0, text.find_first_of(",\n"));
  }();
  return {.ranks = &ranks, .library = library.c_str()};
}
