// The values of a command line, read as a tool's description states its options.
#include "tools/common/command_line.h"

#include <gtest/gtest.h>

#include "libvox/base/error.h"

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
                      {.name = "folder", .argument = "DIR", .repeats = Repeats::Yes}}}},
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

TEST(CommandLine, RefusesOptionsWithoutEffect) {
  const auto effect_on = [](uint32_t bits) {
    return refusal({"--quick"}, [&](const CommandLine& line) {
      check_effects(line.given_options(), {bits, "a flight"});
    });
  };
  EXPECT_EQ(effect_on(2), "--quick has no effect on a flight: it is for walks");
  EXPECT_EQ(effect_on(3), "");
}

}  // namespace
}  // namespace vox
