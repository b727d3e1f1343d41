#include "libvox/ranks/ranks.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <atomic>
#include <charconv>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <system_error>
#include <thread>

#include "libvox/base/error.h"
#include "libvox/base/progress.h"

namespace vox::ranks {

Counts tell_each(Ranks& ranks, const Counts& values) {
  const Counts sizes(ranks.count(), sizeof(uint64_t));
  Counts told(ranks.count());
  ranks.exchange(values.data(), sizes, told.data(), sizes);
  return told;
}

namespace {

// The data that a rank shows to the other ranks between two meetings.
struct Post {
  const char* send = nullptr;
  std::span<const uint64_t> sizes = {};
  uint64_t value = 0;
};

// The state that all ranks share.
class Meeting {
 public:
  explicit Meeting(uint32_t count) : posts(count), count_(count) {}

  // Waits until all ranks are here. Throws RankFailed if one of them is not going to come.
  void all_here() {
    std::unique_lock lock(mutex_);
    if (failed_) throw RankFailed("another rank has failed");
    if (!arrive(lock, [&] { return failed_; })) throw RankFailed("another rank has failed");
  }

  // Waits for all ranks at the end of what all_here() began. Every rank comes to this point, even after an
  // error, because others may still be reading what this rank has shown.
  void all_done() {
    std::unique_lock lock(mutex_);
    arrive(lock, [] { return false; });
  }

  void fail() noexcept {
    const std::lock_guard lock(mutex_);
    failed_ = true;
    changed_.notify_all();
  }

  std::vector<Post> posts;
  std::atomic<uint64_t> next = 0;

 private:
  // Waits for the other ranks. Returns true if all have come.
  template <class GivesUp>
  bool arrive(std::unique_lock<std::mutex>& lock, const GivesUp& gives_up) {
    const uint64_t now = meetings_;
    if (++here_ == count_) {
      here_ = 0;
      ++meetings_;
      changed_.notify_all();
      return true;
    }
    changed_.wait(lock, [&] { return meetings_ != now || gives_up(); });
    return meetings_ != now;
  }

  uint32_t count_, here_ = 0;
  uint64_t meetings_ = 0;
  bool failed_ = false;
  std::mutex mutex_;
  std::condition_variable changed_;
};

class ThreadRanks final : public Ranks {
 public:
  ThreadRanks(Meeting& meeting, uint32_t rank) : meeting_(meeting), rank_(rank) {}

  uint32_t rank() const override { return rank_; }
  uint32_t count() const override { return static_cast<uint32_t>(meeting_.posts.size()); }

  void exchange(const void* send, std::span<const uint64_t> send_sizes, void* receive,
                std::span<const uint64_t> receive_sizes) override {
    show({.send = static_cast<const char*>(send), .sizes = send_sizes});
    for (uint32_t to = 0; to < count(); ++to)
      if (to != rank_) traffic_.sent += send_sizes[to];
    while_shown([&] { take_pieces(static_cast<char*>(receive), receive_sizes); });
  }

  std::vector<uint64_t> gather(uint64_t value) override {
    show({.value = value});
    std::vector<uint64_t> values;
    while_shown([&] {
      for (const Post& post : meeting_.posts) values.push_back(post.value);
    });
    return values;
  }

  void broadcast(void* bytes, uint64_t size) override {
    show({.send = static_cast<const char*>(bytes)});
    while_shown([&] {
      if (rank_ != 0) copy_any(bytes, meeting_.posts[0].send, size);
    });
  }

  uint64_t take(uint64_t count) override { return meeting_.next.fetch_add(count); }

  void restart() override {
    show({});
    while_shown([&] {
      if (rank_ == 0) meeting_.next = 0;
    });
  }

  void fail() noexcept override { meeting_.fail(); }
  Traffic traffic() const override { return traffic_; }

 private:
  void show(const Post& post) {
    meeting_.posts[rank_] = post;
    const Stopwatch watch;
    meeting_.all_here();
    traffic_.waited += watch.seconds();
  }

  // Calls look(), which reads what all ranks have shown. If it throws, the other ranks are still waited for.
  template <class Look>
  void while_shown(const Look& look) {
    std::exception_ptr problem;
    try {
      look();
    } catch (...) {
      problem = std::current_exception();
    }
    const Stopwatch watch;
    meeting_.all_done();
    traffic_.waited += watch.seconds();
    if (problem) std::rethrow_exception(problem);
  }

  void take_pieces(char* receive, std::span<const uint64_t> sizes) {
    for (uint32_t i = 0; i < count(); ++i) {
      const uint32_t from = (rank_ + i) % count();  // so that not all read from the same rank at once
      const Post& post = meeting_.posts[from];
      if (post.sizes[rank_] != sizes[from]) throw Error("ranks do not agree on what they exchange");
      copy_any(receive + std::reduce(sizes.begin(), sizes.begin() + from),
               post.send + std::reduce(post.sizes.begin(), post.sizes.begin() + rank_), sizes[from]);
      if (from != rank_) traffic_.received += sizes[from];
    }
  }

