#include "tools/vox-bench/reports.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <tuple>
#include <utility>

namespace vox {
namespace {

constexpr const char* kMolenaar = "Molenaar & Eisemann 2024";
constexpr const char* kGarcia = "García et al. 2011";
constexpr const char* kAlcantara = "Alcantara et al. 2009";
constexpr const char* kLabschuetz = "Labschütz";
constexpr const char* kJaspe = "Jaspe Villanueva et al. 2016";

constexpr const char* kRtx4080 = "AMD 7950X3D, NVIDIA RTX 4080";
constexpr const char* kGtx480 = "NVIDIA GTX 480";
constexpr const char* kGtx280 = "NVIDIA GTX 280";
constexpr const char* kTitanX = "Intel i7-4770K, NVIDIA GTX TITAN X";
constexpr const char* kAnyMachine = "any";

// The values that a row has in some columns: words, or numbers as text.
using RowValues = std::vector<std::pair<std::string, std::string>>;

bool has_values(const ResultRow& row, const RowValues& values) {
  return std::ranges::all_of(values, [&](const auto& wanted) {
    const auto& [column, value] = wanted;
    if (!row.has(column)) return false;
    char* end = nullptr;
    const double number = std::strtod(value.c_str(), &end);
    return *end == '\0' ? row.number(column) == number : row.word(column) == value;
  });
}

using Figure = std::function<std::optional<double>(const ResultRows&)>;
using FigureOfRow = std::function<double(const ResultRow&)>;

// The figure of the last row with these values, which is the largest if the rows differ by their sizes.
Figure of_row(RowValues values, FigureOfRow figure) {
  return [values = std::move(values), figure = std::move(figure)](const ResultRows& rows) {
    std::optional<double> found;
    for (const ResultRow& row : rows)
      if (has_values(row, values) && row.has("ms") && row.number("ms") > 0) found = figure(row);
    return found;
  };
}

// The mean of a figure over all rows with these values.
Figure mean_of_rows(RowValues values, FigureOfRow figure) {
  return [values = std::move(values), figure = std::move(figure)](const ResultRows& rows) {
    double sum = 0;
    uint64_t count = 0;
    for (const ResultRow& row : rows) {
      if (!has_values(row, values) || !row.has("ms")) continue;
      sum += figure(row);
      ++count;
    }
    return count == 0 ? std::nullopt : std::optional(sum / static_cast<double>(count));
  };
}

constexpr const char* kMillionsPerSecond = "M/s";

double millions_of_items(const ResultRow& row) {
  return row.number("items") / row.number("ms") * 1e-3;
}

double milliseconds_of(const ResultRow& row) {
  return row.number("ms");
}

// Table 2 of Molenaar & Eisemann 2024 states the milliseconds of 2^23 items.
PublishedFigure row_of_table2(const char* op, const char* table, double ms) {
  constexpr double kItems = 1 << 23;
  RowValues values = {{"table", table}, {"op", op}, {"item_words", "6"}};
  std::string where = std::string("Table 2: ") + op + ", 6 words, " + table;
  if (op == std::string("search")) {
    values.emplace_back("hit_rate", "50");
    where += ", half of them found";
  }
  return {where, kItems / ms * 1e-3, kMillionsPerSecond, kRtx4080,
          of_row(std::move(values), millions_of_items)};
}

// The paper states up to how many items a search compares in vain.
PublishedFigure false_candidates() {
  return {"§6.1: items compared in vain for a search, accel8, up to", 0.21, "items", kRtx4080,
          of_row({{"table", "accel8"}, {"op", "search"}, {"item_words", "6"}, {"hit_rate", "25"}},
                 [](const ResultRow& row) { return row.number("false_candidates"); })};
}

PublishedFigure rate_of_keys(const char* where, double millions, RowValues values) {
  return {where, millions, kMillionsPerSecond, kGtx480,
          of_row(std::move(values), [](const ResultRow& row) { return row.number("per_second") * 1e-6; })};
}

// The mean factor by which compiled code is faster than access through the root grid, over all filters.
std::optional<double> compiled_gain(const ResultRows& rows) {
  double sum = 0;
  uint64_t count = 0;
  for (const ResultRow& compiled : rows) {
    if (!has_values(compiled, {{"access", "jit"}, {"loop", "mean"}})) continue;
    for (const ResultRow& direct : rows) {
      const bool same = has_values(direct, {{"access", "direct"}, {"loop", "mean"}}) &&
                        direct.word("types") == compiled.word("types") &&
                        direct.number("brick_size") == compiled.number("brick_size") &&
                        direct.number("filter") == compiled.number("filter");
      if (!same) continue;
      sum += direct.number("ms") / compiled.number("ms");
      ++count;
    }
  }
  return count == 0 ? std::nullopt : std::optional(sum / static_cast<double>(count));
}

// The size of a form in per cent of another one's, at the finest resolution.
PublishedFigure share_of_form(const char* where, double percent, const char* machine, const char* form,
                              const char* whole) {
  const auto bytes = [](const ResultRows& rows, const char* name) {
    double found = 0;
    for (const ResultRow& row : rows)
      if (row.word("form") == name) found = row.number("bytes");
    return found;
  };
  return {where, percent, "%", machine, [=](const ResultRows& rows) -> std::optional<double> {
            const double all = bytes(rows, whole);
            return all > 0 ? std::optional(100 * bytes(rows, form) / all) : std::nullopt;
          }};
}

std::vector<BenchPart> hash_parts() {
  std::vector<PublishedFigure> published;
  for (const auto& [table, insertion, search] : {std::tuple{"atomic64", 9.8, 7.7},
                                                 {"ticket", 6.4, 20.4},
                                                 {"accel32", 6.8, 4.9},
                                                 {"accel8", 7.1, 6.4}}) {
    published.push_back(row_of_table2("insert", table, insertion));
    published.push_back(row_of_table2("search", table, search));
  }
  published.push_back(false_candidates());
  return {{"table2", kMolenaar, "hash", "--item-words 1,2,6,10", "", std::move(published)},
          {"figure8", kMolenaar, "hash --figure8 --tables atomic64,ticket,accel32,accel8,sector",
           "--scale 1/256", ""}};
}

std::vector<BenchPart> edits_parts() {
  // The radii of spheres follow the resolution; those of the paper are at 128K³.
  constexpr double kLeastRadius = 1140;
  const auto spheres = [](const char* where, double ms) {
    const auto mean =
        mean_of_rows({{"series", "spheres"}, {"order", "sequence"}, {"table", "sector"}}, milliseconds_of);
    return PublishedFigure{where, ms, "ms", kRtx4080, [=](ResultRows rows) {
                             std::erase_if(rows, [&](const ResultRow& row) {
                               return !row.has("size") || row.number("size") < kLeastRadius;
                             });
                             return mean(rows);
                           }};
  };
  return {{"figure9",
           kMolenaar,
           "edit --profile --series spheres,copies --repetitions 1",
           "--res 1K",
           "--res 128K",
           {spheres("Figure 9: spheres in Citadel without materials, 128K³, the best table", 15),
            spheres("Figure 9: the same with materials", 18),
            spheres("§6.2: HashDAG on 32 threads, without copying", 52.6)}},
          {"edits_of_tables",
           kMolenaar,
           "edit --tables all --series spheres,copies --repetitions 1",
           "--res 1K",
           "--res 32K",
           {}},
          {"garbage", kMolenaar, "edit --series gc", "--res 1K", ""},
          {"rays", kMolenaar, "rays --bounces 6", "", ""}};
}

std::vector<BenchPart> keys_parts() {
  // Fewer load factors and keys for a processor: tables that are nearly full take long there.
  const std::string few = "--scale 1/512", few_loads = few + " --load-factors 0.5,0.7,0.85",
                    one_load = few + " --load-factors 0.85";
  const auto figure = [](const char* name, const char* paper, const std::string& number,
                         std::vector<PublishedFigure> published = {},
                         const std::string& small = "") -> BenchPart {
    return {name, paper, "keys --figure " + number, small, "", std::move(published)};
  };
  return {
      figure("ages", kGarcia, "3"),
      figure("maximum_ages", kGarcia, "4"),
      figure(
          "numbers_of_keys", kGarcia, "5",
          {rate_of_keys("Figure 5: insertion of 16 M random keys at 0.8, coherent", 249,
                        {{"table", "robin"}, {"op", "build"}}),
           rate_of_keys("the same, Alcantara et al. 2009", 268,
                        {{"table", "cuckoo2009-sized"}, {"op", "build"}}),
           rate_of_keys("the same, Alcantara et al. 2011", 318, {{"table", "cuckoo2011"}, {"op", "build"}})}),
      figure("building", kGarcia, "6",
             {rate_of_keys("Figure 6: insertion of an image at 0.85, coherent", 368,
                           {{"table", "robin"}, {"set", "image"}, {"load_factor", "0.85"}}),
              rate_of_keys("the same, random probes", 142,
                           {{"table", "robin-random"}, {"set", "image"}, {"load_factor", "0.85"}})},
             few_loads),
      figure("searching", kGarcia, "7",
             {rate_of_keys("Figure 7: retrieval of an image at 0.85, coherent", 5324,
                           {{"table", "robin"}, {"set", "image"}, {"load_factor", "0.85"}})},
             few_loads),
      figure("sectors", kGarcia, "8", {}, few_loads),
      figure("sectors_at_085", kGarcia, "9", {}, few),
      figure("layouts", kGarcia, "10", {}, one_load),
      figure("painting", kGarcia, "11", {}, "--load-factors 0.85"),
      figure("slices", kGarcia, "12", {}, one_load),
      figure("finer_voxels", kAlcantara, "a3", {}, few),
      figure("random_voxels", kAlcantara, "a4", {}, few),
      {"steps", kAlcantara, "keys --figure a5 --profile", few, ""},
      figure("several_values", kAlcantara, "a6", {}, few),
      {"failures", kAlcantara,
       "keys --tables cuckoo2009,cuckoo2009-sized,cuckoo2011,robin --sets random --ops build --load-factors "
       "0.71",
       "--failures 100 --failure-keys 100K", "--failures 2000 --failure-keys 1M"},
      {"surfaces", kAlcantara, "intersect --tables all", "--frames 20", ""},
      {"boolean",
       kAlcantara,
       "intersect --boolean union --triangles 160K --res 128",
       "",
       "",
       {{"§6: frames a second, 160,000 points, 128³, with drawing", 27, "1/s", kGtx280,
         [](const ResultRows& rows) -> std::optional<double> {
           const auto ms = mean_of_rows({}, milliseconds_of)(rows);
           return ms && *ms > 0 ? std::optional(1e3 / *ms) : std::nullopt;
         }}}},
      {"matching", kAlcantara, "match --tables all", "", "--frames 100 --query-bases 4096"}};
}

std::vector<BenchPart> bricks_parts() {
  return {{"volumes",
           kLabschuetz,
           "bricks --access direct,kd,jit",
           "--filters 3,5",
           "--filters 3,5,7",
           {{"§6.2: mean gain of compiled code in mean filters", 1.29, "times", kTitanX, compiled_gain}}},
          {"trade_off", kLabschuetz, "bricks --brick-sizes 16 --trade-off 17 --access direct --filters 3", "",
           ""}};
}

std::vector<BenchPart> scenes_parts() {
  return {{"limits", "", "machine", "", ""},
          {"conversion", "", "convert", "", ""},
          {"forms", "", "forms", "", ""},
          {"compression",
           "",
           "compression",
           "--res 256,512,1K,2K",
           "--res 1K,2K,4K,8K,16K,32K",
           {share_of_form("Molenaar & Eisemann 2024, §6.2: SVDAG of the octree, Citadel 128K³", 6.5,
                          kAnyMachine, "svdag_4", "octree_4"),
            share_of_form("Jaspe Villanueva et al. 2016: USSVDAG of the SVDAG, about", 80, kAnyMachine,
                          "ussvdag", "svdag_4"),
            share_of_form("Jaspe Villanueva et al. 2016: SSVDAG of the SVDAG, about", 52, kAnyMachine,
                          "ssvdag", "svdag_4")}}};
}

}  // namespace

std::vector<BenchPart> bench_parts() {
  std::vector<BenchPart> all;
  for (auto* const parts : {hash_parts, edits_parts, keys_parts, bricks_parts, scenes_parts})
    std::ranges::move(parts(), std::back_inserter(all));
  return all;
}

std::vector<OtherFigure> other_figures() {
  return {
      {kMolenaar, "Figure 1: spheres in a scene, as a picture",
       "vox-edit S.h5 --script spheres.txt -o edited.h5; vox-render edited.h5"},
      {kMolenaar, "Table 1: memory of the tables of a scene", "vox-stats S.h5 --tables all --only memory"},
      {kMolenaar, "Figure 7: vegetation, as a picture", "vox-render san-miguel.h5"},
      {kGarcia, "Figures 1 and 4: pictures of tables and ages",
       "vox-bench keys --figure 1 --drawn tables.png; vox-bench keys --figure 4 --ages ages.png"},
      {kAlcantara, "Figure 1: a surface in buckets, as a picture",
       "vox-bench keys --figure a1 --drawn tables.png"},
      {kLabschuetz, "Tables 6.1 and 6.3, Figure 6.1: memory of bricks", "vox-stats V.h5 --only bricks"},
      {kLabschuetz, "Figures 6.6 and 6.7: pictures of volumes", "vox-render V.h5 --shade type"},
      {kJaspe, "sizes of a scene of one's own", "vox-stats S.h5 --only compression"}};
}

}  // namespace vox
