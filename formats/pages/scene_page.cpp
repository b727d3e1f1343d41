#include "formats/pages/scene_page.h"

#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <vector>

#include "formats/io/compression.h"
#include "formats/io/output_file.h"
#include "formats/pages/html_page.h"
#include "libvox/base/error.h"
#include "libvox/base/json.h"
#include "libvox/base/units.h"
#include "libvox/dag/derived.h"
#include "libvox/dag/frozen_dag.h"
#include "libvox/dag/parts.h"
#include "libvox/render/render.h"

namespace vox {
namespace {

constexpr uint64_t kPieceWords = 1 << 20;  // a browser inflates one piece after the other
constexpr int kPageDeflate = 6;            // a page is made once and loaded many times

// Returns the words of all levels, from the root's down, as rays read them: pointers are word offsets.
Words words_of(const dag::FrozenDag& dag) {
  Words words;
  words.reserve(dag.bytes() / sizeof(uint32_t));
  for (uint32_t level = 0; level <= dag.depth(); ++level) {
    const Words of_level = dag::words_with_offsets(dag, level);
    words.insert(words.end(), of_level.begin(), of_level.end());
  }
  return words;
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

// The facts that the page's program gets about the scene; viewer/scene.js lists their types.
std::string facts_of(const dag::VoxelScene& scene, uint32_t whole, uint32_t halvings,
                     const std::vector<Piece>& pieces, const ScenePageOptions& options) {
  const dag::FrozenDag& dag = scene.dag;
  Json facts;
  facts.set("title", options.title)
      .set("shown", shown_text(scene, whole, options.part))
      .set("command", options.command)
      .set("digest", dag::to_string(dag.digest))
      .set("start", start_text(options, dag.side(), halvings))
      .set("resolution", dag.resolution)
      .set("log2_side", dag::kLeafLog2 + dag.depth())
      .set("words", dag.bytes() / sizeof(uint32_t))
      .set("has_materials", dag.materials)
      .set("voxel_size", scene.voxel_size)
      .set("unit", scene.unit == scene::LengthUnit::Metre ? "m" : "")
      .set("voxels", dag.voxels);
  Json& levels = facts.array("levels");
  uint64_t begin = 0;
  for (uint32_t level = 0; level <= dag.depth(); ++level) {
    levels.append().set("log2", dag::kLeafLog2 + dag.depth() - level).set("begin", begin);
    begin += dag.levels[level].words.size();
  }
  Json& list = facts.array("pieces");
  for (const Piece& piece : pieces) list.append().set("words", piece.words);
  const VoxelBox filled = dag.voxels > 0 ? dag::filled_box(dag) : VoxelBox{{0, 0, 0}, {1, 1, 1}};
  set_point(facts.object("low"), filled.min);
  set_point(facts.object("high"), filled.max);
  set_point(facts.object("origin"), scene.origin);
  set_color(facts.object("sky"), render::kSky);
  Json& skies = facts.array("skies");
  for (const scene::Rgb8 sky : {render::kHorizon, render::kZenith, render::kNadir})
    set_color(skies.append(), sky);
  set_palette(facts.array("palette"), scene);
  Json& ramp = facts.array("ramp");
  for (uint32_t i = 0; i < render::kRampColors; ++i) set_color(ramp.append(), render::ramp_color(i));
  return facts.text();
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

// The policy keeps the page from loading anything, whatever its texts hold.
std::string page_text(const std::string& title, const std::string& facts, const std::vector<Piece>& pieces) {
  std::string text = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n{}"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src "
      "'unsafe-inline'; "
      "style-src 'unsafe-inline'; img-src data: blob:\">\n"
      "<title>{}</title>\n<style>{}</style>\n</head>\n<body>\n{}\n"
      "<script type=\"application/json\" id=\"facts\">{}</script>\n",
      kPageMark, escape_html(title), kViewerStyle, kViewerBody, for_script(facts));
  uint64_t bytes = text.size() + std::char_traits<char>::length(kViewerScript) + 1024;
  for (const Piece& piece : pieces) bytes += piece.base64.size() + 128;
  text.reserve(bytes);
  for (size_t i = 0; i < pieces.size(); ++i)
    text += fmt::format("<script type=\"text/plain\" id=\"words-{}\">", i) + pieces[i].base64 + "</script>\n";
  text += "<script type=\"module\">";
  text += kViewerScript;
  return text + "</script>\n</body>\n</html>\n";
}

// Returns how often the scene must certainly be halved, without deflating anything. A coarser level has about
// a quarter of the words of the one before, and deflated words as base64 take at least half of their bytes.
uint32_t certain_halvings(const dag::FrozenDag& dag, uint64_t most_bytes) {
  uint32_t halvings = 0;
  for (uint64_t bytes = dag.bytes() / 8; bytes > most_bytes; bytes /= 4) ++halvings;
  return halvings;
}

}  // namespace

ScenePage make_scene_page(dag::VoxelScene scene, const ScenePageOptions& options) {
  const uint32_t whole = scene.dag.resolution;
  const auto levels = static_cast<uint32_t>(dag::coarser_resolutions(whole).size());
  uint32_t halvings = 0, next = std::min(certain_halvings(scene.dag, options.most_bytes), levels);
  for (;;) {
    if (next > 0) scene = dag::coarser(std::move(scene), next, options.memory_limit);
    halvings += next;
    const std::vector<Piece> pieces = pieces_of(words_of(scene.dag));
    std::string text = page_text(options.title, facts_of(scene, whole, halvings, pieces, options), pieces);
    if (text.size() <= options.most_bytes) return {std::move(text), scene.dag.resolution, halvings};
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
