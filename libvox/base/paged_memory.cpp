#include "libvox/base/paged_memory.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <exception>
#include <functional>
#include <new>
#include <utility>

#include "libvox/base/error.h"
#include "libvox/base/files.h"
#include "libvox/base/progress.h"

namespace vox {
namespace {

uint64_t page_bytes() {
  static const auto bytes = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

uint64_t in_pages(uint64_t bytes) {
  return (bytes + page_bytes() - 1) / page_bytes() * page_bytes();
}

// Maps addresses without memory behind them. With a null `at`, the system chooses them.
uint8_t* reserved(uint8_t* at, uint64_t bytes) {
  void* address = mmap(at, bytes, PROT_NONE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | (at != nullptr ? MAP_FIXED : 0), -1, 0);
  return address == MAP_FAILED ? nullptr : static_cast<uint8_t*>(address);
}

// Returns a file for pieces, or -1 if they would lie in memory again.
int file_for_pieces(const std::filesystem::path& folder) {
  struct statfs system = {};
  if (folder.empty() || statfs(folder.c_str(), &system) != 0 || system.f_type == TMPFS_MAGIC) return -1;
  return open_nameless(folder);
}

// The memories that exist. The handler reads the list without a lock.
struct Listed {
  std::atomic<uintptr_t> begin = 0, end = 0;
  std::atomic<PagedMemory*> memory = nullptr;
};
std::array<Listed, 1024> listed;
std::mutex listing;
struct sigaction action_before;

// A read at an address for which nothing helps would fault for ever.
constexpr uint32_t kMostRepeats = 1000;
thread_local const void* last_fault = nullptr;
thread_local uint32_t repeats = 0;

PagedMemory* memory_at(const void* address) {
  const auto at = reinterpret_cast<uintptr_t>(address);
  for (const Listed& each : listed)
    if (at >= each.begin.load(std::memory_order_acquire) && at < each.end.load(std::memory_order_acquire))
      return each.memory.load(std::memory_order_acquire);
  return nullptr;
}

void on_fault(int signal, siginfo_t* info, void* context) {
  const int error = errno;
  repeats = info->si_addr == last_fault ? repeats + 1 : 0;
  last_fault = info->si_addr;
  PagedMemory* memory = repeats < kMostRepeats ? memory_at(info->si_addr) : nullptr;
  if (memory != nullptr) {
    memory->provide(memory->piece_at(static_cast<const uint8_t*>(info->si_addr)));
    errno = error;
  } else if ((action_before.sa_flags & SA_SIGINFO) != 0) {
    action_before.sa_sigaction(signal, info, context);
  } else if (action_before.sa_handler != SIG_DFL && action_before.sa_handler != SIG_IGN) {
    action_before.sa_handler(signal);
  } else {
    std::signal(signal, SIG_DFL);           // the read faults again and ends the program
    if (info->si_code <= 0) raise(signal);  // it was no read, but a signal of a program
  }
}

void handle_faults() {
  struct sigaction action = {};
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_SIGINFO | SA_NODEFER | SA_RESTART;  // filling a piece may read another memory
  sigemptyset(&action.sa_mask);
  sigaction(SIGSEGV, &action, &action_before);
}

// Functions that make all pieces of a memory unread again, in the order in which the memories were made: a memory is
// filled from earlier ones alone.
struct Forgetting {
  const PagedMemory* memory;
  std::function<void()> forget;
};
std::vector<Forgetting> forgetting;  // guarded by `listing`

void list(PagedMemory& memory, uint64_t bytes, std::function<void()> forget) {
  const std::lock_guard lock(listing);
  static const bool once = (handle_faults(), true);
  static_cast<void>(once);
  forgetting.push_back({&memory, std::move(forget)});
  for (Listed& each : listed) {
    if (each.memory.load() != nullptr) continue;
    const auto begin = reinterpret_cast<uintptr_t>(memory.data());
    each.memory.store(&memory, std::memory_order_release);
    each.begin.store(begin, std::memory_order_release);
    each.end.store(begin + bytes, std::memory_order_release);
    return;
  }
  forgetting.pop_back();
  throw Error("too many arrays are read from files at once");
}

void unlist(const PagedMemory& memory) {
  const std::lock_guard lock(listing);
  const auto own = std::ranges::find(forgetting, &memory, &Forgetting::memory);
  own->forget();
  forgetting.erase(own);
  for (Listed& each : listed) {
    if (each.memory.load() != &memory) continue;
    each.end.store(0, std::memory_order_release);
    each.begin.store(0, std::memory_order_release);
    each.memory.store(nullptr, std::memory_order_release);
  }
}

std::atomic<uint64_t> forgotten_errors = 0;  // late_errors() when pieces were last forgotten
thread_local int fills_of_thread = 0;        // those under way, one within the other

}  // namespace

// Any piece may have been made from the zeros of another one, so all are forgotten, after those that are being filled are
// complete. A thread that fills one does not wait for itself: its error is thrown again later.
void forget_unfilled_pieces() {
  if (fills_of_thread > 0) return;
  const std::lock_guard lock(listing);
  const uint64_t before = late_errors();
  for (const Forgetting& each : forgetting) each.forget();
  forgotten_errors = before;
}

uint64_t PagedBudget::held() const {
  const std::lock_guard lock(mutex_);
  return held_;
}

uint64_t PagedBudget::filled() const {
  const std::lock_guard lock(mutex_);
  return filled_;
}

void PagedBudget::make_room(uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  held_ += bytes;
  filled_ += bytes;
  while (held_ > limit_ && read_.size() + resting_.size() > kLeastPieces) {
    if (resting_.empty()) rest_oldest();
    const Place oldest = resting_.front();
    resting_.pop_front();
    const uint64_t cost = oldest.memory->cost_of(oldest.piece);
    if (oldest.memory->drop(oldest.piece)) held_ -= cost;
  }
}

void PagedBudget::add(Place place) {
  const std::lock_guard lock(mutex_);
  read_.push_back(place);
  read_bytes_ += place.cost;
  while (read_bytes_ > limit_ / 4 * 3 && read_.size() > kLeastPieces / 4 * 3) rest_oldest();
}

void PagedBudget::rest_oldest() {
  if (read_.empty()) return;
  const Place oldest = read_.front();
  read_.pop_front();
  read_bytes_ -= oldest.cost;
  if (oldest.memory->rest(oldest.piece)) resting_.push_back(oldest);
}

void PagedBudget::remove(const PagedMemory& memory) {
  const std::lock_guard lock(mutex_);
  const auto belongs = [&](const Place& place) { return place.memory == &memory; };
  for (const Place& place : read_)
    if (belongs(place)) read_bytes_ -= place.cost;
  std::erase_if(read_, belongs);
  std::erase_if(resting_, belongs);
}

PagedMemory::PagedMemory(uint64_t bytes, uint64_t piece_bytes, Fill fill, std::shared_ptr<PagedBudget> budget)
    : bytes_(bytes),
      piece_bytes_(piece_bytes),
      fill_(std::move(fill)),
      budget_(std::move(budget)),
      begin_(reserved(nullptr, in_pages(bytes) + page_bytes())),
      states_((bytes + piece_bytes - 1) / piece_bytes),
      file_(-1),
      fills_(states_.size()) {
  if (begin_ == nullptr) throw std::bad_alloc();
  mprotect(begin_ + in_pages(bytes), page_bytes(), PROT_READ);
  const auto forget = [this] {
    budget_->remove(*this);
    for (uint64_t piece = 0; piece < states_.size(); ++piece)
      for (uint32_t now = states_[piece]; now != Absent; now = states_[piece]) {
        if (now == Busy) states_[piece].wait(Busy);
        if (now == Here) states_[piece].compare_exchange_strong(now, Resting);
        const std::lock_guard lock(budget_->mutex_);
        const uint64_t cost = cost_of(piece);
        if (drop(piece)) budget_->held_ -= cost;
      }
  };
  try {
    list(*this, in_pages(bytes_), forget);
  } catch (...) {
    munmap(begin_, in_pages(bytes_) + page_bytes());
    throw;
  }
  file_ = file_for_pieces(budget_->folder_);
}

PagedMemory::~PagedMemory() {
  unlist(*this);
  munmap(begin_, in_pages(bytes_) + page_bytes());
  if (file_ >= 0) close(file_);
}

uint64_t PagedMemory::size_of(uint64_t piece) const {
  return in_pages(std::min(piece_bytes_, bytes_ - piece * piece_bytes_));
}

// A piece that is mapped from the file takes memory only for the pages that are read.
uint64_t PagedMemory::cost_of(uint64_t piece) const {
  return fills_[piece] == kMapped ? size_of(piece) / 2 : size_of(piece);
}

void PagedMemory::provide(uint64_t piece) {
  std::atomic<uint32_t>& state = states_[piece];
  for (;;) {
    uint32_t now = state.load(std::memory_order_acquire);
    if (now == Here) return;
    if (now == Busy) {
      state.wait(Busy, std::memory_order_acquire);
      continue;
    }
    if (!state.compare_exchange_strong(now, Busy)) continue;
    if (now == Resting) {
      mprotect(address_of(piece), size_of(piece), PROT_READ);
    } else {
      if (fills_[piece] == kKept) fills_[piece] = kMapped;
      budget_->make_room(cost_of(piece));
      ++fills_of_thread;
      fill(piece);
      --fills_of_thread;
    }
    state.store(Here, std::memory_order_release);
    state.notify_all();
    budget_->add({this, piece, cost_of(piece)});
    return;
  }
}

// Fills ordinary memory and then moves it to its place at once, so that no other thread sees a part of it.
void PagedMemory::fill(uint64_t piece) {
  if (map_kept(piece)) return;
  const uint64_t bytes = size_of(piece), forgotten = forgotten_errors;
  void* made =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  try {
    if (made == MAP_FAILED) throw std::bad_alloc();
    try {
      fill_(piece, {static_cast<uint8_t*>(made), std::min(piece_bytes_, bytes_ - piece * piece_bytes_)});
    } catch (...) {
      std::fill_n(static_cast<uint8_t*>(made), bytes, uint8_t{0});
      throw;
    }
    if (late_errors() == forgotten) keep(piece, static_cast<uint8_t*>(made));
  } catch (...) {
    fail_later(std::current_exception());
  }
  if (made != MAP_FAILED) {
    mprotect(made, bytes, PROT_READ);
    if (mremap(made, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, address_of(piece)) != MAP_FAILED) return;
    munmap(made, bytes);
    fail_later(std::make_exception_ptr(std::bad_alloc()));
  }
  mprotect(address_of(piece), bytes, PROT_READ);  // zeros
}

bool PagedMemory::map_kept(uint64_t piece) {
  return fills_[piece] == kMapped &&
         mmap(address_of(piece), size_of(piece), PROT_READ, MAP_SHARED | MAP_FIXED, file_,
              static_cast<off_t>(piece * piece_bytes_)) != MAP_FAILED;
}

// Pieces leave a tenth of the disk, and at most 16 GiB, to the files that programs write.
bool PagedMemory::has_room_in_file() const {
  constexpr uint64_t kMostLeft = uint64_t{16} << 30;
  struct statvfs disk = {};
  if (fstatvfs(file_, &disk) != 0) return false;
  return disk.f_bavail * disk.f_frsize > std::min(disk.f_blocks * disk.f_frsize / 10, kMostLeft);
}

// A disk without room is no error: the piece is filled again.
void PagedMemory::keep(uint64_t piece, const uint8_t* content) {
  if (file_ < 0 || fills_[piece] >= kMapped || ++fills_[piece] < kFillsUntilKept) return;
  fills_[piece] = 0;
  if (!has_room_in_file()) return;
  const uint64_t bytes = size_of(piece);
  // The space is taken now, so that no page is lost when the system writes it later.
  if (posix_fallocate(file_, static_cast<off_t>(piece * piece_bytes_), static_cast<off_t>(bytes)) != 0)
    return;
  for (uint64_t done = 0; done < bytes;) {
    const ssize_t count =
        pwrite(file_, content + done, bytes - done, static_cast<off_t>(piece * piece_bytes_ + done));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return;
    done += static_cast<uint64_t>(count);
  }
  fills_[piece] = kKept;
}

bool PagedMemory::rest(uint64_t piece) {
  uint32_t now = Here;
  if (!states_[piece].compare_exchange_strong(now, Busy)) return false;
  mprotect(address_of(piece), size_of(piece), PROT_NONE);
  states_[piece].store(Resting, std::memory_order_release);
  states_[piece].notify_all();
  return true;
}

bool PagedMemory::drop(uint64_t piece) {
  uint32_t now = Resting;
  if (!states_[piece].compare_exchange_strong(now, Busy)) return false;
  reserved(address_of(piece), size_of(piece));
  if (fills_[piece] == kMapped) fills_[piece] = kKept;
  states_[piece].store(Absent, std::memory_order_release);
  states_[piece].notify_all();
  return true;
}

void prefer_huge_pages(void* memory, uint64_t bytes) {
  constexpr uint64_t kHugePage = 2 << 20;
  const uint64_t skipped = (kHugePage - reinterpret_cast<uintptr_t>(memory) % kHugePage) % kHugePage;
  if (bytes < skipped + kHugePage) return;
  madvise(static_cast<char*>(memory) + skipped, (bytes - skipped) / kHugePage * kHugePage, MADV_HUGEPAGE);
}

}  // namespace vox
