// Keeps the rounds of a build as files beside the parts of its scene, in the folder scene.parts/, so that a
// killed build can be resumed. rounds.txt lists the facts that decide what is built, and round-00017.bin is
// the round whose first piece is 17. Both are removed when the scene is complete. The process that builds the
// scene holds rounds.lock.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "formats/scene/scene_parts.h"
#include "libvox/build/build_scene.h"

namespace vox {

// One fact, in words, that decides what is built: {"resolution", "4096"}.
struct BuildFact {
  std::string name, value;
};
using BuildFacts = std::vector<BuildFact>;

class KeptRounds final : public build::RoundKeeper {
 public:
  // `scene` is the path of the finished scene.
  KeptRounds(std::filesystem::path scene, BuildFacts facts, double seconds);
  KeptRounds(const KeptRounds&) = delete;
  KeptRounds& operator=(const KeptRounds&) = delete;

  // Throws Error if the rounds in the folder belong to a build with other facts, or if another process builds
  // this scene.
  build::KeptBuild begin(uint32_t pieces) override;
  build::Round load(const build::Pieces& pieces, const build::RoundForm& form) override;
  void keep(const build::Round& round, const build::Pieces& pieces) override;
  double seconds() const override { return seconds_; }

  // Removes the rounds and the list, and the folder if nothing else is in it. To be called when the scene is
  // complete.
  void remove();

 private:
  build::KeptBuild begin_anew(uint32_t pieces) const;
  std::filesystem::path list_path() const;
  std::filesystem::path round_path(const build::Pieces& pieces) const;
  std::vector<build::Pieces> read_rounds(uint32_t pieces) const;

  std::filesystem::path scene_, folder_;
  BuildFacts facts_;
  uint64_t build_;  // a sum over the facts
  double seconds_;
  std::optional<PartsLock> lock_;  // set by begin()
};

// Returns the number of rounds that are stored beside a scene.
size_t rounds_beside(const std::filesystem::path& scene);

// Ranks keep a round's file until their scene is complete (libvox/build/build_scene.h). Only the program
// that wrote the file reads it, so its form is made for speed: it is written and read at the disk's rate.
// docs/formats.md lists every word.

// Writes the file complete or not at all. `build` identifies the build: a sum over the facts that decide what
// is built.
void write_round(const build::Round& round, const build::Pieces& pieces, uint64_t build,
                 const std::filesystem::path& path);

// Reads the pieces from the head of the file. Throws Error that names the file if it belongs to another
// build, or if its length differs from the one in its head.
build::Pieces read_round_pieces(const std::filesystem::path& path, uint64_t build);

// Reads the whole round. Throws Error in the same cases, and if the checksum differs from the stored one or
// the round does not have this form.
build::Round read_round(const std::filesystem::path& path, uint64_t build, const build::RoundForm& form);

}  // namespace vox
