// Removes parts that no scene needs: the parts of a scene file that has been replaced, and those of a scene
// that was never completed.
#pragma once

#include <filesystem>
#include <span>
#include <utility>
#include <vector>

namespace vox {

// Called when the scene at this path is complete, with the parts that it names. Removes all other parts from
// the scene's own folder: those of the previous scene, and complete or incomplete ones of killed builds.
// Removes the folder too if nothing else is in it. Parts that another scene beside this one names stay (for
// instance an older scene under a new name), and so do all files that are not named like a part.
void remove_other_parts(const std::filesystem::path& scene, std::span<const std::filesystem::path> named);

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
