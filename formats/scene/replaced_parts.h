// The parts of a scene file that another one replaces.
#pragma once

#include <filesystem>
#include <utility>
#include <vector>

namespace vox {

class ReplacedParts {
 public:
  // Looks which parts the file at this path has as yet. It need not be there.
  explicit ReplacedParts(const std::filesystem::path& path);

  // Removes those that the file does not name any more, and their folder where nothing else is in it. Files that lie
  // elsewhere than in the scene's own folder of parts stay: others may be theirs.
  void remove() const;

 private:
  std::filesystem::path path_;
  std::vector<std::filesystem::path> parts_;
};

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
