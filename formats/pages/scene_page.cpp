#include "formats/pages/scene_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "formats/io/compression.h"
#include "formats/io/output_file.h"
#include "formats/io/read_file.h"
#include "formats/pages/html_page.h"
#include "libvox/attributes/packed_values.h"
#include "libvox/base/error.h"
#include "libvox/base/loops.h"
#include "libvox/base/paged_memory.h"
#include "libvox/base/units.h"
#include "libvox/dag/derived.h"
#include "libvox/dag/frozen_dag.h"
#include "libvox/dag/walk.h"
#include "libvox/render/render.h"

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
  parallel_for(size_t{0}, pieces.size(), [&](size_t i) {
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

void set_point(Json& json, auto point) {
  json.set("x", point.x).set("y", point.y).set("z", point.z);
}
void set_color(Json& json, scene::Rgb8 color) {
  json.set("r", color.r).set("g", color.g).set("b", color.b);
}

void set_palette(Json& list, const dag::VoxelScene& scene) {
  const uint32_t used = scene.dag.materials ? scene.palette.count : 1;
  for (uint32_t i = 0; i < used; ++i) {
    Json& entry = list.append();
    entry.set("name", i < scene.palette.count ? scene.palette.names[i] : "voxels")
        .set("share", scene.shares[i]);
    set_color(entry, render::material_color(scene.palette, i));
  }
}

std::string cube_text(uint32_t resolution) {
  return fmt::format("{}\u00b3", resolution);
}

// Describes the shown scene, and the whole scene if that is larger.
std::string shown_text(const dag::VoxelScene& scene, uint32_t whole, const std::string& part) {
  std::string count =
      fmt::format("{} in {}", format_count(scene.dag.voxels, "voxel"), cube_text(scene.dag.resolution));
  if (!part.empty()) count += "; " + part;
  if (scene.dag.resolution == whole) return count;
  return fmt::format("{}; the scene has {}, and this is the finest level that fits into the page", count,
                     cube_text(whole));
}

// The first view, as viewer/settings.js reads it. A box is in voxels of the page, whose scene may be a coarser level.
std::string start_text(const ScenePageOptions& options, uint32_t side, uint32_t halvings) {
  std::string text = options.start;
  if (!options.first_box) return text;
  const auto [min, max] = *options.first_box;
  const auto add = [&](char axis, int32_t from, int32_t to) {
    const int64_t low = from >> halvings, high = (int64_t{to} + (int64_t{1} << halvings) - 1) >> halvings;
    if (low > 0 || high < side) text += fmt::format("&{}={}..{}", axis, low, high);
  };
  add('x', min.x, max.x);
  add('y', min.y, max.y);
  add('z', min.z, max.z);
  return text;
}

// Returns JSON for use in a script element. A "<", which only occurs in strings, could end the element.
std::string for_script(const std::string& json) {
  std::string text;
  for (const char c : json)
    if (c == '<')
      text += "\\u003c";
    else
      text += c;
  return text;
}

// The policy keeps the page from loading anything else, whatever its texts hold.
std::string policy_text(PageLoads loads) {
  std::string policy =
      "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:";
  if (loads == PageLoads::ItsFolder) policy += "; connect-src 'self'";
  return policy;
}

namespace fs = std::filesystem;

constexpr int kChunkDeflate = 2;  // equal words give equal bytes, which the fastest level does not promise
constexpr std::string_view kPageName = "index.html", kFactsName = "scene.json", kChunkFolder = "chunks",
                           kChunkExtension = ".voxc";
constexpr std::string_view kStreamFormat = "vox scene stream 1";

fs::path chunk_path(const std::string& name) {
  return fs::path(kChunkFolder) / name.substr(0, 2) / (name + std::string(kChunkExtension));
}

bool is_chunk_path(const fs::path& relative) {
  const std::string name = relative.stem().string();
  const auto is_digit = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
  return name.size() == 32 && std::ranges::all_of(name, is_digit) && relative == chunk_path(name);
}

// A file that cannot be read is not known to be vox's. Its other pages hold no such facts as scene.json and a page of
// chunks do.
bool is_stream_file(const fs::path& folder, const fs::path& relative) {
  if (is_chunk_path(relative)) return true;
  if (relative != kPageName && relative != kFactsName) return false;
  try {
    const MappedFile file(folder / relative);
    const bool is_page = relative == kPageName;
    return (!is_page || is_page_of_vox(file.text())) &&
           file.text().substr(0, is_page ? file.text().npos : 100).find(kStreamFormat) != file.text().npos;
  } catch (const Error&) {
    return false;
  }
}

std::string facts_text(const dag::VoxelScene& scene, const ChunkTotals& totals,
                       const std::optional<ColorTotals>& colors, const SceneStreamOptions& options) {
  Json facts;
  facts.set("format", kStreamFormat);
  facts.set("top", dag::to_string(totals.top))
      .set("chunks", totals.chunks)
      .set("chunk_words", totals.words)
      .set("references", totals.references)
      .set("page_memory", options.page_memory);
  if (colors) {
    Json& object = facts.object("colors");
    object.set("index", dag::to_string(colors->index)).set("words", colors->words);
    Json& levels = object.array("levels");
    for (const uint64_t chunks : colors->levels) levels.append().set("chunks", chunks);
  }
  set_scene_facts(facts, scene, {scene.dag.resolution, 0}, options.page);
  return facts.text() + "\n";
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

void set_scene_facts(Json& facts, const dag::VoxelScene& scene, const ShownLevel& shown,
                     const ScenePageOptions& options) {
  const dag::FrozenDag& dag = scene.dag;
  facts.set("title", options.title)
      .set("shown", shown_text(scene, shown.whole, options.part))
      .set("command", options.command)
      .set("digest", dag::to_string(dag.digest))
      .set("start", start_text(options, dag.side(), shown.halvings))
      .set("resolution", dag.resolution)
      .set("log2_side", dag::kLeafLog2 + dag.depth())
      .set("has_materials", dag.materials)
      .set("voxel_size", scene.voxel_size.shortest())
      .set("unit", scene.unit == scene::LengthUnit::Meter ? "m" : "")
      .set("voxels", dag.voxels);
  const VoxelBox filled = dag.voxels > 0 ? dag::filled_box(dag) : VoxelBox{{0, 0, 0}, {1, 1, 1}};
  set_point(facts.object("low"), filled.min);
  set_point(facts.object("high"), filled.max);
  set_point(facts.object("origin"), scene.origin);
  set_point(facts.object("sides"), scene.voxel_size.shape());
  set_color(facts.object("sky"), render::kSky);
  Json& skies = facts.array("skies");
  for (const scene::Rgb8 sky : {render::kHorizon, render::kZenith, render::kNadir})
    set_color(skies.append(), sky);
  set_palette(facts.array("palette"), scene);
  Json& ramp = facts.array("ramp");
  for (uint32_t i = 0; i < render::kRampColors; ++i) set_color(ramp.append(), render::ramp_color(i));
}

std::string scene_page_begin(const std::string& title, const std::string& facts, PageLoads loads) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n{}"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n"
      "<title>{}</title>\n<style>{}</style>\n</head>\n<body>\n{}\n"
      "<script type=\"application/json\" id=\"facts\">{}</script>\n",
      kPageMark, policy_text(loads), escape_html(title), kViewerStyle, kViewerBody, for_script(facts));
}

std::string scene_page_end(const char* script) {
  std::string text = "<script type=\"module\">";
  text += script;
  return text + "</script>\n</body>\n</html>\n";
}

fs::path folder_of_chunks(const fs::path& path) {
  fs::path folder = path.parent_path();
  if (path.filename() != kFactsName || folder.empty() || folder == "." || folder == "..")
    throw UsageError(fmt::format(
        "-o is '{}', expected scene.json (chunks) or tileset.json (3D Tiles) in a folder of its own, such as "
        "chunks/{}, or a name that ends in .voxel.json",
        path.string(), kFactsName));
  return folder;
}

void check_stream_folder(const fs::path& folder, Overwrite overwrite) {
  const OutputFolder output(folder, is_stream_file, overwrite);
}

SceneStream write_scene_stream(const dag::VoxelScene& scene, const fs::path& folder,
                               const SceneStreamOptions& options) {
  OutputFolder output(folder, is_stream_file, options.overwrite);
  const auto write_chunk = [&](const dag::Digest& name, std::span<const uint32_t> words) {
    Deflater deflater(kChunkDeflate);
    const Bytes bytes =
        deflater.deflated({reinterpret_cast<const uint8_t*>(words.data()), words.size_bytes()});
    output.write(chunk_path(dag::to_string(name)),
                 {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  };
  const bool has_colors = options.index == StreamPage::Written && scene.colors && !scene.dag.empty();
  const ChunkTotals totals = cut_into_chunks(scene, options.limits, has_colors, write_chunk);
  std::optional<ColorTotals> colors;
  if (has_colors) colors = cut_into_color_chunks(*scene.colors, write_chunk);
  const uint64_t chunks = output.files();
  const std::string facts = facts_text(scene, totals, colors, options);
  output.write(kFactsName, facts);
  if (options.index == StreamPage::Written)
    output.write(kPageName, scene_page_begin(options.page.title, facts, PageLoads::ItsFolder) +
                                scene_page_end(kStreamScript));
  output.commit();
  return {output.files(), chunks, output.bytes()};
}

}  // namespace vox
