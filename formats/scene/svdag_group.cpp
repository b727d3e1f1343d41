// The SVDAG of a scene file, and its symmetric form.
#include "formats/scene/groups.h"

#include <fmt/format.h>

#include "libvox/dag/paged_level.h"
#include "libvox/dag/symmetric_dag.h"
#include "libvox/dag/verify.h"
#include "libvox/hash/keyed/lines_ref.h"
#include "libvox/voxelize/grid.h"

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

dag::FrozenDag read_svdag_group(const h5::Object& file, uint32_t version, dag::FrozenDag dag) {
  const h5::Object svdag = h5::open_group(file, "svdag");
  const std::vector<OpenPart> parts = open_parts(svdag);
  std::vector<uint64_t> sums(parts.size(), dag.levels.size());
  const std::vector<SvdagLevel> levels = open_levels(svdag, parts, version, dag);
  for (uint32_t level = 0; level <= dag.depth(); ++level) {
    const LevelOfParts& runs = levels[level].runs;
    Words words = h5::read_words(runs.words);
    for (size_t i = 0; i < parts.size(); ++i) {
      const uint64_t begin = runs.word_begins[i], count = runs.word_begins[i + 1] - begin;
      sums[i] = sum_with_level(sums[i], std::span(words).subspan(begin, count), runs.node_begins[i]);
    }
    dag.levels[level] = {words_in_memory(levels[level], std::move(words)), levels[level].sizes.nodes,
                         levels[level].sizes.svo_nodes};
  }
  for (size_t i = 0; i < parts.size(); ++i)
    if (sums[i] != parts[i].check)
      throw Error("this part is damaged: its words do not have the check sum that the scene knows it by")
          .at(parts[i].file.file);
  at_place(svdag.where(), [&] {
    if (version == 1) dag::offsets_to_numbers(dag);
    for (uint32_t level = 0; version > 1 && level <= dag.depth(); ++level) {
      dag::DagLevel& here = dag.levels[level];
      here.places = {here.words, form_of(dag, level), here.nodes, levels[level].starts};
    }
    dag::check_structure(dag);
  });
  return dag;
}

std::optional<dag::FrozenDag> page_svdag_group(const h5::Object& file, uint32_t version, dag::FrozenDag dag,
                                               const std::shared_ptr<PagedBudget>& budget) {
  if (version == 1) return std::nullopt;
  const h5::Object svdag = h5::open_group(file, "svdag");
  const std::vector<OpenPart> parts = open_parts(svdag);
  std::vector<std::shared_ptr<const ReadFile>> files;
  for (const OpenPart& part : parts) files.push_back(h5::file_of(part.file));
  if (!has_parts(svdag)) files.push_back(h5::file_of(svdag));
  std::vector<SvdagLevel> levels = open_levels(svdag, parts, version, dag);
  for (uint32_t level = 0; level <= dag.depth(); ++level) {
    std::optional<LevelReader> reader = level_reader(levels[level], files);
    if (!reader) return std::nullopt;
    dag::FiledLevel source = {.where = svdag.where(),
                              .form = form_of(dag, level),
                              .words = levels[level].sizes.words,
                              .nodes = levels[level].sizes.nodes,
                              .svo_nodes = levels[level].sizes.svo_nodes,
                              .nodes_below = level < dag.depth() ? levels[level + 1].sizes.nodes : 0,
                              .starts = std::move(levels[level].starts),
                              .piece_words = reader->piece_words,
                              .read = std::move(reader->read)};
    at_place(svdag.where(), [&] { dag.levels[level] = dag::paged_level(std::move(source), budget); });
  }
  dag.paged = true;
  at_place(svdag.where(), [&] { dag::check_levels(dag); });
  return dag;
}

namespace {

using Lines = hash::LinesRef<uint64_t>;

// In files of version 1 the order of the cells in a bucket says nothing except which cell is the last.
constexpr uint32_t kHashVersion = 2, kUntoldVersion = 1;
constexpr const char* kHashTable = "lines";

constexpr const char* kArithmetic =
    R"(Numbers have 64 bits and wrap around.
key = Morton code of x, y, z, or x + resolution * (y + resolution * z)
mix64(x): x ^= x >> 33; x *= 0xff51afd7ed558ccd; x ^= x >> 33; x *= 0xc4ceb9fe1a85ec53; x ^= x >> 33
block of a key: h = mix64(key / 16 + seed); low = h & 0xffffffff; high = h >> 32; step = 1 + (low * (lines - 1) >> 32)
bucket of turn t: line = ((high * lines >> 32) + t * step) % lines; side = key / 8 + (t < lines ? low >> t % 32 : 1 + (low >> (t - lines) % 32)); 2 * line + (side & 1)
cells of a bucket: cells[8 * bucket] to cells[8 * bucket + 7], each key << 4 | material, all ones where empty, these last
search: for turns 0 to probes - 1, look through the bucket; end with nothing where its last cell is empty
key 2^60 - 1: cells[16 * lines], where apart is 1)";

