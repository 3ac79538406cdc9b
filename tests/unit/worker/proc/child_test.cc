// SPDX-License-Identifier: MIT
#include <sys/resource.h>

#include "child_fixture.h"

namespace filecall::worker {
namespace {

using testing::HasSubstr;

class ChildTest : public ChildOfEitherGuard {};

TEST_P(ChildTest, ReportsExitCodesAndBothOutputs) {
  for (const int code : {0, 1, 7, 127, 255}) {
    const auto result = run(shell("echo out; echo err >&2; exit " + std::to_string(code)));
    EXPECT_EQ(result.exit_code, code);
    EXPECT_FALSE(result.signal.has_value());
    EXPECT_EQ(out(), "out\n");
    EXPECT_EQ(err(), "err\n");
  }
}

TEST_P(ChildTest, ReportsTheSignalThatEndedIt) {
  for (const int number : {SIGKILL, SIGTERM, SIGSEGV, SIGPIPE}) {
    const auto result = run(shell("kill -" + std::to_string(number) + " $$"));
    EXPECT_EQ(result.signal, number);
    EXPECT_FALSE(result.exit_code.has_value());
  }
}

TEST_P(ChildTest, GivesInputAndItsEnd) {
  ChildSpec child = spec({"/bin/cat"});
  child.input = "hello\n";
  EXPECT_EQ(run(std::move(child)).exit_code, 0);
  EXPECT_EQ(out(), "hello\n");
  EXPECT_EQ(run(spec({"/bin/cat"})).exit_code, 0);
  EXPECT_EQ(out(), "");
}

TEST_P(ChildTest, MovesInputAndOutputAtTheSameTime) {
  ChildSpec child = spec({"/bin/cat"});
  child.input = std::string(3'000'000, 'x');
  child.output_bytes = 4'000'000;
  EXPECT_EQ(run(std::move(child)).exit_code, 0);
  EXPECT_EQ(child_->standard_output().total_bytes(), 3'000'000u);
  EXPECT_EQ(out(), std::string(3'000'000, 'x'));
}

TEST_P(ChildTest, AcceptsAProgramThatDoesNotReadItsInput) {
  ChildSpec child = spec({"/bin/true"});
  child.input = std::string(1'000'000, 'x');
  EXPECT_EQ(run(std::move(child)).exit_code, 0);
}

TEST_P(ChildTest, BoundsAFloodOfOutput) {
  ChildSpec child = shell("head -c 50000000 /dev/zero; echo end");
  child.output_bytes = 1000;
  EXPECT_EQ(run(std::move(child)).exit_code, 0);
  EXPECT_EQ(child_->standard_output().total_bytes(), 50'000'004u);
  EXPECT_LT(out().size(), 1100u);
  EXPECT_TRUE(out().ends_with("end\n"));
}

TEST_P(ChildTest, KeepsBinaryOutput) {
  const auto result = run(spec({"/usr/bin/printf", "\\000\\377\\001"}));
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(out(), std::string("\0\xFF\x01", 3));
}

TEST_P(ChildTest, GivesPipesThatCanBeOpenedAgain) {
  run(shell("echo again >/dev/stderr; echo once >/proc/self/fd/1"));
  EXPECT_EQ(err(), "again\n");
  EXPECT_EQ(out(), "once\n");
}

TEST_P(ChildTest, InheritsNothingButThreeDescriptors) {
  // One that is not close-on-exec, as a careless library would leave it.
  const UniqueFd leaked(::open("/dev/null", O_RDONLY));
  run(spec({"/usr/bin/python3", "-c",
            "import os\nfor n in range(3, 200):\n  try: os.fstat(n); print(n)\n  except OSError: "
            "pass"}));
  EXPECT_EQ(out(), "");
  EXPECT_EQ(err(), "");
}

TEST_P(ChildTest, GivesTheEnvironmentAndNothingElse) {
  ChildSpec child = spec({"/usr/bin/env"});
  child.env = {"A=1", "B=two words"};
  run(std::move(child));
  EXPECT_EQ(out(), "A=1\nB=two words\n");
}

TEST_P(ChildTest, StartsInItsDirectory) {
  run(spec({"/bin/pwd"}));
  EXPECT_EQ(out(), folder_ + "\n");
}

TEST_P(ChildTest, StartsInASessionOfItsOwnWithDefaultSignals) {
  struct sigaction old {};
  struct sigaction ignore {};
  ignore.sa_handler = SIG_IGN;
  ::sigaction(SIGUSR1, &ignore, &old);
  run(spec({"/usr/bin/python3", "-c",
            "import os\nprint(os.getsid(0) == os.getpid() == os.getpgid(0))\n"
            "for l in open('/proc/self/status'):\n"
            "  if l.startswith(('SigBlk', 'NoNewPrivs')): print(l.split()[1])\n"
            "  if l.startswith('SigIgn'): print(int(l.split()[1], 16) & (1 << 9))"}));
  ::sigaction(SIGUSR1, &old, nullptr);
  EXPECT_EQ(out(), "True\n0000000000000000\n0\n1\n") << err();
}

TEST_P(ChildTest, LimitsWhatItMayUse) {
  ChildSpec child = spec({"/usr/bin/python3", "-c",
                          "import resource as r\n"
                          "for x in (r.RLIMIT_AS, r.RLIMIT_CPU, r.RLIMIT_NOFILE, r.RLIMIT_FSIZE, "
                          "r.RLIMIT_CORE): print(r.getrlimit(x)[0])"});
  child.limits = {500'000'000, 7, 33, 4096, std::nullopt};
  run(std::move(child));
  EXPECT_EQ(out(), "500000000\n7\n33\n4096\n0\n") << err();
}

TEST_P(ChildTest, MeasuresTimeAndMemory) {
  const auto result = run(
      spec({"/usr/bin/python3", "-c", "x = bytearray(60_000_000)\nfor i in range(1000000): pass"}));
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_GT(result.max_rss_bytes, 60'000'000);
  EXPECT_GT(result.user + result.system, milliseconds(5));
  EXPECT_GE(result.duration + milliseconds(1), (result.user + result.system) / 4);
}

TEST_P(ChildTest, SaysWhyAProgramCannotBeExecuted) {
  const auto missing = run(spec({"/nonexistent/program"}));
  ASSERT_TRUE(missing.error.has_value());
  EXPECT_EQ(missing.error->code, ErrorCode::kNotFound);

  std::ofstream(folder_ + "/text") << "no program\n";
  ::chmod((folder_ + "/text").c_str(), 0755);
  const auto unreadable = run(spec({folder_ + "/text"}));
  ASSERT_TRUE(unreadable.error.has_value());
  EXPECT_EQ(unreadable.error->code, ErrorCode::kFailedPrecondition);
  EXPECT_THAT(unreadable.error->message, HasSubstr("Exec format error"));
}

TEST_P(ChildTest, ReturnsAnErrorWithoutAGuard) {
  const auto started =
      Child::start(&loop_, std::make_shared<GuardServer>(folder_ + "/no-guard"), shell("true"),
                   [](const ChildResult&) { FAIL() << "done after an error"; });
  ASSERT_FALSE(started.has_value());
  EXPECT_EQ(started.error().code, ErrorCode::kFailedPrecondition);
  EXPECT_THAT(started.error().message, HasSubstr("no-guard"));
}

TEST_P(ChildTest, EndsWithAnErrorForArgumentsThatAreTooLarge) {
  const auto result = run(spec({"/bin/echo", std::string(300'000, 'x')}));
  ASSERT_TRUE(result.error.has_value());
  EXPECT_EQ(result.error->code, ErrorCode::kInvalidArgument);
}

TEST_P(ChildTest, GivesManyArgumentsAndVariablesAsTheyAre) {
  ChildSpec child = shell("echo $# \"$1\" \"${#BIG}\" \"$EMPTY.\"");
  child.argv.insert(child.argv.end(), {"zero", "with a space", ""});
  for (int i = 0; i < 2'000; ++i) child.argv.emplace_back(100, 'x');
  child.env = {"BIG=" + std::string(100'000, 'y'), "EMPTY="};
  EXPECT_EQ(run(std::move(child)).exit_code, 0);
  EXPECT_EQ(out(), "2002 with a space 100000 .\n");
}

TEST_P(ChildTest, ReturnsAnErrorWhenDescriptorsAreExhausted) {
  struct rlimit old {};
  ::getrlimit(RLIMIT_NOFILE, &old);
  const int next = ::dup(0);
  ::close(next);
  for (int room = 0; room < 12; ++room) {
    ChildSpec child = shell("true");
    struct rlimit few = old;
    few.rlim_cur = static_cast<rlim_t>(next + 1 + room);
    ::setrlimit(RLIMIT_NOFILE, &few);
    auto started = Child::start(&loop_, server_, std::move(child),
                                [this](const ChildResult& result) { result_ = result; });
    ::setrlimit(RLIMIT_NOFILE, &old);
    if (started) {
      wait_until([this] { return result_.has_value(); }, "it ends all the same");
      result_.reset();
      continue;
    }
    EXPECT_EQ(started.error().code, ErrorCode::kResourceExhausted) << started.error().message;
    uv_run(&loop_, UV_RUN_DEFAULT);
  }
}

TEST_P(ChildTest, EndsEvenWhenNoDescriptorIsLeftToWatchItsGuardBy) {
  start(shell("sleep 300; :"));
  struct rlimit old {};
  ::getrlimit(RLIMIT_NOFILE, &old);
  struct rlimit none = old;
  none.rlim_cur = 0;
  ::setrlimit(RLIMIT_NOFILE, &none);
  wait_until([this] { return child_->guard_pid() > 0; }, "the guard has greeted");
  ::setrlimit(RLIMIT_NOFILE, &old);
  child_->cancel();
  wait_until([this] { return result_.has_value(); }, "the child has ended");
  EXPECT_EQ(result_->signal, SIGTERM);
}

TEST_P(ChildTest, RunsManyAtOnce) {
  int ended = 0;
  std::vector<std::unique_ptr<Child>> children;
  for (int i = 0; i < 40; ++i) {
    auto started = Child::start(&loop_, server_, shell("exit " + std::to_string(i)),
                                [&ended, i](const ChildResult& result) {
                                  EXPECT_EQ(result.exit_code, i);
                                  ++ended;
                                });
    ASSERT_TRUE(started.has_value()) << started.error().message;
    children.push_back(std::move(*started));
  }
  wait_until([&] { return ended == 40; }, "all end");
}

INSTANTIATE_TEST_SUITE_P(Each, ChildTest, testing::Bool(), ChildTest::name_of);

}  // namespace
}  // namespace filecall::worker
