// Writes a scene in each form that the words of its SVDAG may have in a file.
#pragma once

#include <hdf5.h>

#include <filesystem>
#include <string>
#include <vector>

#include "formats/io/h5.h"
#include "formats/scene/groups.h"
#include "formats/scene/h5_words.h"
#include "formats/scene/scene_file.h"
#include "formats/scene/scene_parts.h"
#include "tests/dag/dense_dag.h"

namespace vox {

inline std::vector<uint64_t> write_parts(const std::vector<dag::DagPart>& parts,
                                         const std::filesystem::path& path, bool materials) {
  std::vector<uint64_t> checks;
  for (uint32_t i = 0; i < parts.size(); ++i)
    checks.push_back(write_scene_part(parts[i], {.scene = path, .number = i, .materials = materials}).check);
  return checks;
}

inline dag::VoxelScene without_words(dag::VoxelScene scene) {
  for (dag::DagLevel& level : scene.dag.levels) {
    level.words.clear();
    level.places = {};
  }
  return scene;
}

// Writes the scene in parts and returns their paths.
inline std::vector<std::filesystem::path> write_in_parts(const dag::VoxelScene& scene,
                                                         const std::filesystem::path& path, uint32_t count) {
  write_scene_head(without_words(scene), write_parts(parts_of(scene.dag, count), path, scene.dag.materials),
                   path);
  return named_parts(path);
}

inline h5::Object open_to_change(const std::filesystem::path& path) {
  return {h5::Handle(H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose), path.string(), ""};
}

// Replaces the words and starts of a level, with child numbers of 8 bytes.
inline void replace_level(const h5::Object& file, const dag::DagLevel& facts, uint32_t level,
                          const Words& words, const std::vector<uint64_t>& starts) {
  const h5::Object group = h5::open_group(h5::open_group(file, "svdag"), level_group_name(level));
  for (const char* name : {"words", "starts"}) H5Ldelete(group.id, name, H5P_DEFAULT);
  const h5::Object to = h5::write_words(group, "words", words, {});
  h5::write_attribute(to, "nodes", facts.nodes);
  h5::write_attribute(to, "svo_nodes", facts.svo_nodes);
  h5::write_attribute(to, "child_bytes", uint32_t{8});
  h5::write_words(group, "starts", starts, {});
}

// Writes a scene whose child numbers have 8 bytes. `change` may damage the words and the starts of a level.
template <class Change>
void write_long_numbers(const dag::VoxelScene& scene, const std::filesystem::path& path,
                        const Change& change) {
  write_scene(scene, path);
  const h5::Object file = open_to_change(path);
  for (uint32_t level = 0; level < scene.dag.depth(); ++level) {
    const dag::DagLevel& here = scene.dag.levels[level];
    Words words;
    std::vector<uint64_t> starts;
    for (uint64_t number = 0; number < here.places.nodes(); ++number) {
      if (number % dag::kStartEvery == 0) starts.push_back(words.size());
      const uint32_t* node = here.node(number);
      words.push_back(node[0]);
      for (uint32_t i = 1; i < dag::node_words(node[0]); ++i) words.insert(words.end(), {node[i], 0});
    }
    change(level, words, starts);
    replace_level(file, here, level, words, starts);
  }
}

enum class StoredForm { OneFile, OnePart, Parts, LongNumbers };
inline constexpr StoredForm kStoredForms[] = {StoredForm::OneFile, StoredForm::OnePart, StoredForm::Parts,
                                              StoredForm::LongNumbers};

inline void write_as(StoredForm form, const dag::VoxelScene& scene, const std::filesystem::path& path) {
  if (form == StoredForm::OneFile) write_scene(scene, path);
  if (form == StoredForm::OnePart) write_in_parts(scene, path, 1);
  if (form == StoredForm::Parts) write_in_parts(scene, path, 5);
  if (form == StoredForm::LongNumbers) write_long_numbers(scene, path, [](uint32_t, Words&, auto&) {});
}

}  // namespace vox