template <class T>
void require(const h5::Object& group, const std::string& name, T expected) {
  const T value = h5::read_attribute<T>(group, name);
  if (value != expected)
    throw Error(fmt::format("{} is {}, expected {}", name, value, expected))
        .at(group.where())
        .hint("a newer vox may read it");
}

spatial::CellKeyLayout read_layout(const h5::Object& group) {
  const std::string name = h5::read_text(group, "layout");
  for (size_t i = 0; i < spatial::kKeyLayoutNames.size(); ++i)
    if (name == spatial::kKeyLayoutNames[i]) return static_cast<spatial::CellKeyLayout>(i);
  throw Error(fmt::format("has keys in the unknown layout '{}'", name))
      .at(group.where())
      .hint("a newer vox may read it");
}

// Returns the version.
uint32_t read_format(const h5::Object& group) {
  const uint32_t version = h5::read_attribute<uint32_t>(group, "version");
  if (version != kUntoldVersion) require(group, "version", kHashVersion);
  if (const std::string table = h5::read_text(group, "table"); table != kHashTable)
    throw Error(fmt::format("has the table '{}', expected '{}'", table, kHashTable))
        .at(group.where())
        .hint("a newer vox may read it");
  require(group, "key_bits", spatial::kCellFormat.key_bits());
  require(group, "value_bits", spatial::kMaterialBits);
  require(group, "line_cells", Lines::kLineCells);
  require(group, "bucket_cells", Lines::kBucketCells);
  return version;
}

void read_scene_facts(const h5::Object& group, spatial::FrozenHash& hash) {
  hash.keys = {read_layout(group), h5::read_attribute<uint32_t>(group, "resolution")};
  if (hash.resolution() < voxelize::kMinResolution || hash.resolution() > voxelize::kMaxResolution)
    throw Error(fmt::format("the resolution is {}, expected {} to {}", hash.resolution(),
                            voxelize::kMinResolution, voxelize::kMaxResolution))
        .at(group.where());
  const uint32_t bits = h5::read_attribute<uint32_t>(group, "material_bits");
  if (bits != 0 && bits != spatial::kMaterialBits)
    throw Error(fmt::format("has {} bits for each material, expected 0 or 4", bits)).at(group.where());
  hash.materials = bits != 0;
  hash.voxels = h5::read_attribute<uint64_t>(group, "voxels");
  hash.load_factor = h5::read_attribute<double>(group, "load_factor");
  if (!(hash.load_factor > 0 && hash.load_factor <= 1))
    throw Error(fmt::format("the load factor is {}, expected one above 0 and at most 1", hash.load_factor))
        .at(group.where());
}

}  // namespace

void write_hash_group(const h5::Object& file, const spatial::FrozenHash& hash,
                      const Compression& compression) {
  const h5::Object group = h5::create_group(file, "hash");
  h5::write_attribute(group, "version", kHashVersion);
  h5::write_text(group, "table", kHashTable);
  h5::write_text(group, "layout",
                 std::string(spatial::kKeyLayoutNames[static_cast<size_t>(hash.keys.layout)]));
  h5::write_attribute(group, "resolution", hash.resolution());
  h5::write_attribute(group, "material_bits", uint32_t{hash.materials ? spatial::kMaterialBits : 0});
  h5::write_attribute(group, "key_bits", spatial::kCellFormat.key_bits());
  h5::write_attribute(group, "value_bits", uint32_t{spatial::kMaterialBits});
  h5::write_attribute(group, "line_cells", uint32_t{Lines::kLineCells});
  h5::write_attribute(group, "bucket_cells", uint32_t{Lines::kBucketCells});
  h5::write_attribute(group, "voxels", hash.voxels);
  h5::write_attribute(group, "lines", hash.lines);
  h5::write_attribute(group, "seed", hash.seed);
  h5::write_attribute(group, "probes", hash.probes);
  h5::write_attribute(group, "apart", hash.apart);
  h5::write_attribute(group, "load_factor", hash.load_factor);
  h5::write_text(group, "arithmetic", kArithmetic);
  h5::write_words(group, "cells", hash.cells, compression);
}

spatial::FrozenHash read_hash_group(const h5::Object& file) {
  const h5::Object group = h5::open_group(file, "hash");
  spatial::FrozenHash hash;
  const uint32_t version = read_format(group);
  read_scene_facts(group, hash);
  hash.lines = h5::read_attribute<uint64_t>(group, "lines");
  hash.seed = h5::read_attribute<uint64_t>(group, "seed");
  hash.probes = h5::read_attribute<uint32_t>(group, "probes");
  hash.apart = h5::read_attribute<uint32_t>(group, "apart");
  hash.cells = h5::read_long_words(h5::open_dataset(group, "cells"));
  at_place(group.where(), [&] { spatial::check_structure(hash); });
  if (version == kUntoldVersion) spatial::tell_turns(hash);
  return hash;
}

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
