// Tests that docs/results.md lists the fields of vox-bench as the code states them: names, units and sentences. With
// VOX_WRITE_DOCS the test writes the list instead (the target `results_page`).
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>

#include "formats/results/files.h"
#include "tools/vox-bench/reports.h"

namespace vox {
namespace {

struct Section {
  std::string title;
  std::vector<ResultField> fields;
};

// The fields that set_run() sets. All results of benchmarks begin with them.
std::vector<ResultField> fields_of_all() {
  ResultGroup results;
  set_run(results, BenchRun());
  return fields_of(results);
}

template <class Run>
Section section_of(const std::string& command, const Run& run) {
  const std::vector<ResultField> fields = fields_of(results_of(run));
  return {"vox-bench " + command, {fields.begin() + std::ssize(fields_of_all()), fields.end()}};
}

// The fields of every benchmark, and the attributes of every report.
Section section_of_all() {
  std::vector<ResultField> fields = {{"", "/@format", "", "`vox-report`, as in every report."},
                                     {"", "/@version", "", "1, the version of the report's layout."}};
  std::ranges::copy(fields_of_all(), std::back_inserter(fields));
  return {"every benchmark", fields};
}

// Runs that have every value that a run can have. Tables need no rows.

KeysBenchRun keys_run() {
  KeysBenchRun run;
  run.result.ages.emplace_back();
  run.result.failures.emplace_back();
  return run;
}

template <class Run>
Run run_with_kernels() {
  Run run;
  run.result.rows.emplace_back().kernels.emplace_back();
  return run;
}

MatchRun match_run() {
  MatchRun run;
  run.result.match.emplace();
  run.known.emplace();
  return run;
}

std::vector<Section> sections() {
  ResultGroup comparison;
  set_against(comparison, Against());
  return {section_of_all(),
          section_of("hash", HashBenchRun()),
          section_of("keys", keys_run()),
          section_of("intersect", IntersectRun()),
          section_of("convert", run_with_kernels<ConvertBenchRun>()),
          section_of("edit", run_with_kernels<EditBenchRun>()),
          section_of("forms", FormsBenchRun()),
          section_of("match", match_run()),
          section_of("bricks", BricksBenchRun()),
          {"a comparison", fields_of(comparison)}};
}

std::string list_text() {
  std::string text;
  for (const Section& section : sections()) {
    text += "\n### " + section.title + "\n\n";
    if (section.title == "a comparison")
      text += "With `--against`, the results of every benchmark have it.\n\n";
    text += fields_text(section.fields);
  }
  return text + "\n";
}

std::string text_of_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

TEST(ResultsPage, ListsTheFieldsOfAllBenchmarks) {
  const char* docs = std::getenv("VOX_DOCS");
  if (docs == nullptr) GTEST_SKIP() << "VOX_DOCS names no folder";
  const std::string path = std::string(docs) + "/results.md", page = text_of_file(path);
  const std::string begin = "<!-- the fields of vox-bench: begin -->\n",
                    end = "<!-- the fields of vox-bench: end -->\n";
  ASSERT_NE(page.find(begin), std::string::npos);
  ASSERT_NE(page.find(end), std::string::npos);
  const size_t first = page.find(begin) + begin.size();
  const std::string list = list_text();
  if (std::getenv("VOX_WRITE_DOCS") != nullptr) {
    std::ofstream(path, std::ios::binary) << page.substr(0, first) << list << page.substr(page.find(end));
    return;
  }
  const std::vector<std::string> lines = lines_of(page.substr(first, page.find(end) - first)),
                                 stated = lines_of(list);
  EXPECT_EQ(lines.size(), stated.size()) << "the target results_page writes the list";
  for (size_t line = 0; line < std::min(lines.size(), stated.size()); ++line)
    ASSERT_EQ(lines[line], stated[line]) << "the target results_page writes the list";
}

TEST(ResultsPage, EveryFieldOfABenchmarkHasASentence) {
  for (const Section& section : sections()) {
    EXPECT_GT(section.fields.size(), 6u) << section.title;
    for (const ResultField& field : section.fields)
      EXPECT_TRUE(field.about.ends_with('.')) << section.title << ": " << field.json << " " << field.report;
  }
}

}  // namespace
}  // namespace vox