  Meeting& meeting_;
  uint32_t rank_;
  Traffic traffic_;
};

}  // namespace

Ranks& alone() {
  thread_local Meeting meeting(1);
  thread_local ThreadRanks ranks(meeting, 0);
  return ranks;
}

void run_thread_ranks(uint32_t count, const std::function<void(Ranks&)>& work) {
  Meeting meeting(count);
  std::mutex mutex;
  std::exception_ptr first, followed;  // the first error, and a RankFailed that it led to
  const auto run = [&](uint32_t rank) {
    ThreadRanks ranks(meeting, rank);
    try {
      work(ranks);
    } catch (const RankFailed&) {
      const std::lock_guard lock(mutex);
      followed = std::current_exception();
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!first) first = std::current_exception();
      ranks.fail();
    }
  };
  if (count == 1) {
    run(0);
  } else {
    const std::shared_ptr<WorkWatch> watch = work_watch();  // of this thread, which all ranks share
    std::vector<std::jthread> threads;
    // The threads that have started wait for the others until the meeting fails. It does so before a message is made,
    // for which memory may be missing, too.
    try {
      threads.reserve(count);
      for (uint32_t rank = 0; rank < count; ++rank)
        threads.emplace_back([&, rank] {
          set_work_watch(watch);
          run(rank);
        });
    } catch (const std::system_error& error) {
      const std::lock_guard lock(mutex);
      meeting.fail();
      if (!first)
        first = std::make_exception_ptr(
            Error(fmt::format("a thread for rank {} cannot be started: {}", threads.size(), error.what())));
    } catch (...) {
      const std::lock_guard lock(mutex);
      meeting.fail();
      if (!first) first = std::current_exception();
    }
  }
  if (first) std::rethrow_exception(first);
  if (followed) std::rethrow_exception(followed);
}

namespace {

// The environment variables in which a launcher states a process's rank and the number of processes.
struct Names {
  const char *rank, *count;
};
constexpr std::array<Names, 4> kLaunchers = {{
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
    {"PMI_RANK", "PMI_SIZE"},  // MPICH, Intel MPI, Cray
    {"MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE"},
    {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS"},  // set by srun; a batch script has no step
}};

std::optional<uint32_t> number_in(const char* variable) {
  const char* text = std::getenv(variable);
  if (text == nullptr) return std::nullopt;
  const char* end = text + std::strlen(text);
  uint32_t value = 0;
  const auto [stop, error] = std::from_chars(text, end, value);
  return error == std::errc() && stop == end ? std::optional(value) : std::nullopt;
}

#ifndef VOX_MPI_LINKED
// Returns the path of the module, which lies beside the library.
std::filesystem::path module_path() {
  Dl_info here = {};
  if (dladdr(reinterpret_cast<const void*>(&launch), &here) == 0) return {};
  std::error_code failed;
  return std::filesystem::weakly_canonical(here.dli_fname, failed).parent_path() / "libvox_mpi.so";
}

JoinMpi* load_module() {
  // MPI's own modules look up MPI's symbols in the global namespace.
  void* module = dlopen(module_path().c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (module == nullptr)
    throw Error(fmt::format("MPI cannot be loaded: {}", dlerror()))
        .hint("install the MPI with which vox was built, or start without a launcher");
  auto* join = reinterpret_cast<JoinMpi*>(dlsym(module, kJoinMpi));
  if (join == nullptr) throw Error("is not a module of this version of vox").at(module_path().string());
  return join;
}
#endif

LaunchedRanks& join(const Launch& launch) {
  if (!has_mpi())
    throw Error(fmt::format("started as {} processes, but this build of vox has no MPI", launch.count))
        .hint("start it alone, or use a build with MPI");
#ifdef VOX_MPI_LINKED
  const JoinedMpi joined = vox_join_mpi();
#else
  static JoinMpi* const join = load_module();
  const JoinedMpi joined = join();
#endif
  if (joined.ranks->count() != launch.count)
    throw Error(fmt::format("started as {} processes, but {} sees {}", launch.count, joined.library,
                            joined.ranks->count()))
        .hint("use the launcher of that MPI");
  return *joined.ranks;
}

}  // namespace

Launch launch() {
  for (const Names& names : kLaunchers) {
    const auto rank = number_in(names.rank), count = number_in(names.count);
    if (rank && count && *rank < *count) return {*rank, *count};
  }
  return {};
}

LaunchedRanks* joined_ranks() {
  const Launch launched = launch();
  return launched.count == 1 ? nullptr : &join(launched);
}

bool has_mpi() {
#ifdef VOX_MPI_LINKED
  return true;
#else
  std::error_code failed;
  return std::filesystem::exists(module_path(), failed);
#endif
}

}  // namespace vox::ranks
