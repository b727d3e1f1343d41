// Memory that pages fill or a file holds, and what a process knows of its own memory.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <thread>

#include "libvox/base/error.h"
#include "libvox/base/paged_memory.h"
#include "libvox/base/process.h"
#include "libvox/base/progress.h"
#include "libvox/base/spilled_array.h"
#include "tests/common/random.h"

namespace vox {
namespace {

// Tests memory that is filled when it is read, against the formula that fills it. The thread sanitizer does not run
// these tests: it takes the system's call that drops a page for a write to what others read.

constexpr uint64_t kPiece = 1 << 12, kPieceWords = kPiece / sizeof(uint32_t);

uint32_t word_of(uint64_t index) {
  return static_cast<uint32_t>(index * 2654435761u ^ index >> 7);
}

PagedMemory::Fill fill_words(std::atomic<uint64_t>& fills) {
  return [&fills](uint64_t piece, std::span<uint8_t> to) {
    ++fills;
    for (uint64_t i = 0; i < to.size() / sizeof(uint32_t); ++i) {
      const uint32_t word = word_of(piece * kPieceWords + i);
      std::memcpy(to.data() + i * sizeof(word), &word, sizeof(word));
    }
  };
}

TEST(PagedMemory, IsFilledWhenItIsRead) {
  std::atomic<uint64_t> fills = 0;
  const uint64_t words = 10 * kPieceWords + 77;
  const auto budget = std::make_shared<PagedBudget>(uint64_t{1} << 30);
  const Words paged =
      paged_vector<uint32_t>(std::make_shared<PagedMemory>(4 * words, kPiece, fill_words(fills), budget));
  ASSERT_EQ(paged.size(), words);
  EXPECT_EQ(fills, 0u);
  EXPECT_EQ(paged[3 * kPieceWords + 5], word_of(3 * kPieceWords + 5));
  EXPECT_EQ(fills, 1u);
  for (uint64_t i = 0; i < words; ++i) ASSERT_EQ(paged[i], word_of(i));
  EXPECT_EQ(fills, 11u);
  Words copy = paged;
  EXPECT_TRUE(std::equal(paged.begin(), paged.end(), copy.begin()));
  ++copy[9];
  EXPECT_EQ(paged[9], word_of(9));
  EXPECT_NE(copy.data(), paged.data());
}

TEST(PagedMemory, HoldsNoMoreThanItsBudgetHoweverManyReadAtOnce) {
  std::atomic<uint64_t> fills = 0;
  const uint64_t words = 300 * kPieceWords;
  const auto budget = std::make_shared<PagedBudget>(40 * kPiece);
  std::vector<Words> arrays;
  for (int i = 0; i < 3; ++i)
    arrays.push_back(
        paged_vector<uint32_t>(std::make_shared<PagedMemory>(4 * words, kPiece, fill_words(fills), budget)));
  tbb::parallel_for(0, 32, [&](int task) {
    Random random(static_cast<uint64_t>(task));
    for (int i = 0; i < 1000; ++i) {
      const uint64_t at = random.below(words);
      ASSERT_EQ(arrays[random.below(3)][at], word_of(at));
    }
    EXPECT_LE(budget->held(), budget->limit() + 32 * kPiece);  // each thread may be filling one more
  });
  EXPECT_LE(budget->held(), budget->limit());
  EXPECT_GE(fills, 900u);
  arrays.pop_back();
  EXPECT_EQ(arrays[1][5], word_of(5));
  arrays.clear();
  EXPECT_EQ(budget->held(), 0u);
}

// A piece that is read now and then stays, although the pieces read since would fill the budget many times.
TEST(PagedMemory, KeepsWhatIsReadOften) {
  std::atomic<uint64_t> fills = 0;
  const uint64_t pieces = 400;
  const auto budget = std::make_shared<PagedBudget>(40 * kPiece);
  const Words paged = paged_vector<uint32_t>(
      std::make_shared<PagedMemory>(pieces * kPiece, kPiece, fill_words(fills), budget));
  for (uint64_t piece = 0; piece < pieces; ++piece) {
    ASSERT_EQ(paged[piece * kPieceWords], word_of(piece * kPieceWords));
    ASSERT_EQ(paged[3], word_of(3));
  }
  EXPECT_EQ(fills, pieces);
}

TEST(PagedMemory, MayReadOtherPagedMemoryWhileItIsFilled) {
  std::atomic<uint64_t> fills = 0;
  const auto budget = std::make_shared<PagedBudget>(24 * kPiece);
  const uint64_t words = 50 * kPieceWords;
  const Words below =
      paged_vector<uint32_t>(std::make_shared<PagedMemory>(4 * words, kPiece, fill_words(fills), budget));
  const auto add_one = [&](uint64_t piece, std::span<uint8_t> to) {
    for (uint64_t i = 0; i < to.size() / sizeof(uint32_t); ++i) {
      const uint32_t word = below[words - 1 - (piece * kPieceWords + i)] + 1;
      std::memcpy(to.data() + i * sizeof(word), &word, sizeof(word));
    }
  };
  const Words above =
      paged_vector<uint32_t>(std::make_shared<PagedMemory>(4 * words, kPiece, add_one, budget));
  tbb::parallel_for(uint64_t{0}, words / 100,
                    [&](uint64_t i) { ASSERT_EQ(above[100 * i], word_of(words - 1 - 100 * i) + 1); });
}

TEST(PagedMemory, PiecesThatAreFilledOftenComeFromAFile) {
  const uint64_t pieces = 100, words = pieces * kPieceWords - 5;
  for (const bool in_file : {false, true}) {
    std::atomic<uint64_t> fills = 0;
    const auto budget =
        std::make_shared<PagedBudget>(20 * kPiece, in_file ? std::filesystem::current_path() : "");
    const Words paged =
        paged_vector<uint32_t>(std::make_shared<PagedMemory>(4 * words, kPiece, fill_words(fills), budget));
    for (int times = 0; times < 50; ++times)
      tbb::parallel_for(uint64_t{0}, words / 50,
                        [&](uint64_t i) { ASSERT_EQ(paged[50 * i], word_of(50 * i)); });
    EXPECT_EQ(paged.back(), word_of(words - 1));
    // Pieces that other threads are filling are not dropped.
    const uint64_t threads = static_cast<uint64_t>(tbb::this_task_arena::max_concurrency());
    EXPECT_LE(budget->held(), std::max<uint64_t>(20, PagedBudget::kLeastPieces + threads) * kPiece);
    EXPECT_EQ(fills <= 4 * pieces, in_file) << fills;
  }
}

TEST(PagedMemory, WhatCannotBeFilledIsZerosAndAnErrorAtTheNextCheck) {
  const auto budget = std::make_shared<PagedBudget>(uint64_t{1} << 20);
  const auto refuse = [](uint64_t piece, std::span<uint8_t> to) {
    to[0] = 1;
    if (piece == 2) throw std::runtime_error("piece 2 is damaged");
  };
  const Words paged =
      paged_vector<uint32_t>(std::make_shared<PagedMemory>(5 * kPiece, kPiece, refuse, budget));
  EXPECT_EQ(paged[kPieceWords], 1u);
  EXPECT_NO_THROW(throw_if_cancelled());
  EXPECT_EQ(paged[2 * kPieceWords], 0u);
  try {
    throw_if_cancelled();
    ADD_FAILURE() << "no error";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "piece 2 is damaged");
  }
  EXPECT_NO_THROW(throw_if_cancelled());
}

// Whoever reads a piece after its error was thrown gets the error again, or its words if they can be read now; so does
// whoever reads memory that was made from it.
TEST(PagedMemory, WhatCouldNotBeFilledIsReadAgainAfterItsError) {
  std::atomic<uint64_t> fills = 0;
  std::atomic<bool> damaged = true;
  const auto budget = std::make_shared<PagedBudget>(uint64_t{1} << 20);
  const auto fill = [&, words = fill_words(fills)](uint64_t piece, std::span<uint8_t> to) {
    if (piece == 2 && damaged) throw std::runtime_error("piece 2 is damaged");
    words(piece, to);
  };
  const Words below = paged_vector<uint32_t>(std::make_shared<PagedMemory>(5 * kPiece, kPiece, fill, budget));
  const auto copy = [&](uint64_t piece, std::span<uint8_t> to) {
    if (piece == 2) to[0] = 1;
    for (uint64_t i = 0; i < kPieceWords; ++i)
      if (const uint32_t word = below[piece * kPieceWords + i]; word != 0)
        std::memcpy(to.data() + 4 * i, &word, sizeof(word));
  };
  const Words above = paged_vector<uint32_t>(std::make_shared<PagedMemory>(5 * kPiece, kPiece, copy, budget));
  for (int times = 0; times < 3; ++times) {
    EXPECT_EQ(above[2 * kPieceWords], 1u);
    EXPECT_EQ(above[2 * kPieceWords], 1u);
    EXPECT_THROW(throw_late_error(), std::runtime_error);
    EXPECT_EQ(below[2 * kPieceWords + 7], 0u);
    EXPECT_THROW(throw_late_error(), std::runtime_error);
    EXPECT_EQ(budget->held(), 0u);
  }
  damaged = false;
  for (uint64_t i = 0; i < 5 * kPieceWords; ++i) ASSERT_EQ(above[i], word_of(i));
  EXPECT_NO_THROW(throw_late_error());
  EXPECT_EQ(fills, 5u);
}

// A piece of zeros may be read to make other memory before its error is thrown; no fault tells of it.
TEST(PagedMemory, WhatIsMadeFromZerosOfAPieceThatCouldNotBeFilledIsForgottenWithThem) {
  std::atomic<uint64_t> fills = 0;
  std::atomic<bool> damaged = true;
  const auto budget = std::make_shared<PagedBudget>(uint64_t{1} << 20);
  const auto fill = [&, words = fill_words(fills)](uint64_t piece, std::span<uint8_t> to) {
    if (damaged) throw std::runtime_error("damaged");
    words(piece, to);
  };
  const Words below = paged_vector<uint32_t>(std::make_shared<PagedMemory>(kPiece, kPiece, fill, budget));
  const auto copy = [&](uint64_t, std::span<uint8_t> to) { std::memcpy(to.data(), below.data(), to.size()); };
  const Words above = paged_vector<uint32_t>(std::make_shared<PagedMemory>(kPiece, kPiece, copy, budget));
  EXPECT_EQ(below[7], 0u);
  EXPECT_EQ(above[7], 0u);
  EXPECT_THROW(throw_late_error(), std::runtime_error);
  damaged = false;
  EXPECT_EQ(above[7], word_of(7));
  EXPECT_NO_THROW(throw_late_error());
}

TEST(PagedMemory, PiecesThatCouldNotBeFilledTakeNoMemory) {
  constexpr uint64_t kLarge = 1 << 20, kPieces = 256;
  const auto refuse = [](uint64_t, std::span<uint8_t>) { throw std::runtime_error("damaged"); };
  const Words paged = paged_vector<uint32_t>(std::make_shared<PagedMemory>(
      kPieces * kLarge, kLarge, refuse, std::make_shared<PagedBudget>(16 * kLarge)));
  const uint64_t before = resident_bytes();
  for (uint64_t piece = 0; piece < kPieces; ++piece) ASSERT_EQ(paged[piece * kLarge / sizeof(uint32_t)], 0u);
  EXPECT_LT(resident_bytes(), before + 64 * kLarge);
  EXPECT_THROW(throw_late_error(), std::runtime_error);
}

TEST(PagedMemory, WhatCouldNotBeFilledIsForgottenWithItsMemory) {
  const auto budget = std::make_shared<PagedBudget>(uint64_t{1} << 20);
  const auto refuse = [](uint64_t, std::span<uint8_t>) { throw std::runtime_error("damaged"); };
  {
    const Words paged =
        paged_vector<uint32_t>(std::make_shared<PagedMemory>(5 * kPiece, kPiece, refuse, budget));
    EXPECT_EQ(paged[0], 0u);
    EXPECT_EQ(budget->held(), kPiece);
  }
  EXPECT_EQ(budget->held(), 0u);
  EXPECT_THROW(throw_late_error(), std::runtime_error);
  EXPECT_EQ(budget->held(), 0u);
}

using PagedMemoryDeathTest = testing::Test;

TEST_F(PagedMemoryDeathTest, OtherFaultsEndTheProgramAsBefore) {
  std::atomic<uint64_t> fills = 0;
  const auto budget = std::make_shared<PagedBudget>(uint64_t{1} << 20);
  const Words paged =
      paged_vector<uint32_t>(std::make_shared<PagedMemory>(kPiece, kPiece, fill_words(fills), budget));
  EXPECT_EQ(paged[1], word_of(1));
  EXPECT_DEATH(raise(SIGSEGV), "");
  EXPECT_DEATH(*const_cast<volatile uint32_t*>(paged.data()) = 1, "");  // it is only read
}

TEST(SpilledArray, ValuesStayWhereTheyAreWhileItGrows) {
  for (const SpillPlace& place : {SpillPlace(), SpillPlace("/tmp")}) {
    SpilledArray<uint32_t> array(place, uint64_t{40} << 20);
    const uint32_t* const begin = array.append(1).data();
    array.data()[0] = 7;
    const std::span<uint32_t> more = array.append((uint64_t{40} << 20) - 1);
    std::ranges::fill(more, 9u);
    EXPECT_EQ(begin, array.data());
    EXPECT_EQ(array.values()[0], 7u);
    EXPECT_EQ(array.values().back(), 9u);
    EXPECT_THROW(array.append(1), Error);
  }
}

TEST(SpilledArray, AFolderThatIsNotThereIsAnError) {
  EXPECT_THROW(SpillPlace("/no/such/folder"), Error);
  const auto file = std::filesystem::temp_directory_path() / "vox_round_test_file";
  std::ofstream(file) << "no folder";
  EXPECT_THROW(SpillPlace{file}, Error);
  std::filesystem::remove(file);
}

TEST(SpilledArray, MayBecomeShorterAndLongerAgain) {
  for (const SpillPlace& place : {SpillPlace(), SpillPlace("/tmp")}) {
    SpilledArray<uint32_t> array(place, 100000);
    std::ranges::fill(array.append(100000), 5u);
    array.shrink(3000);
    EXPECT_EQ(array.size(), 3000u);
    array.append(97000)[96999] = 6;
    EXPECT_EQ(std::ranges::count(array.values().first(3000), 5u), 3000);
    EXPECT_EQ(array.values()[50000], 0u);  // new memory
    array.shrink(0);
    EXPECT_EQ(array.append(1)[0], 0u);
  }
}

TEST(SpilledArray, ValuesAreReadAndWrittenAtAnyPlace) {
  for (const SpillPlace& place : {SpillPlace(), SpillPlace("/tmp")}) {
    SpilledArray<uint64_t> array(place, 1000);
    std::ranges::fill(array.append(1000), 0u);
    array.write(997, std::array<uint64_t, 3>{1, 2, 3});
    std::array<uint64_t, 4> read = {};
    array.read(996, read);
    EXPECT_EQ(read, (std::array<uint64_t, 4>{0, 1, 2, 3}));
    EXPECT_EQ(array.values()[999], 3u);
    EXPECT_EQ(array.in_file(), place.folder().has_value());
  }
  EXPECT_TRUE(SpillPlace::if_larger(11, 10).folder());
  EXPECT_FALSE(SpillPlace::if_larger(10, 10).folder());
}

TEST(RunProgram, GivesExitCodeAndOutput) {
  const ProgramResult result =
      run_program({"sh", "-c", "echo \"$1\"; echo no >&2; exit 3", "sh", "a  b;$HOME"});
  EXPECT_EQ(result.status, 3);
  EXPECT_EQ(result.output, "a  b;$HOME\nno\n");
}

TEST(RunProgram, ReadsMoreThanAPipeHolds) {
  EXPECT_EQ(run_program({"head", "-c", "1000000", "/dev/zero"}).output.size(), 1000000u);
}

TEST(RunProgram, SaysWhatIsMissingOrDied) {
  EXPECT_EQ(run_program({"/no/such/program"}).status, 127);
  EXPECT_EQ(run_program({"sh", "-c", "kill -9 $$"}).status, 128 + 9);
}

TEST(AvailableBytes, AreWithinWhatTheAddressSpaceLeaves) {
  constexpr uint64_t kRoom = 256 << 20;
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    uint64_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    const rlim_t limit = pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) + kRoom;
    const rlimit limits = {.rlim_cur = limit, .rlim_max = limit};
    if (setrlimit(RLIMIT_AS, &limits) != 0) _exit(2);
    const uint64_t available = available_bytes();
    _exit(available <= kRoom && available > kRoom / 2 ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_GT(available_bytes(), kRoom);
}

TEST(RunProgram, AFedProgramReadsAllThatIsWritten) {
  const std::vector<std::byte> bytes(3'000'001, std::byte{'x'});
  FedProgram program({"sh", "-c", "wc -c; echo done >&2; exit 4"});
  EXPECT_TRUE(program.write(bytes));
  EXPECT_TRUE(program.write(std::span(bytes).first(5)));
  const ProgramResult result = program.finish();
  EXPECT_EQ(result.status, 4);
  EXPECT_EQ(result.output, "3000006\ndone\n");
}

TEST(RunProgram, AFedProgramThatStopsReadingIsNoticedWithoutASignal) {
  const std::vector<std::byte> bytes(10'000'000);
  FedProgram program({"sh", "-c", "echo enough >&2; exit 1"});
  EXPECT_FALSE(program.write(bytes));
  const ProgramResult result = program.finish();
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(result.output, "enough\n");
  EXPECT_THROW(FedProgram({"/no/such/program"}), Error);
}

// Otherwise the test would run for 1000 seconds.
TEST(RunProgram, AFedProgramThatIsGivenUpIsEnded) {
  FedProgram program({"sleep", "1000"});
  EXPECT_TRUE(program.write(std::vector<std::byte>(100)));
}

TEST(RunProgram, ProgramsAreFoundInPath) {
  const auto shell = program_in_path("sh");
  ASSERT_TRUE(shell);
  EXPECT_EQ(run_program({shell->string(), "-c", "exit 5"}).status, 5);
  EXPECT_FALSE(program_in_path("no-such-program"));
}

// Each test runs in a process of its own, because an interrupted process stays interrupted.

enum Outcome : int { kWentOn, kCancelled };

Outcome look() {
  try {
    throw_if_cancelled();
  } catch (const Cancelled&) {
    return kCancelled;
  }
  return kWentOn;
}

class CancelDeathTest : public testing::Test {
 protected:
  CancelDeathTest() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(CancelDeathTest, AfterASignalEveryLookThrows) {
  for (const int signal : {SIGINT, SIGTERM}) {
    const auto signalled = [&] {
      cancel_on_interrupt();
      if (look() == kCancelled) std::_Exit(kWentOn);  // before the signal
      std::raise(signal);
      std::_Exit(look() == kCancelled ? look() : kWentOn);
    };
    EXPECT_EXIT(signalled(), testing::ExitedWithCode(kCancelled), "") << signal;
  }
}

TEST_F(CancelDeathTest, WithoutAHandlerASignalEndsTheProgram) {
  EXPECT_EXIT(std::raise(SIGTERM), testing::KilledBySignal(SIGTERM), "");
}

}  // namespace
}  // namespace vox
