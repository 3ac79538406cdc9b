// SPDX-License-Identifier: MIT
#include "client/cli/options.h"

#include <gtest/gtest.h>

#include "client/cli/engine_options.h"

namespace filecall::client {
namespace {

using Words = std::vector<std::string>;

Result<Arguments> parse(const char* command, const Words& words) {
  return Arguments::parse(*find_command(command), words);
}

std::string problem(const char* command, const Words& words) {
  const auto arguments = parse(command, words);
  if (arguments) return {};
  EXPECT_EQ(arguments.error().code, ErrorCode::kInvalidArgument);
  return arguments.error().message;
}

TEST(Options, ReadsValuesFlagsAndWordsInAnyOrder) {
  const auto arguments =
      parse("run", {"a.jsonl", "--window", "5", "--json", "b,c.jsonl", "--timeout=30s", "-"});
  ASSERT_TRUE(arguments) << arguments.error().message;
  EXPECT_EQ(arguments->words(), (Words{"a.jsonl", "b,c.jsonl", "-"}));
  EXPECT_TRUE(arguments->has("json"));
  EXPECT_FALSE(arguments->has("quiet"));
  EXPECT_EQ(arguments->integer("window", 1, 1, 10).value(), 5);
  EXPECT_EQ(arguments->duration("timeout", seconds(1)).value(), seconds(30));
  EXPECT_EQ(arguments->duration("backoff", seconds(7)).value(), seconds(7));
}

TEST(Options, TakesADashAndNegativeNumbersAsValues) {
  const auto arguments = parse("call", {"x", "--params", "-", "--priority", "-5"});
  ASSERT_TRUE(arguments) << arguments.error().message;
  EXPECT_EQ(arguments->text("params"), "-");
  EXPECT_EQ(arguments->integer("priority", 0, -10, 10).value(), -5);
}

TEST(Options, WordsAfterTwoDashesAreArguments) {
  const auto arguments = parse("show", {"--", "--odd-id"});
  ASSERT_TRUE(arguments) << arguments.error().message;
  EXPECT_EQ(arguments->words(), (Words{"--odd-id"}));
}

TEST(Options, SaysWhatIsWrongAndWhereToLook) {
  const std::tuple<const char*, Words, const char*> rows[] = {
      {"run", {}, "BATCH... is missing"},
      {"run", {"b", "--windw", "3"}, "did you mean --window?"},
      {"run", {"b", "--id", "x"}, "--id does not apply to this command"},
      {"run", {"b", "--window"}, "window"},
      {"show", {"a", "b"}, "'b' is one argument too many"},
      {"status", {"--state", "DONE"}, "NEW POLLING WAITING SUCCESS GAVE_UP"},
      {"run", {"b", "--durability", "half"}, "full journal file none"}};
  for (const auto& [command, words, part] : rows) {
    const std::string text = problem(command, words);
    EXPECT_NE(text.find(part), std::string::npos) << command << ": " << text;
    EXPECT_NE(text.find(std::string("see 'filecall ") + command + " --help'"), std::string::npos)
        << text;
  }
}

TEST(Options, RefusesTwoValuesOfWhatTakesOne) {
  EXPECT_EQ(
      problem("run", {"a.jsonl", "--window", "5", "--timeout=1s", "--window=6"}),
      "run: --window has two values, '5' and '6'; give one of them; see 'filecall run --help'");
  EXPECT_EQ(problem("run", {"a.jsonl", "--window", "5", "--window=5", "--json", "--json"}), "");
  EXPECT_EQ(problem("compare", {"a", "b", "--root", "x", "--root", "y"}),
            "compare: --root has two values, 'x' and 'y'; give one of them; see 'filecall compare "
            "--help'");
}

TEST(Options, TakesRepeatableOnesAsOftenAsTheyAreGiven) {
  const auto arguments =
      parse("run", {"a.csv", "--model", "a", "--model=b,c", "--prompt", "1.txt", "--prompt",
                    "2.txt", "--var", "x=1", "--var", "y=2", "--filter", "a=1", "--filter", "b=2"});
  ASSERT_TRUE(arguments) << arguments.error().message;
  EXPECT_EQ(arguments->all("model"), (Words{"a", "b,c"}));
  EXPECT_EQ(arguments->all("prompt"), (Words{"1.txt", "2.txt"}));
}

TEST(Options, SaysOfEachRepeatableOneThatItIs) {
  for (const OptionSpec& option : all_options()) {
    EXPECT_EQ(option.is_repeatable, option.help.find("Repeatable") != option.help.npos)
        << option.name;
  }
}

TEST(Options, RefusesNumbersAndDurationsOutOfTheirForm) {
  const auto arguments =
      parse("run", {"b", "--window", "5x", "--timeout", "10", "--attempts", "0"});
  ASSERT_TRUE(arguments);
  EXPECT_FALSE(arguments->integer("window", 1, 1, 10));
  EXPECT_FALSE(arguments->integer("attempts", 1, 1, 10));
  const auto timeout = arguments->duration("timeout", seconds(1));
  ASSERT_FALSE(timeout);
  EXPECT_NE(timeout.error().message.find("--timeout: '10' is not a duration"), std::string::npos);
}

TEST(Options, HelpNeedsNoArguments) {
  const auto arguments = parse("run", {"--help"});
  ASSERT_TRUE(arguments) << arguments.error().message;
  EXPECT_TRUE(arguments->has("help"));
}

TEST(Options, RefusesContradictionsAboutTheWorker) {
  const auto arguments = parse("run", {"b", "--start-worker", "--no-start-worker"});
  ASSERT_TRUE(arguments);
  EXPECT_FALSE(engine_options(*arguments, true));
}

TEST(Options, DefaultsAreThoseOfTheHelp) {
  const auto options = engine_options(*parse("run", {"b"}), true);
  ASSERT_TRUE(options);
  EXPECT_EQ(options->window, 256);
  EXPECT_EQ(options->retry.attempts_max, 3);
  EXPECT_EQ(options->retry.backoff_base, seconds(1));
  EXPECT_EQ(options->retry.backoff_max, seconds(60));
  EXPECT_EQ(options->retry.pause_max, std::chrono::hours(1));
  EXPECT_EQ(options->attempt_timeout, std::chrono::minutes(10));
  EXPECT_EQ(options->cold_start_delay, seconds(20));
  EXPECT_EQ(options->worker_use, WorkerUse::kStart);
}

}  // namespace
}  // namespace filecall::client
