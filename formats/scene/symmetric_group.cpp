#include <fmt/format.h>

#include "formats/scene/groups.h"
#include "formats/scene/h5_words.h"
#include "libvox/dag/symmetric_dag.h"

namespace vox {
namespace {

constexpr uint32_t kSymmetricVersion = 1;

h5::Object open_symmetric(const h5::Object& file) {
  h5::Object group = h5::open_group(file, "symmetric");
  if (const auto version = h5::read_attribute<uint32_t>(group, "version"); version != kSymmetricVersion)
    throw Error(fmt::format("has version {}, but this program reads {}", version, kSymmetricVersion))
        .at(group.where())
        .hint("a newer vox may read it");
  return group;
}

h5::Object open_symmetric_words(const h5::Object& symmetric, uint32_t level) {
  return h5::open_dataset(h5::open_group(symmetric, level_group_name(level)), "words");
}

}  // namespace

void write_symmetric_group(const h5::Object& file, const dag::SymmetricDag& dag,
                           const Compression& compression) {
  const h5::Object symmetric = h5::create_group(file, "symmetric");
  h5::write_attribute(symmetric, "version", kSymmetricVersion);
  for (uint32_t level = 0; level <= dag.depth(); ++level) {
    const dag::SymmetricLevel& from = dag.levels[level];
    const h5::Object words = h5::write_words(h5::create_group(symmetric, level_group_name(level)), "words",
                                             from.words, compression);
    h5::write_attribute(words, "nodes", from.nodes);
    h5::write_attribute(words, "plain_nodes", from.plain_nodes);
    h5::write_attribute(words, "plain_words", from.plain_words);
    h5::write_attribute(words, "svo_nodes", from.svo_nodes);
  }
}

dag::SymmetricDag read_symmetric_group(const h5::Object& file, const dag::FrozenDag& facts) {
  const h5::Object symmetric = open_symmetric(file);
  const auto fail = [&](const std::string& problem) { throw Error(problem).at(symmetric.where()); };
  if (facts.materials) fail("the scene states materials, which this form cannot hold");
  dag::SymmetricDag dag = {
      .resolution = facts.resolution, .voxels = facts.voxels, .digest = facts.digest, .levels = {}};
  for (uint32_t level = 0; level <= facts.depth(); ++level) {
    const h5::Object words = open_symmetric_words(symmetric, level);
    dag::SymmetricLevel& to = dag.levels.emplace_back();
    to.nodes = h5::read_attribute<uint64_t>(words, "nodes");
    to.plain_nodes = h5::read_attribute<uint64_t>(words, "plain_nodes");
    to.plain_words = h5::read_attribute<uint64_t>(words, "plain_words");
    to.svo_nodes = h5::read_attribute<uint64_t>(words, "svo_nodes");
    if (to.plain_nodes > dag::kMostNodes)
      fail(fmt::format("level {} stands for {} nodes, but this program reads at most {}", level,
                       to.plain_nodes, dag::kMostNodes));
    to.words = h5::read_words(words);
  }
  at_place(symmetric.where(), [&] { dag::place_nodes(dag); });
  return dag;
}

dag::FrozenDag expanded_symmetric_group(const h5::Object& file, const dag::FrozenDag& facts) {
  const dag::SymmetricDag dag = read_symmetric_group(file, facts);
  return at_place(h5::open_group(file, "symmetric").where(), [&] { return dag::expanded(dag); });
}

std::vector<LevelSizes> read_plain_sizes(const h5::Object& file, const dag::FrozenDag& facts) {
  const h5::Object symmetric = open_symmetric(file);
  std::vector<LevelSizes> sizes;
  for (uint32_t level = 0; level <= facts.depth(); ++level) {
    const h5::Object words = open_symmetric_words(symmetric, level);
    sizes.push_back({h5::read_attribute<uint64_t>(words, "plain_words"),
                     h5::read_attribute<uint64_t>(words, "plain_nodes"),
                     h5::read_attribute<uint64_t>(words, "svo_nodes")});
  }
  return sizes;
}

SymmetricSize symmetric_size_of(const h5::Object& file, const dag::FrozenDag& facts) {
  const h5::Object symmetric = open_symmetric(file);
  SymmetricSize size;
  for (uint32_t level = 0; level <= facts.depth(); ++level) {
    const h5::Object words = open_symmetric_words(symmetric, level);
    size.nodes += h5::read_attribute<uint64_t>(words, "nodes");
    size.bytes += h5::words_in(words) * sizeof(uint32_t);
  }
  return size;
}

}  // namespace vox
