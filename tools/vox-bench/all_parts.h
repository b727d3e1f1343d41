// The parts of vox-bench all: the commands that it runs, and the papers' figures that their results stand beside.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "formats/results/views.h"

namespace vox {

// A figure of a paper.
struct PublishedFigure {
  std::string where;  // in the paper, and of what: "Table 2: insertion, 6 words, atomic64"
  double value = 0;   // in this unit
  std::string unit;
  std::string machine;
  // Returns the same figure from the rows of the part's command, if they have it.
  std::function<std::optional<double>(const ResultRows&)> here;
};

// One run of a command of vox-bench. Its sizes are for a processor of two cores, or for a GPU.
struct BenchPart {
  std::string name;   // a word: the name of its group in a report
  std::string paper;  // "Molenaar & Eisemann 2024", empty for figures of the toolkit alone
  std::string command;
  std::vector<std::string> axes, small, full;  // arguments of every run, and of one scale
  std::vector<PublishedFigure> published = {};
};

std::vector<BenchPart> bench_parts();

// A table or figure that another program makes, and its command.
struct OtherFigure {
  std::string paper, where, command;
};
std::vector<OtherFigure> other_figures();

}  // namespace vox
