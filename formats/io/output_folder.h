// Writes a folder of files that appears complete or not at all. It is written under a temporary name beside its target
// and renamed when it is complete.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string_view>

#include "formats/io/overwrite.h"

namespace vox {

// A function that returns true if vox wrote the file at this path for this kind of folder.
using IsOwnFile =
    std::function<bool(const std::filesystem::path& folder, const std::filesystem::path& relative)>;

class OutputFolder {
 public:
  // Makes the temporary folder, so that a target that cannot be written fails before the work. Removes the temporary
  // folder that a killed process left for the same target. Throws Error that names the target if another run writes
  // the same folder, or if the target holds foreign files. With Overwrite::AllFiles, foreign files stay unless a new
  // file has their name.
  OutputFolder(const std::filesystem::path& target, IsOwnFile is_own, Overwrite overwrite);
  ~OutputFolder();  // removes the temporary folder unless it was committed
  OutputFolder(const OutputFolder&) = delete;
  OutputFolder& operator=(const OutputFolder&) = delete;

  // Writes a file. If a file of this name exists already, it stays, because equal names mean equal content. Several
  // threads may write at the same time.
  void write(const std::filesystem::path& relative, std::string_view bytes);

  // Calls make() with the path of a new file, which make() writes. Errors name the target.
  void write_by(const std::filesystem::path& relative,
                const std::function<void(const std::filesystem::path&)>& make);

  // Flushes everything to the disk and replaces the target.
  void commit();

  uint64_t files() const { return files_; }
  uint64_t bytes() const { return bytes_; }

 private:
  void check_target(Overwrite overwrite) const;
  void lock();
  void replace();
  void keep_foreign() const;

  std::filesystem::path target_, temporary_;
  IsOwnFile is_own_;
  int descriptor_ = -1;  // locks the temporary folder
  std::atomic<uint64_t> files_ = 0, bytes_ = 0;
};

}  // namespace vox
