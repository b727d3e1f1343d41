// The ranks that work together on one scene, each on a device of its own. They are processes that MPI has
// started, or threads of one process. A function that all ranks must call, in the same order, is marked as
// collective.
//
// If one rank fails, all others end too: the calls in which they wait, or their next calls, throw RankFailed.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace vox::ranks {

// Thrown when another rank has failed. That rank reports the reason.
struct RankFailed : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The data that one rank has sent to others and received from them, and how long it has waited for them.
struct Traffic {
  uint64_t sent = 0, received = 0;  // bytes
  double waited = 0;                // seconds
};

class Ranks {
 public:
  virtual ~Ranks() = default;

  virtual uint32_t rank() const = 0;
  virtual uint32_t count() const = 0;

  // Collective. Sends each rank its piece of `send` and receives a piece from each rank. In both arrays the
  // pieces lie one behind the other in the order of ranks. Sizes are in bytes, and sender and receiver must agree
  // on them. The memory belongs to the host or to this rank's device, which must have finished its work on it.
  virtual void exchange(const void* send, std::span<const uint64_t> send_sizes, void* receive,
                        std::span<const uint64_t> receive_sizes) = 0;

  // Collective. Returns all ranks' values, in the order of ranks.
  virtual std::vector<uint64_t> gather(uint64_t value) = 0;

  // Collective. Copies these bytes from rank 0 to all other ranks. They lie in host memory.
  virtual void broadcast(void* bytes, uint64_t size) = 0;

  // Takes the next `count` numbers, which no other rank gets, and returns the first. Numbers begin at 0. restart() is
  // collective and begins at 0 again.
  virtual uint64_t take(uint64_t count) = 0;
  virtual void restart() = 0;

  // Ends the work of the other ranks. The caller reports what went wrong.
  virtual void fail() noexcept = 0;

  virtual Traffic traffic() const = 0;
};

// Collective calls that are built from the functions of Ranks.

using Counts = std::vector<uint64_t>;  // one for each rank

inline uint64_t total(const Counts& counts) {
  return std::reduce(counts.begin(), counts.end());
}

// Collective. Sends values[i] to rank i. Returns the values that this rank gets, one from each rank.
Counts tell_each(Ranks& ranks, const Counts& values);

// Collective. Returns the sum of all ranks' values.
inline uint64_t sum_of(Ranks& ranks, uint64_t value) {
  return total(ranks.gather(value));
}

// Collective. Returns the largest of all ranks' values.
inline uint32_t most_of(Ranks& ranks, uint32_t value) {
  return static_cast<uint32_t>(std::ranges::max(ranks.gather(value)));
}

// Collective. Sends the items of all ranks, which lie in host memory, to rank 0. Returns them on rank 0, in the
// order of ranks, and returns nothing on the other ranks. `Items` is a vector or has a vector's functions.
template <class Items>
Items brought_to_first(Ranks& ranks, const Items& items) {
  using Item = std::remove_cvref_t<decltype(*items.data())>;
  static_assert(std::is_trivially_copyable_v<Item>);
  const Counts counts = ranks.gather(items.size());
  Counts send(ranks.count()), receive(ranks.count());
  send[0] = items.size() * sizeof(Item);
  Items all;
  if (ranks.rank() == 0) {
    all.resize(total(counts));
    for (size_t rank = 0; rank < counts.size(); ++rank) receive[rank] = counts[rank] * sizeof(Item);
  }
  ranks.exchange(items.data(), send, all.data(), receive);
  return all;
}

// Divides a list of `count` things evenly among the ranks, at most 2^32 of them. Returns where each rank's share begins,
// and then `count`.
inline Counts share_begins(const Ranks& ranks, uint64_t count) {
  Counts begins;
  for (uint64_t rank = 0; rank <= ranks.count(); ++rank) begins.push_back(count * rank / ranks.count());
  return begins;
}

// Returns the lengths of the shares that begin at these places.
inline Counts share_sizes(const Counts& begins) {
  Counts sizes;
  for (size_t rank = 0; rank + 1 < begins.size(); ++rank) sizes.push_back(begins[rank + 1] - begins[rank]);
  return sizes;
}

