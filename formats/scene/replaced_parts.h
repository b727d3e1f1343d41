// Parts that go: those of a scene file that another one has replaced, and those of a scene that has not become whole.
#pragma once

#include <filesystem>
#include <span>
#include <utility>
#include <vector>

namespace vox {

// Called once the scene at this path is whole, with the parts that it names. Removes all other parts from its own
// folder of them, and the folder where nothing else is in it: parts of the scene that was there before, parts of builds
// that were killed, and what these had begun to write. What another scene beside this one names stays, such as the
// older one under a new name, and so does every file that has not the name of a part.
void remove_other_parts(const std::filesystem::path& scene, std::span<const std::filesystem::path> named);

// Removes the parts that it is given, unless keep() is called: those of a scene that has not become whole.
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
