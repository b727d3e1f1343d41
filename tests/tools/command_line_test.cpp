// The values of a command line as a tool's description states its options, and the texts that programs write.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>

#include "libvox/base/error.h"
#include "tests/tools/program.h"
#include "tools/common/command_line.h"

namespace vox {
namespace {

const ToolDescription kTool = {
    .program = "vox-try it",
    .usage = "[FILE...] [options]",
    .about = "Tries.",
    .examples = {},
    .basics = {},
    .topics =
        {{.name = "all-kinds",
          .title = "all kinds",
          .options = {{.name = "count", .argument = "N", .preset = "2", .range = OptionRange{1, 8}},
                      {.name = "share",
                       .argument = "S",
                       .range = OptionRange{0, 1, OptionRange::Ends::LeastExcluded},
                       .unit = "of all"},
                      {.name = "list", .argument = "N,...", .preset = "1,3-5", .range = OptionRange{0, 9}},
                      {.name = "light", .words = {"on", "off"}, .preset = "off"},
                      {.name = "kinds", .argument = "NAME,...", .words = {"red", "green", "blue"}},
                      {.name = "scale", .argument = "S"},
                      {.name = "quick", .rules = {{1, "it is for walks"}}},
                      {.name = "folder", .argument = "DIR", .repeats = Repeats::Yes},
                      {.name = "output", .letter = "o", .argument = "FILE"}}}},
    .operands = {{.name = "files", .argument = "FILE", .repeats = Repeats::Yes}}};

CommandLine read(std::vector<std::string> words) {
  words.insert(words.begin(), {"/bin/vox-try", "it"});
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  return {kTool, static_cast<int>(argv.size()), argv.data()};
}

// The message of the UsageError that reading throws.
template <class Read>
std::string refusal(const std::vector<std::string>& words, const Read& value) {
  try {
    value(read(words));
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

TEST(CommandLine, CanBeReadAgainFromItsText) {
  std::vector<std::string> words = {"--folder", "it's \"here\"", "", "a b", "'", "plain"};
  const std::string text = read(words).command();
  EXPECT_EQ(text, R"(vox-try it --folder 'it'\''s "here"' '' 'a b' ''\''' plain)");
  words.insert(words.begin(), {"vox-try", "it"});
  EXPECT_EQ(arguments_of(text), words);
  EXPECT_EQ(arguments_of("  a  'b' "), (std::vector<std::string>{"a", "b"}));
  // A color would begin a comment, and the others would be replaced or end the command.
  words = {"--folder", "#ff0000", "a*.obj", "$b;", "c\\d", "%05d.png", "2^12,1/2"};
  const std::string special = read(words).command();
  EXPECT_EQ(special, R"(vox-try it --folder '#ff0000' 'a*.obj' '$b;' 'c\d' %05d.png 2^12,1/2)");
  words.insert(words.begin(), {"vox-try", "it"});
  EXPECT_EQ(arguments_of(special), words);
  EXPECT_TRUE(arguments_of("").empty());
}

TEST(CommandLine, GivesArgumentsWithoutSomeOptions) {
  const CommandLine line =
      read({"x", "--quick", "--count", "3", "--folder=a", "--folder", "b c", "--", "-y.obj"});
  const std::vector<std::string_view> left_out = {"count", "light"};
  const std::vector<std::string> rest = line.arguments_without(left_out);
  EXPECT_EQ(rest, (std::vector<std::string>{"--quick", "--folder=a", "--folder=b c", "--", "x", "-y.obj"}));
  const CommandLine again = read(rest);
  EXPECT_TRUE(again.has("quick") && !again.has("count"));
  EXPECT_EQ(again.paths("files"), line.paths("files"));
  EXPECT_EQ(again.paths("folder"), line.paths("folder"));
}

TEST(CommandLine, GivesPresetsAndGivenValues) {
  EXPECT_EQ(read({}).count("count"), 2u);
  EXPECT_EQ(read({}).given_count("count"), std::nullopt);
  EXPECT_EQ(read({"--count", "2^3"}).whole("count"), 8u);
  EXPECT_EQ(read({}).axis("list"), (std::vector<uint32_t>{1, 3, 4, 5}));
  EXPECT_EQ(read({"--light=on"}).choice("light", {10, 20}), 10);
  EXPECT_EQ(read({}).choice("light", {10, 20}), 20);
  EXPECT_EQ(read({"--kinds", "blue,red,blue"}).places("kinds"), (std::vector<size_t>{2, 0}));
  EXPECT_EQ(read({"--scale", "1/64"}).scale("scale"), 1.0 / 64);
  EXPECT_EQ(read({"a,b.obj", "--folder", "x", "--folder", "y"}).paths("folder").size(), 2u);
  EXPECT_EQ(read({"a,b.obj", "c.obj"}).paths("files").front(), "a,b.obj");
  EXPECT_EQ(read({"--folder", "x y"}).command(), "vox-try it --folder 'x y'");
}

TEST(CommandLine, RefusesWhatIsNotAsStatedAndNamesTheOption) {
  const auto count = [](const CommandLine& line) { line.count("count"); };
  EXPECT_EQ(refusal({"--count", "9"}, count), "--count is 9, expected 1 to 8");
  EXPECT_EQ(refusal({"--count", "1,2"}, count),
            "--count is '1,2', expected a whole number such as 4096, 4K or 2^12");
  EXPECT_EQ(refusal({"--share", "0"}, [](const CommandLine& line) { line.number("share"); }),
            "--share is 0, expected above 0 and at most 1 of all");
  const auto list = [](const CommandLine& line) { line.axis("list"); };
  EXPECT_EQ(refusal({"--list", "3,10"}, list), "--list has 10, expected 0 to 9");
  EXPECT_EQ(refusal({"--list", "3,,4"}, list), "--list has nothing between two commas");
  EXPECT_EQ(refusal({"--light", "onn"},
                    [](const CommandLine& line) {
                      line.choice("light", {1, 2});
                    }),
            "--light is 'onn', expected one of: on, off (did you mean 'on'?)");
  EXPECT_EQ(refusal({"--kinds", "gren"}, [](const CommandLine& line) { line.places("kinds"); }),
            "--kinds has 'gren', expected some of: red, green, blue (did you mean 'green'?)");
  EXPECT_EQ(refusal({"--scale", "small"}, [](const CommandLine& line) { line.scale("scale"); }),
            "--scale is 'small', expected a number greater than 0 such as 1/64 or 0.5");
}

TEST(CommandLine, RefusesOptionsThatTheToolDoesNotHave) {
  const auto nothing = [](const CommandLine&) {};
  EXPECT_EQ(refusal({"--cuont", "1"}, nothing), "there is no option --cuont (did you mean '--count'?)");
  EXPECT_EQ(refusal({"--kindsofthings", "1"}, nothing),
            "there is no option --kindsofthings (did you mean '--kinds'?)");
  EXPECT_EQ(refusal({"-x"}, nothing), "there is no option -x");
  EXPECT_EQ(refusal({"--count"}, nothing), "--count needs a value");
}

TEST(CommandLine, RefusesValuesOfFlagsAndASecondOutput) {
  const auto nothing = [](const CommandLine&) {};
  EXPECT_EQ(refusal({"--quick=false"}, nothing), "--quick takes no value, but is given 'false'");
  EXPECT_EQ(refusal({"--quick=0"}, nothing), "--quick takes no value, but is given '0'");
  EXPECT_EQ(refusal({"-o", "a.h5", "x", "--output=b.h5"}, nothing), "-o is given twice: 'a.h5', 'b.h5'");
  EXPECT_EQ(read({"-o", "a.h5", "-o", "a.h5", "--quick", "--quick"}).text("output"), "a.h5");
  EXPECT_EQ(read({"--light=on", "--light=off"}).text("light"), "off");
}

TEST(CommandLine, RefusesOptionsWithoutEffect) {
  const auto effect_on = [](uint32_t bits) {
    return refusal({"--quick"}, [&](const CommandLine& line) {
      check_effects(line.given_options(), {bits, "a flight"});
    });
  };
  EXPECT_EQ(effect_on(2), "--quick has no effect on a flight: it is for walks");
  EXPECT_EQ(effect_on(3), "");
}

// Programs write text of files without its control characters to stdout and stderr, and report an error if the result
// cannot be written.

// Sets a title, rings, turns text around, and is no UTF-8: ESC ] BEL, CSI of 8 bits, U+202E, a byte of its own.
constexpr const char* kHostile =
    "wood\x1b]0;owned\x07\xc2\x9b"
    "2J\xe2\x80\xae\xff";
constexpr const char* kShown = "wood\\x1b]0;owned\\x07\\u009b2J\\u202e\\xff";

bool has_controls(const std::string& text) {
  return text.find_first_of("\x1b\x07\x7f\xff") != std::string::npos || has(text, "\xc2\x9b") ||
         has(text, "\xe2\x80\xae");
}

class Streams : public CubesTest {
 protected:
  // A scene whose palette has a hostile name, made by a script of Python.
  void make_hostile_scene() const {
    write("name.bin", kHostile);
    python(R"(
import h5py, shutil
import numpy as np
shutil.copy('cube.h5', 'hostile.h5')
name = open('name.bin', 'rb').read()
f = h5py.File('hostile.h5', 'r+')
count = len(f['palette/names'])
del f['palette/names']
f['palette'].create_dataset('names', data=np.array([name] * count, dtype=f'S{len(name)}'))
for key in ('source', 'command'):
    f.attrs.create(key, np.bytes_(name))
)");
  }
};

TEST_F(Streams, NamesInSceneFilesAreShownWithoutControlCharacters) {
  make_hostile_scene();
  for (const auto& [program, arguments] : std::vector<std::pair<std::string, std::vector<std::string>>>{
           {"vox-convert", {"--info", "hostile.h5"}},
           {"vox-convert", {"--info", "hostile.h5", "--json"}},
           {"vox-stats", {"hostile.h5", "--only", "scene,materials"}},
           {"vox-stats", {"hostile.h5", "--only", "scene,materials", "--json"}}}) {
    const Finished run = run_program(program, arguments, {.folder = folder_, .file_size_limit = {}});
    EXPECT_EQ(run.code, 0) << run.err;
    EXPECT_TRUE(has(run.out, arguments.back() == "--json" ? "wood\\u001b]0;owned\\u0007\\u009b2J" : kShown))
        << program << run.out;
    EXPECT_FALSE(has_controls(run.out) || has_controls(run.err)) << program << run.out << run.err;
  }
}

TEST_F(Streams, NamesInMessagesAreShownWithoutControlCharactersOnOneLine) {
  const std::string name = std::string(kHostile) + "\nvox-convert: done.obj";
  write(name, "this is no mesh");
  expect_failure(kFailed, std::string(kShown) + "\\nvox-convert: done.obj", {name, "--res", "64"});
  write("a.obj", std::string("mtllib ") + kHostile + "\n" + cube_obj());
  const Finished run = convert({"a.obj", "--res", "16", "-o", "a.h5"});
  EXPECT_EQ(run.code, 0);
  EXPECT_TRUE(has(run.err, kShown) && !has_controls(run.err)) << run.err;
}

TEST_F(Streams, AResultThatCannotBeWrittenIsAFailure) {
  const std::vector<std::string> info = {"--info", "cube.h5"};
  const Finished full = convert(info, {.folder = {}, .file_size_limit = {}, .out_file = "/dev/full"});
  EXPECT_EQ(full.code, kFailed);
  EXPECT_TRUE(one_error(full, "standard output: the result cannot be written: No space left")) << full.err;
  const Finished closed =
      convert(info, {.folder = {}, .file_size_limit = {}, .closed_streams = {STDOUT_FILENO}});
  EXPECT_EQ(closed.code, kFailed);
  EXPECT_TRUE(one_error(closed, "standard output: the result cannot be written")) << closed.err;
  for (const char* form : {"--help", "--version"})
    EXPECT_EQ(convert({form}, {.folder = {}, .file_size_limit = {}, .out_file = "/dev/full"}).code, kFailed);
}

TEST_F(Streams, ClosedStreamsAreNeitherACrashNorTheNumbersOfFiles) {
  const std::vector<int> all = {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO};
  for (const char* program : {"vox-convert", "vox-stats"}) {
    const Finished run = run_program(program, {"missing.h5"},
                                     {.folder = folder_, .file_size_limit = {}, .closed_streams = all});
    EXPECT_EQ(run.code, kFailed) << program << " signal " << run.signal;
  }
  write("cube.obj", cube_obj());
  const Finished made = convert({"cube.obj", "--res", "64", "-o", "made.h5"},
                                {.folder = {}, .file_size_limit = {}, .closed_streams = all});
  EXPECT_EQ(made.code, 0);
  EXPECT_EQ(digest("made.h5"), digest("cube.h5"));
}

TEST_F(Streams, LackOfMemoryIsAnErrorWhereverItOccurs) {
  const std::string library = preloaded("failing_malloc");
  if (!std::filesystem::exists(library)) GTEST_SKIP() << kNothingToPreload;
  setenv("LD_PRELOAD", library.c_str(), 1);
  uint64_t failures = 0;
  for (const char* to : {"t.vox", "t.h5"})
    for (uint32_t bytes = 64 << 10; bytes <= 8 << 20; bytes *= 2) {
      setenv("VOX_FAIL_MALLOC", std::to_string(bytes).c_str(), 1);
      const Finished run = convert({"cube.h5", "-o", to, "--force"});
      EXPECT_EQ(run.signal, 0) << to << ", blocks of " << bytes << " bytes";
      EXPECT_TRUE(run.code == 0 || one_error(run, "cube.h5: out of memory")) << to << ", " << bytes;
      failures += run.code != 0 ? 1 : 0;
    }
  unsetenv("LD_PRELOAD");
  unsetenv("VOX_FAIL_MALLOC");
  EXPECT_GE(failures, 2u);
}

}  // namespace
}  // namespace vox
