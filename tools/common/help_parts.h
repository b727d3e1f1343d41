// A program's description of itself, in parts. The help on the screen (tools/common/help_text.h), the manual
// page (tools/common/manual_page.h) and the completions of two shells (tools/common/completions.h) are made
// of them.
#pragma once

#include <cxxopts.hpp>
#include <string>
#include <vector>

namespace vox {

struct HelpOption {
  std::string letter;  // "o" of -o; empty where it has none
  std::string name;    // "output" of --output
  std::string value;   // what --help calls its value, "FILE"; empty where it takes none
  std::string text;    // its description, and its default
};

struct HelpGroup {
  std::string name;
  std::vector<HelpOption> options;
};

struct HelpParts {
  std::string program;                // "vox-bench hash"
  std::string about;                  // paragraphs, and indented lines
  std::string usage;                  // "vox-bench hash [options]"
  std::vector<HelpGroup> groups;      // in the order in which they are shown
  std::vector<HelpOption> arguments;  // those that are named by their places alone
};

// Options of other groups are not shown.
HelpParts help_parts(const cxxopts::Options& options, const std::vector<std::string>& groups);

}  // namespace vox
