// The words of a scene can lie in several files, so that several processes can write one scene at the same time.
// scene.h5 is the head, which has everything except the words, including colors apart from the DAG. The folder
// scene.parts/ has the parts: each holds a run of the nodes of each level, and the runs follow one another. In the
// head, the words of a level are a virtual dataset over the parts, which other programs read as one array.
//
// Each process calls write_scene_part(); when all are done, one of them calls write_scene_head(). A part is
// named after its content, so that parts of several scenes can lie side by side: an older head and its parts
// stay complete until the new head replaces it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "formats/io/compression.h"
#include "formats/io/output_file.h"
#include "libvox/build/build_scene.h"
#include "libvox/dag/voxel_scene.h"
#include "libvox/dag/walk.h"

namespace vox {

// Returns the folder beside a scene file that holds its parts. If the path is a symbolic link, it is the folder beside
// the link's target.
std::filesystem::path parts_folder(const std::filesystem::path& scene);
// Throws Error if the path of that folder cannot be used. Called before the work begins, so that no work is
// lost.
void check_parts_folder(const std::filesystem::path& scene);
// Returns the path of part `number` of a scene file, given the part's checksum.
std::filesystem::path scene_part_path(const std::filesystem::path& scene, uint32_t number, uint64_t check);

// True if the name has the form of a part's name: 000-88e6655ea6c26d31.h5.
bool is_part_name(const std::string& name);

// The number of a part, and its scene file, which need not exist yet.
struct ScenePartPlace {
  std::filesystem::path scene;
  uint32_t number = 0;
  bool materials = true;  // true if leaves hold materials
};

struct WrittenPart {
  uint64_t check = 0;   // a sum over its words
  bool is_new = false;  // true if no part with this content existed before
};

// Writes the part complete or not at all.
WrittenPart write_scene_part(const dag::DagPart& part, const ScenePartPlace& place,
                             const Compression& compression = {});

// Removes these parts unless keep() is called, so that a scene that fails leaves none.
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

// Writes the head for existing parts, in this order. The levels of the scene's DAG have counts but no words.
// Throws Error that names a part if it is missing or does not continue the part before. At the end, all other
// parts in the scene's folder are removed. If the head is not written, `new_parts` are removed.
void write_scene_head(const dag::VoxelScene& scene, std::span<const uint64_t> checks,
                      const std::filesystem::path& path, const Compression& compression = {},
                      NewParts new_parts = {});

// Returns the paths of the parts that the file at this path names; none if the file is not a scene in parts. Throws
// Error if the file cannot be read, because the parts that it needs are then unknown.
std::vector<std::filesystem::path> named_parts(const std::filesystem::path& path);

// The lock of the folder with a scene's parts and rounds. One run at a time has it.
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

// Removes the parts in the scene's folder that no scene beside it names: parts of the replaced scene, parts of killed
// builds, and files that these had begun to write. Files without a part's name stay. All parts stay if a file beside
// the scene cannot be read. The caller must have the folder's lock, and the scene must be complete.
void remove_unnamed_parts(const std::filesystem::path& scene);

// Does the same for a caller without the lock. If another run has it, all parts stay, and that run removes them.
void remove_replaced_parts(const std::filesystem::path& scene);

// Keeps the rounds of a build as files beside the parts of its scene, in the folder scene.parts/, so that a
// killed build can be resumed. rounds.txt lists the facts that decide what is built, and round-00017.bin is
// the round whose first piece is 17. Both are removed when the scene is complete. The process that builds the
// scene holds rounds.lock.

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

// Writes the file of a round, complete or not at all. Only vox reads it, so its form is made for speed: it is written
// and read at the disk's rate. docs/formats.md lists every word. `build` identifies the build: a sum over the facts
// that decide what
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
