#include "formats/scene/svdag_group.h"

#include <fmt/format.h>

#include "formats/scene/h5_words.h"
#include "formats/scene/read_parts.h"
#include "libvox/base/error.h"
#include "libvox/dag/structure.h"
#include "libvox/dag/word_offsets.h"

namespace vox {
namespace {

constexpr uint32_t kChildBytes = 4;

void check_version_1(const dag::FrozenDag& dag) {
  for (uint32_t level = 0; level <= dag.depth(); ++level)
    if (dag.levels[level].words.size() >= dag::kMostOffsetWords)
      throw Error(fmt::format("level {} has {} words, but in files of version 1 a level has less than 2^32",
                              level, dag.levels[level].words.size()))
          .hint("version 2 can hold the scene");
}

void write_level_counts(const h5::Object& words, const dag::DagLevel& level) {
  h5::write_attribute(words, "nodes", level.nodes);
  h5::write_attribute(words, "svo_nodes", level.svo_nodes);
}

void write_level_2(const h5::Object& group, const dag::DagLevel& level, const Compression& compression) {
  const h5::Object words = h5::write_words(group, "words", level.words, compression);
  write_level_facts(words, level);
  h5::write_words(group, "starts", level.places.starts(), compression);
}

void check_child_bytes(const h5::Object& words) {
  const uint32_t bytes = h5::read_attribute<uint32_t>(words, "child_bytes");
  if (bytes == 8)
    throw Error("its child pointers have 8 bytes, which this program does not read")
        .at(words.where())
        .hint("a newer vox may read it");
  if (bytes != kChildBytes)
    throw Error(fmt::format("child_bytes is {}, expected {}", bytes, kChildBytes)).at(words.where());
}

// Opens the words of a level. If they lie in parts, the virtual dataset serves other programs only.
h5::Object open_level_words(const h5::Object& svdag, uint32_t level) {
  const h5::Object group = h5::open_group(svdag, level_group_name(level));
  return has_parts(svdag) ? h5::open_virtual_dataset(group, "words") : h5::open_dataset(group, "words");
}

// Reads the words of all levels and, from version 2 on, where nodes start.
using LevelStarts = std::vector<LongWords>;

LevelStarts read_words_of_levels(const h5::Object& svdag, uint32_t version, dag::FrozenDag& dag) {
  LevelStarts starts;
  for (uint32_t level = 0; level <= dag.depth(); ++level) {
    const h5::Object words = open_level_words(svdag, level);
    if (version > 1) check_child_bytes(words);
    dag.levels[level].words = h5::read_words(words);
    if (version == 1) continue;
    const h5::Object group = h5::open_group(svdag, level_group_name(level));
    starts.push_back(h5::read_long_words(h5::open_dataset(group, "starts")));
  }
  return starts;
}

void place_nodes_at(const LevelStarts& starts, dag::FrozenDag& dag) {
  for (uint32_t level = 0; level <= dag.depth(); ++level) {
    dag::DagLevel& here = dag.levels[level];
    here.places = {here.words, form_of(dag, level), here.nodes, starts[level]};
  }
}

void take_parts(std::vector<dag::DagPart> parts, dag::FrozenDag& dag) {
  dag::FrozenDag joined = dag::joined(std::move(parts), dag.resolution, dag.materials);
  for (uint32_t level = 0; level <= dag.depth(); ++level) {
    dag::DagLevel& here = dag.levels[level];
    if (joined.levels[level].nodes != here.nodes)
      throw Error(fmt::format("has {} nodes, but its parts {}", here.nodes, joined.levels[level].nodes))
          .at(fmt::format("level {}", level));
    here.words = std::move(joined.levels[level].words);
    here.places = std::move(joined.levels[level].places);
  }
}

// Runs `body`, which knows only levels, and adds the file's name to its errors.
template <class Body>
void in_group(const h5::Object& svdag, const Body& body) {
  try {
    body();
  } catch (const Cancelled&) {
    throw;
  } catch (const Error& error) {
    throw Error(error.what()).at(svdag.where()).about(error.setting());
  }
}

}  // namespace

std::string level_group_name(uint32_t level) {
  return fmt::format("level_{:02}", level);
}

void write_level_facts(const h5::Object& words, const dag::DagLevel& level) {
  write_level_counts(words, level);
  h5::write_attribute(words, "child_bytes", kChildBytes);
}

void write_svdag_group(const h5::Object& file, const dag::FrozenDag& dag, uint32_t version,
                       const Compression& compression) {
  if (version == 1) check_version_1(dag);
  const h5::Object svdag = h5::create_group(file, "svdag");
  for (uint32_t level = 0; level <= dag.depth(); ++level) {
    const h5::Object group = h5::create_group(svdag, level_group_name(level));
    if (version > 1) {
      write_level_2(group, dag.levels[level], compression);
    } else {
      write_level_counts(h5::write_words(group, "words", dag::words_with_offsets(dag, level), compression),
                         dag.levels[level]);
    }
  }
}

std::vector<LevelSizes> read_level_sizes(const h5::Object& file, uint32_t depth) {
  const h5::Object svdag = h5::open_group(file, "svdag");
  std::vector<LevelSizes> sizes;
  for (uint32_t level = 0; level <= depth; ++level) {
    const h5::Object words = open_level_words(svdag, level);
    sizes.push_back({h5::words_in(words), h5::read_attribute<uint64_t>(words, "nodes"),
                     h5::read_attribute<uint64_t>(words, "svo_nodes")});
  }
  return sizes;
}

dag::FrozenDag read_svdag_group(const h5::Object& file, uint32_t version, dag::FrozenDag dag) {
  const h5::Object svdag = h5::open_group(file, "svdag");
  const std::vector<LevelSizes> sizes = read_level_sizes(file, dag.depth());
  for (uint32_t level = 0; level <= dag.depth(); ++level) {
    dag.levels[level].nodes = sizes[level].nodes;
    dag.levels[level].svo_nodes = sizes[level].svo_nodes;
  }
  if (has_parts(svdag)) {
    for (uint32_t level = 0; level <= dag.depth(); ++level) check_child_bytes(open_level_words(svdag, level));
    std::vector<dag::DagPart> parts = read_scene_parts(svdag, dag);
    in_group(svdag, [&] { take_parts(std::move(parts), dag); });
  } else {
    const LevelStarts starts = read_words_of_levels(svdag, version, dag);
    in_group(svdag, [&] { version == 1 ? dag::offsets_to_numbers(dag) : place_nodes_at(starts, dag); });
  }
  in_group(svdag, [&] { dag::check_structure(dag); });
  return dag;
}

}  // namespace vox
