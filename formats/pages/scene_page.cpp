#include "formats/pages/scene_page.h"

#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <span>
#include <vector>

#include "formats/io/compression.h"
#include "formats/io/output_file.h"
#include "formats/pages/html_page.h"
#include "formats/pages/scene_facts.h"
#include "libvox/attributes/packed_values.h"
#include "libvox/base/error.h"
#include "libvox/base/units.h"
#include "libvox/base/words.h"
#include "libvox/dag/derived.h"
#include "libvox/dag/frozen_dag.h"

namespace vox {
namespace {

constexpr uint64_t kPieceWords = 1 << 20;  // a browser inflates one piece after the other
constexpr int kPageDeflate = 6;            // a page is made once and loaded many times

// The words of a page, and where the parts of its colors begin.
struct PageWords {
  Words words;
  uint64_t heads = 0, blocks = 0, table = 0;
};

// Returns the words of all levels, from the root's down, as rays read them: pointers are word offsets. The colors follow.
PageWords words_of(const dag::VoxelScene& scene) {
  PageWords page;
  Words& words = page.words;
  const auto add = [&](const auto& from) {
    words.insert(words.end(), from.begin(), from.end());
    return words.size() - from.size();
  };
  words.reserve((scene.dag.bytes() + (scene.colors ? scene.colors->bytes() : 0)) / sizeof(uint32_t) + 1);
  for (uint32_t level = 0; level <= scene.dag.depth(); ++level)
    add(dag::words_with_offsets(scene.dag, level));
  if (scene.colors) {
    const attributes::PackedValues& colors = *scene.colors;
    page.heads = add(std::span(reinterpret_cast<const uint32_t*>(colors.groups.data()),
                               colors.groups.size() * sizeof(attributes::ValueGroup) / sizeof(uint32_t)));
    page.blocks = add(colors.words);
    if (!colors.table.empty()) page.table = add(colors.table);
  }
  return page;
}

struct Piece {
  uint64_t words;
  std::string base64;
};

std::vector<Piece> pieces_of(const Words& words) {
  std::vector<Piece> pieces((words.size() + kPieceWords - 1) / kPieceWords);
  tbb::parallel_for(size_t{0}, pieces.size(), [&](size_t i) {
    const uint64_t first = i * kPieceWords, count = std::min(kPieceWords, words.size() - first);
    Deflater deflater(kPageDeflate);
    const Bytes bytes =
        deflater.deflated({reinterpret_cast<const uint8_t*>(words.data() + first), count * sizeof(uint32_t)});
    pieces[i] = {count, to_base64(bytes)};
  });
  return pieces;
}

// The facts about the page's words; formats/pages/viewer/scene.js lists their types.
std::string facts_of(const dag::VoxelScene& scene, uint32_t whole, uint32_t halvings, const PageWords& page,
                     const std::vector<Piece>& pieces, const ScenePageOptions& options) {
  const dag::FrozenDag& dag = scene.dag;
  Json facts;
  set_scene_facts(facts, scene, {whole, halvings}, options);
  facts.set("words", page.words.size());
  if (scene.colors)
    facts.object("colors")
        .set("heads", page.heads)
        .set("blocks", page.blocks)
        .set("table", page.table)
        .set("value_bits", scene.colors->value_bits);
  Json& levels = facts.array("levels");
  uint64_t begin = 0;
  for (uint32_t level = 0; level <= dag.depth(); ++level) {
    levels.append().set("log2", dag::kLeafLog2 + dag.depth() - level).set("begin", begin);
    begin += dag.levels[level].words.size();
  }
  Json& list = facts.array("pieces");
  for (const Piece& piece : pieces) list.append().set("words", piece.words);
  return facts.text();
}

std::string page_text(const std::string& title, const std::string& facts, const std::vector<Piece>& pieces) {
  std::string text = scene_page_begin(title, facts, PageLoads::Nothing);
  uint64_t bytes = text.size() + std::char_traits<char>::length(kViewerScript) + 1024;
  for (const Piece& piece : pieces) bytes += piece.base64.size() + 128;
  text.reserve(bytes);
  for (size_t i = 0; i < pieces.size(); ++i)
    text += fmt::format("<script type=\"text/plain\" id=\"words-{}\">", i) + pieces[i].base64 + "</script>\n";
  return text + scene_page_end(kViewerScript);
}

// Returns how often the scene must certainly be halved, without deflating anything. A coarser level has about
// a quarter of the words of the one before, and deflated words as base64 take at least half of their bytes. The page
// numbers colors with 32 bits.
uint32_t certain_halvings(const dag::VoxelScene& scene, uint64_t most_bytes) {
  uint32_t halvings = 0;
  for (uint64_t bytes = scene.dag.bytes() / 8; bytes > most_bytes; bytes /= 4) ++halvings;
  for (uint64_t voxels = scene.colors ? scene.colors->count : 0; voxels >> 3 * halvings > UINT32_MAX;)
    ++halvings;
  return halvings;
}

}  // namespace

ScenePage make_scene_page(dag::VoxelScene scene, const ScenePageOptions& options) {
  const uint32_t whole = scene.dag.resolution;
  const auto levels = static_cast<uint32_t>(dag::coarser_resolutions(whole).size());
  uint32_t halvings = 0, next = std::min(certain_halvings(scene, options.most_bytes), levels);
  for (;;) {
    if (next > 0) scene = dag::coarser(std::move(scene), next, {.limit = options.memory_limit});
    halvings += next;
    const PageWords words = words_of(scene);
    const std::vector<Piece> pieces = pieces_of(words.words);
    std::string text =
        page_text(options.title, facts_of(scene, whole, halvings, words, pieces, options), pieces);
    const bool is_numbered = !scene.colors || scene.colors->count <= UINT32_MAX;
    if (text.size() <= options.most_bytes && is_numbered)
      return {std::move(text), scene.dag.resolution, halvings};
    if (halvings == levels)
      throw Error(fmt::format("the page has at least {} bytes, but the limit is {}",
                              format_count(text.size()), format_count(options.most_bytes)))
          .hint("raise --page-limit");
    next = 1;
  }
}

void write_scene_page(const ScenePage& page, const std::filesystem::path& path) {
  OutputFile file(path);
  file.write(page.text);
  file.commit();
}

}  // namespace vox
