// Rounds of a build as files beside the parts of its scene, in scene.parts/: rounds.txt says of what the scene is made,
// round-00017.bin is a round whose first piece is 17. They go when the scene is whole. Whoever builds has rounds.lock.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "formats/scene/replaced_parts.h"
#include "libvox/ranks/round_keeper.h"

namespace vox {

// Something that decides what is built, in words: {"resolution", "4096"}.
struct BuildFact {
  std::string name, value;
};
using BuildFacts = std::vector<BuildFact>;

class KeptRounds final : public ranks::RoundKeeper {
 public:
  // Of the scene that is to be at this path.
  KeptRounds(std::filesystem::path scene, BuildFacts facts, double seconds);
  KeptRounds(const KeptRounds&) = delete;
  KeptRounds& operator=(const KeptRounds&) = delete;

  // Throws Error where rounds that are there were made of something else, or another run is writing this scene.
  ranks::KeptBuild begin(uint32_t pieces) override;
  rounds::Round load(const ranks::Pieces& pieces, const rounds::RoundForm& form) override;
  void keep(const rounds::Round& round, const ranks::Pieces& pieces) override;
  double seconds() const override { return seconds_; }

  // The scene is whole: removes rounds, list and replaced parts, and the folder where nothing else is in it.
  void remove();

 private:
  ranks::KeptBuild begin_anew(uint32_t pieces) const;
  std::filesystem::path list_path() const;
  std::filesystem::path round_path(const ranks::Pieces& pieces) const;
  std::vector<ranks::Pieces> read_rounds(uint32_t pieces) const;

  std::filesystem::path scene_, folder_;
  BuildFacts facts_;
  uint64_t build_;  // a sum over the facts
  double seconds_;
  std::optional<PartsLock> lock_;  // from begin() on
};

// How many rounds lie beside a scene.
size_t rounds_beside(const std::filesystem::path& scene);

}  // namespace vox
