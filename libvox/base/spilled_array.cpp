#include "libvox/base/spilled_array.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>

#include "libvox/base/error.h"
#include "libvox/base/files.h"
#include "libvox/base/process.h"
#include "libvox/base/units.h"

namespace vox {
namespace {

// Returns the folder for temporary files, or nothing if there is none.
std::filesystem::path temporary_folder() {
  std::error_code failed;
  return std::filesystem::temp_directory_path(failed);
}

Error spill_error(const std::string& problem, const std::filesystem::path& folder, int code) {
  Error error(fmt::format("{}: {}", problem, std::generic_category().message(code)));
  error.at(folder.string());
  if (folder == temporary_folder()) error.hint("TMPDIR names another folder for temporary files");
  return error;
}

int nameless_file(const std::filesystem::path& folder) {
  const int file = open_nameless(folder);
  if (file < 0) throw spill_error("cannot create a file in the folder", folder, errno);
  return file;
}

// Takes space on the disk for a part of a file. Returns the system's error, or 0.
int reserve(int file, uint64_t at, uint64_t bytes) {
  int failed = 0;
  while ((failed = posix_fallocate(file, static_cast<off_t>(at), static_cast<off_t>(bytes))) == EINTR) {
  }
  return failed;
}

}  // namespace

SpillPlace::SpillPlace(std::filesystem::path folder) : folder_(std::move(folder)) {
  close(nameless_file(*folder_));
}

SpillPlace SpillPlace::if_larger(uint64_t bytes, uint64_t memory) {
  if (bytes <= memory) return {};
  const std::filesystem::path folder = temporary_folder();
  if (folder.empty())
    throw Error("there is no folder for temporary files, which hold what does not fit into memory")
        .hint("TMPDIR names a folder that does not exist");
  return SpillPlace(folder);
}

SpilledBytes::SpilledBytes(const SpillPlace& place, uint64_t most) : most_(most) {
  if (most == 0) return;
  if (place.folder()) {
    folder_ = *place.folder();
    file_ = nameless_file(folder_);
  }
  const int flags = file_ < 0 ? MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE : MAP_SHARED;
  void* at = mmap(nullptr, most, PROT_READ | PROT_WRITE, flags, file_, 0);
  if (at == MAP_FAILED) {
    const int code = errno;
    if (file_ >= 0) close(file_);
    throw spill_error("cannot reserve memory", folder_, code);
  }
  data_ = static_cast<std::byte*>(at);
  if (file_ < 0) madvise(data_, most, MADV_HUGEPAGE);
}

SpilledBytes::~SpilledBytes() {
  if (data_) munmap(data_, most_);
  if (file_ >= 0) close(file_);
}

void SpilledBytes::grow(uint64_t bytes) {
  constexpr uint64_t kStep = uint64_t{64} << 20;
  if (bytes > most_) throw Error("a spilled array grows beyond what was reserved for it");
  if (bytes <= taken_) return;
  const uint64_t wanted = std::min(most_, (bytes + kStep - 1) / kStep * kStep);
  if (file_ < 0) {
    // A look at what is left reads several files, which takes longer than most work on a small array.
    constexpr uint64_t kSmall = 1 << 20;
    const uint64_t left = wanted - taken_ <= kSmall ? kSmall : available_bytes();
    if (wanted - taken_ > left)
      throw Error(fmt::format("the host's memory is full: {} more are needed, {} are left",
                              format_bytes(wanted - taken_), format_bytes(left)))
          .hint("spill to a folder, or lower the resolution");
  } else if (const int failed = reserve(file_, taken_, wanted - taken_); failed != 0) {
    throw spill_error("there is not enough space for spilled data", folder_, failed);
  }
  taken_ = wanted;
}

void SpilledBytes::shrink(uint64_t bytes) {
  const auto page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  const uint64_t kept = (bytes + page - 1) / page * page;
  if (kept >= taken_) return;
  if (file_ < 0) {
    madvise(data_ + kept, taken_ - kept, MADV_DONTNEED);
  } else if (ftruncate(file_, static_cast<off_t>(kept)) != 0) {
    throw spill_error("cannot make a file shorter", folder_, errno);
  }
  taken_ = kept;
}

void SpilledBytes::rest() {
  if (file_ >= 0 && taken_ > 0) madvise(data_, taken_, MADV_DONTNEED);
}

namespace {

// Calls `call`, which is pread() or pwrite(), until all bytes are transferred. Returns 0, or the system's error.
template <class Byte, class Call>
int transfer(int file, uint64_t first, std::span<Byte> bytes, const Call& call) {
  while (!bytes.empty()) {
    const ssize_t count = call(file, bytes.data(), bytes.size(), static_cast<off_t>(first));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return count < 0 ? errno : EIO;
    first += static_cast<uint64_t>(count);
    bytes = bytes.subspan(static_cast<size_t>(count));
  }
  return 0;
}

}  // namespace

void SpilledBytes::read(uint64_t first, std::span<std::byte> to) const {
  if (const int failed = transfer(file_, first, to, pread); failed != 0)
    throw spill_error("cannot read spilled data", folder_, failed);
}

void SpilledBytes::write(uint64_t first, std::span<const std::byte> from) const {
  if (const int failed = transfer(file_, first, from, pwrite); failed != 0)
    throw spill_error("cannot write spilled data", folder_, failed);
}

void SpilledBytes::swap(SpilledBytes& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(most_, other.most_);
  std::swap(taken_, other.taken_);
  std::swap(file_, other.file_);
  std::swap(folder_, other.folder_);
}

}  // namespace vox
