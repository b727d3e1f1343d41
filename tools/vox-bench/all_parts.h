// The parts of `vox-bench all`: the commands that it runs, and the papers' figures for comparison.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "formats/results/views.h"

namespace vox {

// A figure of a paper.
struct PublishedFigure {
  std::string where;  // its place and subject: "Table 2: insertion, 6 words, atomic64"
  double value = 0;   // in the unit above
  std::string unit;
  std::string machine;
  // Returns the same figure from the rows of the part's command, if they have it.
  std::function<std::optional<double>(const ResultRows&)> here;
};

// One run of a command of vox-bench. Its sizes are for a processor of two cores, or for a GPU.
struct BenchPart {
  std::string name;         // one word, the name of its group in a report
  std::string paper;        // "Molenaar & Eisemann 2024"; empty if no paper has the figures
  std::string command;      // "edit --series gc", with the arguments of every run
  std::string small, full;  // further arguments of each scale
  std::vector<PublishedFigure> published = {};
};

std::vector<BenchPart> bench_parts();

// A table or figure that another program makes, and its command.
struct OtherFigure {
  std::string paper, where, command;
};
std::vector<OtherFigure> other_figures();

}  // namespace vox
