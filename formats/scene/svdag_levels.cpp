#include "formats/scene/groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "libvox/base/error.h"
#include "libvox/base/loops.h"
#include "libvox/dag/node.h"
#include "libvox/dag/verify.h"

namespace vox {
namespace {

using ReadWords = std::function<void(uint64_t first, std::span<uint32_t> to)>;

// Opens the words of a level. If they lie in parts, the virtual dataset has only facts.
h5::Object open_level_words(const h5::Object& svdag, uint32_t level) {
  const h5::Object group = h5::open_group(svdag, level_group_name(level));
  return has_parts(svdag) ? h5::open_virtual_dataset(group, "words") : h5::open_dataset(group, "words");
}

bool has_long_numbers(const h5::Object& words, uint32_t version) {
  if (version == 1) return false;
  const uint32_t bytes = h5::read_attribute<uint32_t>(words, "child_bytes");
  if (bytes != 4 && bytes != 8)
    throw Error(fmt::format("child_bytes is {}, expected 4 or 8", bytes)).at(words.where());
  return bytes == 8;
}

// A node has a header and its child numbers. So a level of n nodes with e child numbers has n + e words in memory, and
// n + 2 e in a file in which these numbers have 8 bytes.
uint64_t shorter(uint64_t words, uint64_t nodes) {
  return nodes + (words - nodes) / 2;
}
uint64_t longer(uint64_t words, uint64_t nodes) {
  return nodes + (words - nodes) * 2;
}

LevelSizes sizes_of(const h5::Object& words, uint32_t version, dag::NodeKind kind) {
  LevelSizes sizes = {h5::words_in(words), h5::read_attribute<uint64_t>(words, "nodes"),
                      h5::read_attribute<uint64_t>(words, "svo_nodes")};
  if (!has_long_numbers(words, version) || kind == dag::NodeKind::Leaf) return sizes;
  if (sizes.words < sizes.nodes || (sizes.words - sizes.nodes) % 2 != 0)
    throw Error(
        fmt::format("{} nodes with child numbers of 8 bytes cannot have {} words", sizes.nodes, sizes.words))
        .at(words.where());
  sizes.words = shorter(sizes.words, sizes.nodes);
  return sizes;
}

// Reads words whose child numbers have 8 bytes in the file.
class LongNumbers {
 public:
  LongNumbers(const SvdagLevel& level, ReadWords in_file)
      : where_(level.where),
        form_(level.form),
        sizes_(level.sizes),
        starts_(level.starts),
        in_file_(std::move(in_file)) {
    if (starts_.size() != (sizes_.nodes + dag::kStartEvery - 1) / dag::kStartEvery || begin_of(0) != 0)
      fail(fmt::format("{} nodes in {} words cannot have these {} starts", sizes_.nodes, in_file_at(runs()),
                       starts_.size()),
           0);
    for (size_t run = 0; run < runs(); ++run) {
      const uint64_t nodes = first_node(run + 1) - first_node(run), words = begin_of(run + 1) - begin_of(run);
      if (begin_of(run + 1) < begin_of(run) || words < nodes || words > nodes * kMostNodeWords)
        fail(fmt::format("the next {} nodes cannot end at word {}", nodes, in_file_at(run + 1)),
             in_file_at(run));
    }
  }

  // Reads whole runs from one start to the next, because only they tell where nodes begin.
  void operator()(uint64_t first, std::span<uint32_t> to) const {
    if (to.empty()) return;
    const uint64_t end = first + to.size();
    const auto run = static_cast<size_t>(std::ranges::upper_bound(starts_, first) - starts_.begin()) - 1;
    const auto end_run = static_cast<size_t>(std::ranges::lower_bound(starts_, end) - starts_.begin());
    const uint64_t begin = in_file_at(run);
    Words from(in_file_at(end_run) - begin);
    in_file_(begin, from);
    uint64_t at = begin_of(run);
    const auto put = [&](uint32_t word) {
      if (at >= first && at < end) to[at - first] = word;
      ++at;
    };
    for (size_t node = 0; node < from.size();) {
      const size_t children = dag::node_words(from[node]) - 1;
      if (2 * children >= from.size() - node) fail("a node reaches beyond the next start", begin + node);
      put(from[node++]);
      for (size_t i = 0; i < children; ++i, node += 2) {
        if (from[node + 1] != 0)
          fail(fmt::format("points to a node of level {} that does not exist", form_.level + 1),
               begin + node);
        put(from[node]);
      }
    }
    if (at != begin_of(end_run))
      fail("the nodes before here are not as many as they should be", in_file_at(end_run));
  }

 private:
  static constexpr uint64_t kMostNodeWords = 9;

  size_t runs() const { return starts_.size(); }
  uint64_t first_node(size_t run) const { return std::min(run * dag::kStartEvery, sizes_.nodes); }
  // Return the word at which a run begins in memory and in the file. The run behind the last one is the end.
  uint64_t begin_of(size_t run) const { return run < runs() ? starts_[run] : sizes_.words; }
  uint64_t in_file_at(size_t run) const { return longer(begin_of(run), first_node(run)); }

