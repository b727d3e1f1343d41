// The machine, the build and the inputs of a run.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <set>
#include <sstream>

#include "formats/io/read_file.h"
#include "formats/results/files.h"
#include "libvox/base/process.h"
#include "libvox/base/units.h"
#include "libvox/dag/frozen_dag.h"
#include "tools/common/reports.h"
#include "tools/common/tool.h"

namespace vox {
namespace {

std::string processor() {
  std::ifstream cpuinfo("/proc/cpuinfo");
  for (std::string line; std::getline(cpuinfo, line);)
    if (const size_t colon = line.find(": "); line.starts_with("model name") && colon != std::string::npos)
      return line.substr(colon + 2);
  return "unknown";
}

std::string memory() {
  const auto pages = static_cast<uint64_t>(std::max(sysconf(_SC_PHYS_PAGES), 0L));
  return format_bytes(pages * static_cast<uint64_t>(sysconf(_SC_PAGESIZE)));
}

std::string operating_system() {
  utsname names = {};
  uname(&names);
  return fmt::format("{} {}", names.sysname, names.release);
}

// Returns what the driver's own program tells of the GPUs, equal ones once; "none" without it. A benchmark that was
// interrupted asks, too: its results are still written.
std::string gpus() {
  if (!program_in_path("nvidia-smi")) return "none";
  const ProgramResult told =
      run_program({"nvidia-smi", "--query-gpu=name,driver_version,clocks.max.sm,clocks.max.mem,power.limit",
                   "--format=csv,noheader"},
                  AfterInterrupt::Finish);
  if (told.status != 0) return "none";
  std::istringstream lines(told.output);
  std::set<std::string> each;
  for (std::string line; std::getline(lines, line);)
    if (!line.empty()) each.insert(line);
  return fmt::format("{}", fmt::join(each, "; "));
}

std::vector<MachineFact> machine_facts() {
  return {{"processor", processor(), "Name of the processor."},
          {"threads", std::to_string(tbb::info::default_concurrency()),
           "Number of threads that may run at once."},
          {"memory", memory(), "Size of the memory."},
          {"system", operating_system(), "Name and version of the operating system's kernel."},
          {"gpus", gpus(),
           "Name, driver, highest clocks of multiprocessors and memory, and power limit of the GPUs, as "
           "nvidia-smi tells."},
          {"compiler", compiler_text(), "The compilers of this build, and their options."}};
}

InputFile input_of(const std::string& name) {
  const MappedFile file(name);
  const std::string_view bytes = file.text();
  dag::Digest digest = dag::start_digest(bytes.size());
  for (size_t at = 0; at < bytes.size(); at += sizeof(uint64_t)) {
    uint64_t word = 0;
    std::memcpy(&word, bytes.data() + at, std::min(sizeof(word), bytes.size() - at));
    dag::combine(digest, word);
  }
  return {name, bytes.size(), dag::to_string(digest)};
}

}  // namespace

RunConditions conditions_of(const std::vector<std::filesystem::path>& inputs) {
  RunConditions conditions = {machine_facts(), {}};
  for (const std::filesystem::path& file : inputs)
    if (std::filesystem::is_regular_file(file)) conditions.inputs.push_back(input_of(file.string()));
  return conditions;
}

void set_conditions(ResultGroup& results, const RunConditions& conditions, const NameMaker& name) {
  ResultGroup& machine = results.group(name("machine"));
  for (const MachineFact& fact : conditions.machine) machine.set(fact.name, fact.text).about(fact.about);
  results.table(name("inputs"))
      .column("file", "", conditions.inputs, &InputFile::file)
      .about("Path of a file that was read.")
      .column("bytes", "bytes", conditions.inputs, &InputFile::bytes)
      .about("Its size.")
      .column("digest", "", conditions.inputs, &InputFile::digest)
      .about("Digest of its content.");
}

void write_report_of(ResultGroup results, const std::vector<std::filesystem::path>& inputs,
                     const std::filesystem::path& file) {
  set_conditions(results, conditions_of(inputs), in_report);
  write_report(results, file);
}

}  // namespace vox
