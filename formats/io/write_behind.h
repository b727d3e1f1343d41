// Has the system write what a file holds to the disk while more of it is made. Left alone it begins late, so
// that whoever makes the file waits for all of it at the end, or, where its cache of pages is full, in between.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>

namespace vox {

class WriteBehind {
 public:
  // The descriptor stays open longer than this. Nothing depends on whether the system does it: what fails here
  // fails again, and is reported, when the file is synced.
  explicit WriteBehind(int file);
  ~WriteBehind();
  WriteBehind(const WriteBehind&) = delete;
  WriteBehind& operator=(const WriteBehind&) = delete;

  // So many bytes more are in the file.
  void wrote(uint64_t bytes);

 private:
  void run();

  const int file_;
  uint64_t begun_ = 0;  // of the file, bytes that the system has been asked to write
  uint64_t waiting_ = 0;
  bool ended_ = false;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::thread thread_;
};

}  // namespace vox
