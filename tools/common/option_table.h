// Says which options go with a run of a program: one table for each program, and the error for an option that
// would have no effect.
//
//   enum : uint32_t { kMesh = 1, kVolume = 2 };  // traits, bits of the program's own
//   const OptionRow kTable[] = {{"solid", kMesh, "it is for meshes"}, …};
//   check_options(given, kTable, {kVolume, "a volume"});
//   // throws "--solid has no effect on a volume: it is for meshes"
#pragma once

#include <cstdint>
#include <cxxopts.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace vox {

// A rule: the option has an effect where the run has one of these traits. An option with several rows needs a
// trait of each row.
struct OptionRow {
  std::string_view option;   // its long name
  uint32_t traits;           // bits
  std::string_view instead;  // said in all other runs: what it is for, or what to use
};

// The traits of a run: what the program is asked to do.
struct RunTraits {
  uint32_t bits = 0;
  std::string what;  // "a scene file", "a cut"
};

// The long names of the options that the command line has, in its order. Defaults are not among them.
std::vector<std::string> given_options(const cxxopts::ParseResult& parsed);

// Throws UsageError for the first of the options that has no effect in this run. Options without a row go
// with every run: they say how it is done (--device, --threads, --json), not what it makes.
void check_options(std::span<const std::string> given, std::span<const OptionRow> table,
                   const RunTraits& run);

}  // namespace vox
