// Writes bytes into a file, in order. The file appears at its target when it is committed, or not at all. A failure,
// such as a full disk, becomes an Error that names the target.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <list>
#include <mutex>
#include <span>
#include <string_view>
#include <thread>
#include <vector>

#include "libvox/base/files.h"

namespace vox {

class OutputFile {
 public:
  explicit OutputFile(const std::filesystem::path& target, Writers writers = Writers::Several)
      : file_(target, writers) {}

  void write(std::string_view bytes);
  template <class T>
  void write(std::span<const T> items) {
    write(std::string_view(reinterpret_cast<const char*>(items.data()), items.size_bytes()));
  }
  void release();  // flushes everything to the disk (AtomicFile::release()); only commit() may follow
  void commit();

  // Commits files that belong together, all of them or none. They must be opened with Writers::One, and the last one
  // must be the file that names the others.
  static void commit_together(std::list<OutputFile>& files);

 private:
  void flush();

  AtomicFile file_;
  std::vector<char> buffer_;
};

// Returns the size of a committed file. If the system does not tell it, throws Error that says the file is written.
uint64_t size_of_written(const std::filesystem::path& file);

// Writes bytes at an offset of an open file. Throws Error that names the target.
void write_at(int descriptor, uint64_t offset, std::string_view bytes, const std::filesystem::path& target);

// Makes the system write a file's data to the disk while more data is produced. By default the system starts
// late, so the producer would wait at the end or, if the page cache is full, in between.

class WriteBehind {
 public:
  // The descriptor must stay open longer than this object. Errors are ignored here, because they occur again
  // when the file is synced, and are reported then.
  explicit WriteBehind(int file);
  ~WriteBehind();
  WriteBehind(const WriteBehind&) = delete;
  WriteBehind& operator=(const WriteBehind&) = delete;

  // Must be called when `bytes` more bytes are in the file.
  void wrote(uint64_t bytes);

 private:
  void run();

  const int file_;
  uint64_t begun_ = 0;  // bytes that the system has been asked to write
  uint64_t waiting_ = 0;
  bool ended_ = false;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::thread thread_;
};

// A lock file that one process at a time holds, using flock(2). The lock ends with the process, even if
// that crashes.

class LockFile {
 public:
  // Makes the file if there is none, and tries to lock it without waiting. Throws an Error that names the
  // file if it cannot be made.
  explicit LockFile(std::filesystem::path path);
  ~LockFile();  // removes the file if this process holds the lock
  LockFile(const LockFile&) = delete;
  LockFile& operator=(const LockFile&) = delete;

  // True if this process holds the lock. If the file system has no locks, this is always true.
  bool is_held() const { return is_held_; }

 private:
  std::filesystem::path path_;
  int file_ = -1;
  bool is_held_ = false;
};

// A file without a name in the folder for temporary files, mapped into memory. It can hold data larger than
// memory.

class NamelessFile {
 public:
  // Reserves `size` bytes, at least 1, on the disk, so that writing to the mapping cannot fail. Throws an
  // Error that names `source` if there is not enough space.
  NamelessFile(uint64_t size, const std::filesystem::path& source);
  ~NamelessFile();
  NamelessFile(const NamelessFile&) = delete;
  NamelessFile& operator=(const NamelessFile&) = delete;

  std::span<std::byte> bytes() { return {data_, size_}; }
  std::span<const std::byte> bytes() const { return {data_, size_}; }

 private:
  std::byte* data_ = nullptr;
  uint64_t size_ = 0;
};

}  // namespace vox
