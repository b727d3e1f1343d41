// Removes parts that no scene needs: the parts of a scene file that has been replaced, and those of a scene
// that was never completed.
#pragma once

#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

#include "formats/io/lock_file.h"

namespace vox {

// The lock of the folder in which a scene's parts and rounds lie. One run at a time has it.
class PartsLock {
 public:
  // Makes the folder if there is none. Throws Error if another run has the lock.
  explicit PartsLock(const std::filesystem::path& scene);
  ~PartsLock();  // removes the folder if nothing is in it
  PartsLock(const PartsLock&) = delete;
  PartsLock& operator=(const PartsLock&) = delete;

 private:
  void take();

  std::filesystem::path folder_;
  std::optional<LockFile> file_;
};

// Removes the parts in the scene's folder that no scene beside it names: parts of the scene that was there before, parts
// of builds that were killed, and what these had begun to write. A file that has not the name of a part stays. The
// caller has the folder's lock, and the scene is whole.
void remove_unnamed_parts(const std::filesystem::path& scene);

// Does the same for a caller who does not have the lock. If another run has it, all parts stay: that run removes them.
void remove_replaced_parts(const std::filesystem::path& scene);

// Removes the parts that it was given unless keep() is called, so that a scene that fails leaves none.
class NewParts {
 public:
  NewParts() = default;
  NewParts(NewParts&&) = default;
  NewParts& operator=(NewParts&& other) noexcept {
    std::swap(parts_, other.parts_);
    return *this;
  }
  ~NewParts();

  void add(std::filesystem::path part) { parts_.push_back(std::move(part)); }
  void keep() { parts_.clear(); }

 private:
  std::vector<std::filesystem::path> parts_;
};

}  // namespace vox
