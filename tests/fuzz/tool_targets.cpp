// The command lines of the tools: the options are read as each tool reads them, but nothing is done.
#include <algorithm>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/fuzz/targets.h"
#include "tools/common/command_line.h"
#include "tools/common/tool.h"
#include "tools/vox-bench/command_line.h"
#include "tools/vox-convert/options.h"
#include "tools/vox-edit/options.h"
#include "tools/vox-render/options.h"

namespace vox::fuzz {
namespace {

struct Tool {
  std::string name;  // a program, or a command of vox-bench
  ToolDescription description;
  std::function<void(const CommandLine&)> read;
};

const std::vector<Tool>& tools() {
  static const std::vector<Tool> tools = [] {
    std::vector<Tool> all = {
        {"vox-convert", convert_description(), [](const CommandLine& line) { read_convert_options(line); }},
        {"vox-render", render_description(), [](const CommandLine& line) { read_render_options(line); }},
        {"vox-edit", edit_description(), [](const CommandLine& line) { read_edit_options(line); }}};
    for (const Command& command : kCommands)
      all.push_back({command.name, command.description(), [](const CommandLine&) {}});
    return all;
  }();
  return tools;
}

// Reads every option that is given as each kind of value, so that the command lines of all tools are read in every way.
bool read_values(const CommandLine& line) {
  bool read = false;
  for (const Option& option : line.given_options()) {
    read |= accepts([&] { line.text(option.name); });
    read |= accepts([&] { line.count(option.name); });
    read |= accepts([&] { line.whole(option.name); });
    read |= accepts([&] { line.number(option.name); });
    read |= accepts([&] { line.bytes(option.name); });
    read |= accepts([&] { line.scale(option.name); });
    read |= accepts([&] { line.box(option.name); });
    read |= accepts([&] { line.axis(option.name); });
    read |= accepts([&] { line.fractions(option.name); });
    read |= accepts([&] { line.counts(option.name); });
    read |= accepts([&] { line.paths(option.name); });
    if (!option.words.empty()) {
      read |= accepts([&] { line.text_of_word(option.name); });
      read |= accepts([&] { line.names(option.name); });
    }
  }
  return read;
}

// The first byte is the number of a tool, the others are its arguments, one on each line. "@" at the beginning of an argument stands
// for the folder with the files that the seeds name.
bool read_command_lines(std::string_view text) {
  const Tool& tool = tools()[(text.empty() ? 0 : static_cast<uint8_t>(text.front())) % tools().size()];
  std::vector<std::string> arguments = arguments_of(tool.description.program);  // "vox-bench hash" is two
  for (size_t at = 1; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    std::string argument(text.substr(at, end - at));
    argument.resize(std::min(argument.find('\0'), argument.size()));
    if (argument.starts_with('@')) argument.replace(0, 1, folder().string() + "/");
    arguments.push_back(std::move(argument));
    at = end + 1;
  }
  return accepts([&] {
    const CommandLine line = read_arguments(tool.description, arguments);
    const std::vector<std::string> again = arguments_of(line.command());
    require(read_arguments(tool.description, again).command() == line.command(), "a command line read again");
    read_values(line);
    tool.read(line);
  });
}

}  // namespace

std::vector<Target> tool_targets() {
  std::vector<std::string> seeds;
  const auto add = [&](size_t tool, const char* arguments) {
    seeds.push_back(std::string(1, static_cast<char>(tool)) + arguments);
  };
  put("a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
  put("a.h5", "\x89HDF\r\n\x1a\n");
  put("a.txt", "undo\n");
  add(0, "@a.obj\n--res\n2K\n-o\n@out.h5\n--solid\n--materials=texture\n--memory-limit\n64M");
  add(0, "@a.obj\n--voxel-size\n0.1,0.2,0.3\n--clip\n0,0,0,1,1,1\n--threads\n2\n--json\n-q");
  add(1, "@a.h5\n-o\n@a.png\n--size\n64x48\n--fov\n40\n--slice\nz=9");
  add(2, "@a.h5\n--script\n@a.txt\n--batch\n8\n--log\n@log.csv");
  for (size_t i = 3; i < tools().size(); ++i) add(i, "--json\n-q\n--log-level=debug");
  return {{"command_lines", seeds, read_command_lines}};
}

}  // namespace vox::fuzz
