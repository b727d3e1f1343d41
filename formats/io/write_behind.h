// Makes the system write a file's data to the disk while more of it is produced. By default the system starts
// late, so the producer would wait for all of the data at the end or, if the page cache is full, in between.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>

namespace vox {

class WriteBehind {
 public:
  // The descriptor must stay open longer than this object. Errors are ignored here, because they occur again,
  // and are reported, when the file is synced.
  explicit WriteBehind(int file);
  ~WriteBehind();
  WriteBehind(const WriteBehind&) = delete;
  WriteBehind& operator=(const WriteBehind&) = delete;

  // Must be called when `bytes` more bytes are in the file.
  void wrote(uint64_t bytes);

 private:
  void run();

  const int file_;
  uint64_t begun_ = 0;  // bytes of the file that the system has been asked to write
  uint64_t waiting_ = 0;
  bool ended_ = false;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::thread thread_;
};

}  // namespace vox