  [[noreturn]] void fail(const std::string& problem, uint64_t word) const {
    throw Error(problem).at(where_ + ": " + dag::level_place(form_.level, word));
  }

  std::string where_;
  dag::LevelForm form_;
  LevelSizes sizes_;
  LongWords starts_;
  ReadWords in_file_;
};

}  // namespace

std::vector<LevelSizes> read_level_sizes(const h5::Object& file, uint32_t version,
                                         const dag::FrozenDag& dag) {
  const h5::Object svdag = h5::open_group(file, "svdag");
  std::vector<LevelSizes> sizes;
  for (uint32_t level = 0; level <= dag.depth(); ++level)
    sizes.push_back(sizes_of(open_level_words(svdag, level), version, form_of(dag, level).kind));
  return sizes;
}

std::vector<SvdagLevel> open_levels(const h5::Object& svdag, std::span<const OpenPart> parts,
                                    uint32_t version, const dag::FrozenDag& dag) {
  std::vector<SvdagLevel> levels;
  for (uint32_t number = 0; number <= dag.depth(); ++number) {
    h5::Object words = open_level_words(svdag, number);
    if (const uint64_t nodes = h5::read_attribute<uint64_t>(words, "nodes"); nodes > dag::kMostNodes)
      throw Error(
          fmt::format("has {} nodes, but this program reads levels of at most {}", nodes, dag::kMostNodes))
          .at(words.where())
          .hint("a newer vox may read it");
    const dag::LevelForm form = form_of(dag, number);
    SvdagLevel& level =
        levels.emplace_back(SvdagLevel{svdag.where(), form, sizes_of(words, version, form.kind)});
    const uint64_t in_file = h5::words_in(words);
    if (has_parts(svdag)) {
      level.runs = level_of_parts(parts, number);
      if (level.runs.node_begins.back() != level.sizes.nodes || level.runs.word_begins.back() != in_file)
        throw Error(fmt::format("has {} nodes in {} words, but its parts {} in {}", level.sizes.nodes,
                                in_file, level.runs.node_begins.back(), level.runs.word_begins.back()))
            .at(words.where());
    } else {
      level.runs = {{}, {0, in_file}, {0, level.sizes.nodes}};
      level.runs.words.push_back(std::move(words));
    }
    if (version == 1) continue;
    level.starts =
        h5::read_long_words(h5::open_dataset(h5::open_group(svdag, level_group_name(number)), "starts"));
    for (size_t i = 0; level.has_long_numbers() && i < level.starts.size(); ++i) {
      const uint64_t node = i * dag::kStartEvery, in_memory = shorter(level.starts[i], node);
      if (longer(in_memory, node) != level.starts[i])
        throw Error(fmt::format("node {} cannot start at word {}", node, level.starts[i]))
            .at(fmt::format("{}: level {}", level.where, number));
      level.starts[i] = in_memory;
    }
  }
  return levels;
}

Words words_in_memory(const SvdagLevel& level, Words in_file) {
  if (!level.has_long_numbers()) return in_file;
  const LongNumbers numbers(level, [&](uint64_t first, std::span<uint32_t> to) {
    std::copy_n(in_file.begin() + static_cast<ptrdiff_t>(first), to.size(), to.begin());
  });
  constexpr uint64_t kPiece = 1 << 18;
  Words words(level.sizes.words);
  parallel_for(uint64_t{0}, (words.size() + kPiece - 1) / kPiece, [&](uint64_t piece) {
    const std::span<uint32_t> rest = std::span(words).subspan(piece * kPiece);
    numbers(piece * kPiece, rest.first(std::min<size_t>(rest.size(), kPiece)));
  });
  return words;
}

std::optional<LevelReader> level_reader(const SvdagLevel& level,
                                        std::span<const std::shared_ptr<const ReadFile>> files) {
  std::vector<h5::WordReader> runs;
  LevelReader reader;
  for (size_t i = 0; i < files.size(); ++i) {
    std::optional<h5::WordReader> run = h5::WordReader::open(level.runs.words[i], files[i]);
    if (!run) return std::nullopt;
    reader.piece_words = std::max(reader.piece_words, run->chunk_words());
    runs.push_back(*std::move(run));
  }
  reader.read = [runs = std::move(runs), begins = level.runs.word_begins](uint64_t first,
                                                                          std::span<uint32_t> to) {
    auto run = static_cast<size_t>(std::ranges::upper_bound(begins, first) - begins.begin()) - 1;
    for (; !to.empty(); ++run) {
      const uint64_t count = std::min<uint64_t>(to.size(), begins[run + 1] - first);
      runs[run].read(first - begins[run], to.first(count));
      first += count;
      to = to.subspan(count);
    }
  };
  if (level.has_long_numbers()) reader.read = LongNumbers(level, std::move(reader.read));
  return reader;
}

}  // namespace vox
