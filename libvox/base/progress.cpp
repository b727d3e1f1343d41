#include "libvox/base/progress.h"

#include <atomic>
#include <csignal>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <utility>

#include "libvox/base/error.h"
#include "libvox/base/paged_memory.h"

namespace vox {
namespace {

ProgressSink progress_sink;
std::mutex progress_mutex;
thread_local int progress_silenced = 0;

// The watches that threads have, by their numbers. A thread has only the number, which needs no destructor.
struct Watches {
  std::shared_mutex mutex;
  std::map<uint64_t, std::weak_ptr<WorkWatch>> by_number;
};
Watches& watches() {
  static Watches* const all = new Watches;  // never deleted, because threads may outlive static objects
  return *all;
}
thread_local uint64_t watch_of_thread = 0;

void tell(const ProgressState& state) {
  if (progress_silenced > 0) return;
  const std::shared_ptr<const WorkWatch> watch = work_watch();
  const std::lock_guard lock(progress_mutex);
  const ProgressSink& sink = watch ? watch->progress : progress_sink;
  if (sink) sink(state);
}

}  // namespace

uint64_t WorkWatch::next_number() {
  static std::atomic<uint64_t> last = 0;
  return ++last;
}

std::shared_ptr<WorkWatch> set_work_watch(const std::shared_ptr<WorkWatch>& watch) {
  std::shared_ptr<WorkWatch> before = work_watch();
  watch_of_thread = watch ? watch->number : 0;
  if (watch) {
    const std::lock_guard lock(watches().mutex);
    std::erase_if(watches().by_number, [](const auto& entry) { return entry.second.expired(); });
    watches().by_number.try_emplace(watch->number, watch);
  }
  return before;
}

std::shared_ptr<WorkWatch> work_watch() {
  if (watch_of_thread == 0) return nullptr;
  const std::shared_lock lock(watches().mutex);
  const auto found = watches().by_number.find(watch_of_thread);
  return found == watches().by_number.end() ? nullptr : found->second.lock();
}

ProgressSink set_progress_sink(ProgressSink sink) {
  const std::lock_guard lock(progress_mutex);
  return std::exchange(progress_sink, std::move(sink));
}

Progress::Progress(std::string what, uint64_t total)
    : what_(std::move(what)),
      total_(std::max<uint64_t>(total, 1)),
      start_(std::chrono::steady_clock::now()) {}

Progress::~Progress() {
  tell({.what = what_, .detail = {}, .done = done_, .total = total_, .before = done_, .ended = true});
}

void Progress::update(uint64_t done, const std::string& detail) {
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start_;
  tell({.what = what_,
        .detail = detail,
        .done = done,
        .total = total_,
        .before = std::exchange(done_, done),
        .seconds = elapsed.count()});
}

NoProgress::NoProgress() {
  ++progress_silenced;
}

NoProgress::~NoProgress() {
  --progress_silenced;
}

namespace {

volatile std::sig_atomic_t cancelled = 0;

std::atomic<bool> has_late_error = false;
std::mutex late_error_mutex;
std::exception_ptr late_error;
std::atomic<uint64_t> late_error_count = 0;

}  // namespace

void cancel_on_interrupt() {
  struct sigaction action = {};
  action.sa_handler = [](int) { cancelled = 1; };
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

void throw_if_cancelled() {
  if (cancelled) throw Cancelled();
  if (const auto watch = work_watch(); watch && watch->cancelled.load(std::memory_order_relaxed))
    throw Cancelled();
  throw_late_error();
}

void throw_late_error() {
  if (!has_late_error.load(std::memory_order_relaxed)) return;
  std::exception_ptr error;
  {
    const std::lock_guard lock(late_error_mutex);
    has_late_error = false;
    error = std::exchange(late_error, nullptr);
  }
  if (!error) return;
  forget_unfilled_pieces();
  std::rethrow_exception(error);
}

uint64_t late_errors() {
  return late_error_count;
}

void fail_later(std::exception_ptr error) {
  const std::lock_guard lock(late_error_mutex);
  ++late_error_count;
  if (!late_error) late_error = std::move(error);
  has_late_error = true;
}

}  // namespace vox
