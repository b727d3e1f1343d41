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
#include <vector>

#include "libvox/base/error.h"
#include "libvox/base/files.h"
#include "libvox/base/progress.h"
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

namespace {

namespace fs = std::filesystem;

Error folder_error(const std::string& problem, const fs::path& target, int code) {
  Error error(fmt::format("{}: {}", problem, std::generic_category().message(code)));
  error.at(target.string());
  return error;
}

// Returns the folder's path without a slash at its end.
fs::path plain(const fs::path& target) {
  const fs::path path = followed(target);
  return path.has_filename() ? path : path.parent_path();
}

// Returns the paths of all files in a folder, relative to it. Links count as files and are not followed.
std::vector<fs::path> files_in(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_symlink() || !entry.is_directory()) files.push_back(entry.path().lexically_relative(folder));
  return files;
}

}  // namespace

OutputFolder::OutputFolder(const fs::path& target, IsOwnFile is_own, Overwrite overwrite)
    : target_(plain(target)), is_own_(std::move(is_own)) {
  const std::string name = target_.filename().string();
  if (name.empty() || name == "." || name == "..")
    throw Error("cannot be replaced as a whole").at(target.string()).hint("name a folder inside of it");
  check_target(overwrite);
  temporary_ = target_.parent_path() / (name.substr(0, 200) + ".0-0.tmp");
  lock();
}

OutputFolder::~OutputFolder() {
  std::error_code ignored;
  if (!temporary_.empty()) fs::remove_all(temporary_, ignored);
  if (descriptor_ >= 0) close(descriptor_);
}

void OutputFolder::check_target(Overwrite overwrite) const {
  try {
    const fs::file_status status = fs::status(target_);
    if (!fs::exists(status)) return;
    if (!fs::is_directory(status)) throw Error("is a file, expected a folder to write").at(target_.string());
    if (overwrite == Overwrite::AllFiles) return;
    for (const fs::path& file : files_in(target_))
      if (!is_own_(target_, file))
        throw Error(fmt::format("exists already, and holds {}, which vox did not write", file.string()))
            .at(target_.string())
            .hint("it is kept: name another folder, or allow this one to be replaced")
            .about("overwrite");
  } catch (const fs::filesystem_error& error) {
    throw folder_error("cannot be read", target_, error.code().value());
  }
}

// A folder that no process has locked is what a killed process left.
void OutputFolder::lock() {
  const bool is_new = mkdir(temporary_.c_str(), 0777) == 0;
  if (!is_new && errno != EEXIST) throw folder_error("cannot be written", target_, std::exchange(errno, 0));
  descriptor_ = open(temporary_.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (descriptor_ < 0) {
    const int code = errno;
    if (is_new) rmdir(temporary_.c_str());
    throw folder_error("cannot be written", target_, code);
  }
  if (flock(descriptor_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    close(descriptor_);
    throw Error("another run is writing this folder")
        .at(target_.string())
        .hint("wait until it is done, end it, or name another output");
  }
  // A file that stayed would become one of the new files.
  std::error_code failed;
  for (fs::directory_iterator entry(temporary_, failed), end; !failed && entry != end;) {
    fs::remove_all(entry->path(), failed);
    if (!failed) entry.increment(failed);
  }
  if (!failed) return;
  close(descriptor_);
  throw folder_error("what a killed run left cannot be removed", temporary_, failed.value());
}

void OutputFolder::write(const fs::path& relative, std::string_view bytes) {
  const fs::path path = temporary_ / relative;
  const auto opened = [&] { return open(path.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666); };
  int file = opened();
  if (file < 0 && errno == ENOENT) {
    std::error_code failed;
    fs::create_directories(path.parent_path(), failed);
    file = opened();
  }
  if (file < 0 && errno == EEXIST) return;
  if (file < 0) throw folder_error("cannot be written", target_, errno);
  try {
    write_at(file, 0, bytes, target_);
  } catch (...) {
    close(file);
    throw;
  }
  if (close(file) != 0) throw folder_error("cannot be written", target_, errno);
  ++files_;
  bytes_ += bytes.size();
}

void OutputFolder::write_by(const fs::path& relative, const std::function<void(const fs::path&)>& make) {
  const fs::path path = temporary_ / relative;
  try {
    make(path);
  } catch (const Cancelled&) {
    throw;
  } catch (Error& error) {
    error.at((target_ / relative).string());
    throw;
  }
  ++files_;
  bytes_ += fs::file_size(path);
}

void OutputFolder::commit() {
  throw_late_error();
  if (syncfs(descriptor_) != 0) throw folder_error("cannot be written", target_, errno);
  std::error_code failed;
  if (fs::is_directory(target_, failed))
    replace();
  else if (rename(temporary_.c_str(), target_.c_str()) != 0)
    throw folder_error("cannot be written", target_, errno);
  else
    temporary_.clear();
  const fs::path above = target_.parent_path();
  const int folder = open(above.empty() ? "." : above.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return;
  fsync(folder);
  close(folder);
}

// The old folder takes the temporary name and goes.
void OutputFolder::replace() {
  keep_foreign();
  if (renameat2(AT_FDCWD, temporary_.c_str(), AT_FDCWD, target_.c_str(), RENAME_EXCHANGE) != 0)
    throw folder_error("cannot be replaced", target_, errno);
}

// Gives the files that are not vox's a second name in the new folder, or copies them where that cannot be.
void OutputFolder::keep_foreign() const {
  try {
    for (const fs::path& file : files_in(target_)) {
      const fs::path to = temporary_ / file;
      if (is_own_(target_, file) || fs::exists(fs::symlink_status(to))) continue;
      fs::create_directories(to.parent_path());
      std::error_code failed;
      fs::create_hard_link(target_ / file, to, failed);
      if (failed) fs::copy(target_ / file, to, fs::copy_options::copy_symlinks);
    }
  } catch (const fs::filesystem_error& error) {
    throw folder_error("holds a file that cannot be kept", target_, error.code().value());
  }
}

}  // namespace vox
