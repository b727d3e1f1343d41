#include "formats/io/output_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "libvox/base/error.h"
#include "libvox/base/files.h"
#include "libvox/base/units.h"

namespace vox {
namespace {

constexpr size_t kBufferBytes = 1 << 20;

[[noreturn]] void fail(const std::filesystem::path& target) {
  throw Error(fmt::format("cannot be written: {}", std::generic_category().message(errno)))
      .at(target.string());
}

// Calls write(bytes), which writes a part of them and returns its size or -1, until all bytes are written.
template <class Write>
void write_all(std::string_view bytes, const std::filesystem::path& target, const Write& write) {
  while (!bytes.empty()) {
    const ssize_t written = write(bytes);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail(target);
    bytes.remove_prefix(static_cast<size_t>(written));
  }
}

}  // namespace

void OutputFile::write(std::string_view bytes) {
  if (buffer_.size() + bytes.size() > kBufferBytes) flush();
  if (bytes.size() < kBufferBytes)
    buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
  else
    write_all(bytes, file_.target(),
              [&](std::string_view rest) { return ::write(file_.descriptor(), rest.data(), rest.size()); });
}

void OutputFile::flush() {
  write_all({buffer_.data(), buffer_.size()}, file_.target(),
            [&](std::string_view rest) { return ::write(file_.descriptor(), rest.data(), rest.size()); });
  buffer_.clear();
}

void OutputFile::release() {
  flush();
  buffer_.shrink_to_fit();
  file_.release();
}

void OutputFile::commit() {
  flush();
  file_.commit();
}

void OutputFile::commit_together(std::list<OutputFile>& files) {
  std::vector<AtomicFile*> all;
  for (OutputFile& file : files) {
    file.flush();
    all.push_back(&file.file_);
  }
  vox::commit_together(all);
}

uint64_t size_of_written(const std::filesystem::path& file) {
  std::error_code failed;
  const uint64_t size = std::filesystem::file_size(file, failed);
  if (failed)
    throw Error(fmt::format("is written, but its size cannot be read: {}", failed.message()))
        .at(file.string());
  return size;
}

void write_at(int descriptor, uint64_t offset, std::string_view bytes, const std::filesystem::path& target) {
  write_all(bytes, target, [&](std::string_view rest) {
    const ssize_t written = pwrite(descriptor, rest.data(), rest.size(), static_cast<off_t>(offset));
    if (written > 0) offset += static_cast<uint64_t>(written);
    return written;
  });
}

namespace {

constexpr uint64_t kPiece = 32 << 20;  // large enough for a disk, and rarely reached

}  // namespace

WriteBehind::WriteBehind(int file) : file_(file), thread_([this] { run(); }) {}

WriteBehind::~WriteBehind() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void WriteBehind::wrote(uint64_t bytes) {
  {
    const std::lock_guard lock(mutex_);
    waiting_ += bytes;
    if (waiting_ < kPiece) return;
  }
  changed_.notify_one();
}

// Runs in a thread of its own, because the system call blocks while the disk's queue is full.
void WriteBehind::run() {
  for (;;) {
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return ended_ || waiting_ >= kPiece; });
      if (ended_) return;
      waiting_ = 0;
    }
    struct stat status;
    if (fstat(file_, &status) != 0) return;
    const auto size = static_cast<uint64_t>(status.st_size);
    sync_file_range(file_, static_cast<off_t>(begun_), static_cast<off_t>(size - begun_),
                    SYNC_FILE_RANGE_WRITE);
    begun_ = size;
  }
}

namespace {

namespace fs = std::filesystem;

// Opens the file for writing, too, because a lock on NFS needs a file that can be written.
int open_to_lock(const fs::path& path) {
  const int file = open(path.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0666);
  if (file < 0) throw Error("cannot be made: " + std::generic_category().message(errno)).at(path.string());
  return file;
}

// True if another process holds the lock. All other errors mean that there are no locks: ENOLCK, EOPNOTSUPP,
// ENOSYS and, on some file systems, others.
bool is_of_another(int file) {
  int failed = 0;
  while ((failed = flock(file, LOCK_EX | LOCK_NB) == 0 ? 0 : errno) == EINTR) {
  }
  return failed == EWOULDBLOCK;
}

// False if the last holder of the lock removed the file after it was opened here.
bool is_at(const fs::path& path, int file) {
  struct stat there = {}, opened = {};
  return stat(path.c_str(), &there) == 0 && fstat(file, &opened) == 0 && there.st_ino == opened.st_ino &&
         there.st_dev == opened.st_dev;
}

}  // namespace

LockFile::LockFile(fs::path path) : path_(std::move(path)) {
  while (true) {
    file_ = open_to_lock(path_);
    is_held_ = !is_of_another(file_);
    if (!is_held_ || is_at(path_, file_)) return;
    close(file_);
  }
}

LockFile::~LockFile() {
  std::error_code ignored;
  if (is_held_) fs::remove(path_, ignored);  // before another process can get the lock
  close(file_);
}

namespace {

int file_of_size(uint64_t size, const std::filesystem::path& source) {
  const std::filesystem::path folder = std::filesystem::temp_directory_path();
  const int file = open_nameless(folder);
  int failed = file < 0 ? errno : 0;
  if (file >= 0)
    while ((failed = posix_fallocate(file, 0, static_cast<off_t>(size))) == EINTR) {
    }
  if (failed == 0) return file;
  if (file >= 0) close(file);
  throw Error(fmt::format("{} cannot be unpacked into {}: {}", format_bytes(size), folder.string(),
                          std::generic_category().message(failed)))
      .at(source.string())
      .hint("set TMPDIR to a folder with enough room");
}

}  // namespace

NamelessFile::NamelessFile(uint64_t size, const std::filesystem::path& source) : size_(size) {
  const int file = file_of_size(size, source);
  void* mapped = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  const int reason = errno;
  close(file);
  if (mapped == MAP_FAILED)
    throw Error("cannot be unpacked: " + std::generic_category().message(reason)).at(source.string());
  data_ = static_cast<std::byte*>(mapped);
}

NamelessFile::~NamelessFile() {
  munmap(data_, size_);
}

}  // namespace vox