// Collective. Each rank gives its counts[rank] items, which lie on its host, to all other ranks, in pieces that take
// little memory. read(first, to) copies own items from number `first` on; write(rank, first, items) receives others.
template <class Item, class Read, class Write>
void give_to_all(Ranks& ranks, const Counts& counts, const Read& read, const Write& write) {
  constexpr uint64_t kBytesAtOnce = 16 << 20;
  static_assert(std::is_trivially_copyable_v<Item>);
  const uint32_t own = ranks.rank(), others = ranks.count() - 1;
  const uint64_t most = std::ranges::max(counts), piece = kBytesAtOnce / sizeof(Item) / ranks.count();
  for (uint64_t done = 0; others > 0 && done < most; done += piece) {
    Counts sizes;  // the length of each rank's piece, in items
    for (const uint64_t count : counts) sizes.push_back(std::min(piece, count - std::min(count, done)));
    std::vector<Item> sent(sizes[own] * others);  // the same piece for each other rank
    read(done, std::span(sent).first(sizes[own]));
    for (uint32_t other = 1; other < others; ++other)
      std::copy_n(sent.begin(), sizes[own], sent.begin() + static_cast<ptrdiff_t>(other * sizes[own]));
    Counts to(ranks.count(), sizes[own] * sizeof(Item)), from;
    for (const uint64_t size : sizes) from.push_back(size * sizeof(Item));
    to[own] = from[own] = 0;
    std::vector<Item> received(total(from) / sizeof(Item));
    ranks.exchange(sent.data(), to, received.data(), from);
    std::span<const Item> rest = received;
    for (uint32_t rank = 0; rank <= others; ++rank) {
      if (rank == own) continue;
      write(rank, done, rest.first(sizes[rank]));
      rest = rest.subspan(sizes[rank]);
    }
  }
}

// Collective. Returns the items of all ranks in the order of ranks. They lie in host memory.
template <class Items>
Items brought_to_all(Ranks& ranks, const Items& own) {
  using Item = std::remove_cvref_t<decltype(*own.data())>;
  const Counts counts = ranks.gather(own.size());
  Counts begins(counts.size());
  std::exclusive_scan(counts.begin(), counts.end(), begins.begin(), uint64_t{0});
  Items all(total(counts));
  std::ranges::copy(own, all.begin() + static_cast<ptrdiff_t>(begins[ranks.rank()]));
  give_to_all<Item>(
      ranks, counts,
      [&](uint64_t first, std::span<Item> to) {
        std::copy_n(own.begin() + static_cast<ptrdiff_t>(first), to.size(), to.begin());
      },
      [&](uint32_t rank, uint64_t first, std::span<const Item> items) {
        std::ranges::copy(items, all.begin() + static_cast<ptrdiff_t>(begins[rank] + first));
      });
  return all;
}

// The calling thread as the only rank, for work that is not shared.
Ranks& alone();

// Calls work(ranks) in `count` threads of this process, each of which is a rank with a device of its own, and waits
// for all. This is how one process uses several GPUs. If `count` is 1, the calling thread
// is the rank. If a rank throws, the others end too, and the first exception is thrown here.
void run_thread_ranks(uint32_t count, const std::function<void(Ranks&)>& work);

// Ranks that are processes, started by a launcher such as mpirun or srun. The code that needs MPI is a
// module of its own (mpi/), which is loaded only if there is a launcher.
class LaunchedRanks : public Ranks {
 public:
  // Returns true if no other rank failed before this one; only the first rank to fail reports its error.
  // Later calls return the same value.
  virtual bool first_to_fail() noexcept = 0;

  // Ends all processes, including this one. The launcher returns this exit code.
  virtual void end_all(int exit_code) noexcept = 0;
};

// The values of the launcher's environment variables in this process.
struct Launch {
  uint32_t rank = 0, count = 1;
};
Launch launch();  // a single rank if there is no launcher

// Joins the other processes of the launch until the process exits. Returns nullptr if this is the only
// process. Throws Error if this build has no MPI, or if the launcher belongs to another MPI implementation.
LaunchedRanks* joined_ranks();

bool has_mpi();  // true if the module for MPI is installed

// The result of JoinMpi, the only function of the module for MPI. A static build of the library contains this module.
struct JoinedMpi {
  LaunchedRanks* ranks;  // lives as long as the process
  const char* library;   // such as "Open MPI v4.1.4"
};

// Starts MPI at the first call. Throws Error if it cannot.
using JoinMpi = JoinedMpi();
inline constexpr const char* kJoinMpi = "vox_join_mpi";

}  // namespace vox::ranks

extern "C" vox::ranks::JoinedMpi vox_join_mpi();

// Copies memory of the host and of any GPU of this process. Ranks may exchange either kind.

namespace vox::ranks {

bool is_device_memory(const void* at);

// Copies bytes between memory of any two kinds, and returns when the copy is done. On a GPU the copy waits
// for no other work, so the source must have been written before.
void copy_any(void* to, const void* from, uint64_t bytes);

// Waits for all work of the GPU to which this memory belongs. For memory of the host, this does nothing.
void wait_for_work(const void* at);

// The functions above call these in a build with CUDA.
bool is_cuda_memory(const void* at);
void copy_cuda(void* to, const void* from, uint64_t bytes);
void wait_for_cuda(const void* at);

// Memory of the host for copies from and to a GPU. In a build with CUDA it is pinned, so that the GPU copies
// at its full rate; in other builds it is ordinary memory.
class StagingMemory {
 public:
  explicit StagingMemory(uint64_t bytes);
  ~StagingMemory();
  StagingMemory(const StagingMemory&) = delete;
  StagingMemory& operator=(const StagingMemory&) = delete;

  std::byte* data() const { return data_; }

 private:
  std::byte* data_ = nullptr;
};

}  // namespace vox::ranks
