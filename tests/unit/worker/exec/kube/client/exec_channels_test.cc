// SPDX-License-Identifier: MIT
#include "worker/exec/kube/client/exec_channels.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace filecall::worker::kube {
namespace {

std::string on(int channel, std::string_view text) {
  return std::string(1, static_cast<char>(channel)).append(text);
}

TEST(ExecChannels, KeepOutputsApartAndTakeTheFirstStatus) {
  ExecChannels channels;
  for (int channel = 0; channel < 4; ++channel) EXPECT_TRUE(channels.take(on(channel, "")));
  EXPECT_TRUE(channels.take(on(1, "a")));
  EXPECT_TRUE(channels.take(on(2, "e")));
  EXPECT_TRUE(channels.take(on(1, "b")));
  EXPECT_FALSE(channels.status());
  EXPECT_TRUE(channels.take(on(3, R"({"kind": "Status", "status": )")));
  EXPECT_FALSE(channels.status());
  EXPECT_TRUE(channels.take(on(3, R"("Success"})")));
  ASSERT_TRUE(channels.status());
  EXPECT_TRUE(channels.take(on(3, R"({"kind": "Status", "status": "Failure"})")));
  EXPECT_EQ(exit_code_of(*channels.status()).value_or(-1), 0);
  EXPECT_EQ(channels.standard_output().render(), "ab");
  EXPECT_EQ(channels.standard_error().render(), "e");
}

TEST(ExecChannels, DropWhatIsNoneOfTheirs) {
  ExecChannels channels;
  for (const std::string& message :
       {std::string(), on(0, "x"), on(4, ""), on(255, "\x01"), on(255, "\x03"), on(9, "x")}) {
    EXPECT_TRUE(channels.take(message));
  }
  EXPECT_EQ(channels.problem(), "");
  EXPECT_EQ(channels.standard_output().total_bytes(), 0U);
  EXPECT_FALSE(channels.take(on(3, std::string(65537, '['))));
  EXPECT_NE(channels.problem(), "");
  EXPECT_FALSE(channels.status());
  for (const char* none :
       {"[]", "7", "{}", R"({"kind": "Pod"})", "\xff", R"({"kind": "Pod", "status": "Success"})",
        R"({"kind": "Pod", "status": {"phase": "Running"}})", R"({"status": "Unknown"})",
        R"({"metadata": {}})", R"({"kind": 7, "status": "Success"})", R"("Success")"}) {
    ExecChannels no;
    EXPECT_TRUE(no.take(on(3, none)));
    EXPECT_FALSE(no.status()) << none;
  }
}

TEST(ExecChannels, TakeAStatusAsServersWriteIt) {
  // As pkg/kubelet/cri/streaming/remotecommand/exec.go of Kubernetes, and the runtimes with it.
  const std::pair<const char*, int> cases[] = {
      {R"({"metadata":{},"status":"Success"})", 0},
      {R"({"status":"Success"})", 0},  // Where Go leaves an empty struct out.
      {R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success"})", 0},
      {R"({"metadata":{},"status":"Failure","message":"command terminated with non-zero exit )"
       R"(code: error executing command [sh -c exit 3], exit code 3","reason":"NonZeroExitCode",)"
       R"("details":{"causes":[{"reason":"ExitCode","message":"3"}]}})",
       3},
  };
  for (const auto& [text, code] : cases) {
    ExecChannels channels;
    EXPECT_TRUE(channels.take(on(3, text)));
    ASSERT_TRUE(channels.status()) << text;
    EXPECT_EQ((*channels.status())["kind"], "Status");
    EXPECT_EQ(exit_code_of(*channels.status()).value_or(-1), code) << text;
  }
  ExecChannels failed;
  EXPECT_TRUE(failed.take(
      on(3, R"({"metadata":{},"status":"Failure","message":"Internal error occurred: error )"
            R"(executing command in container: container is not created or running",)"
            R"("reason":"InternalError","details":{"causes":[{"message":"error executing"}]},)"
            R"("code":500})")));
  ASSERT_TRUE(failed.status());
  EXPECT_EQ(exit_code_of(*failed.status()).error().details["reason"], "ContainerNotRunning");
}

TEST(ExecStatus, TellsAnExitCodeOrThatThereIsNone) {
  const auto of = [](const char* causes) {
    return exit_code_of(Json{{"kind", "Status"},
                             {"status", "Failure"},
                             {"reason", "NonZeroExitCode"},
                             {"details", {{"causes", Json::parse(causes)}}}});
  };
  EXPECT_EQ(of(R"([{"reason": "ExitCode", "message": "137"}])").value_or(0), 137);
  EXPECT_EQ(of(R"([{"reason": "x"}, {"reason": "ExitCode", "message": "2"}])").value_or(0), 2);
  EXPECT_EQ(of(R"([{"reason": "ExitCode", "message": "-1073741510"}])").value_or(0), -1073741510);
  for (const char* none :
       {"[]", "{}", "7", R"([7])", R"([{"reason": "ExitCode", "message": 2}])",
        R"([{"reason": "ExitCode", "message": "0"}])", R"([{"reason": "ExitCode", "message": ""}])",
        R"([{"reason": "ExitCode", "message": "2x"}])",
        R"([{"reason": "ExitCode", "message": "99999999999999999999"}])"}) {
    const auto outcome = of(none);
    ASSERT_FALSE(outcome) << none;
    EXPECT_EQ(outcome.error().details["ambiguous"], true) << none;
    EXPECT_EQ(outcome.error().retryable, false);
  }
}

TEST(ExecMessages, CarryInputAndItsEnd) {
  EXPECT_EQ(input_message("hi"), std::string("\0hi", 3));
  EXPECT_EQ(end_of_input_message(), std::string("\xff\0", 2));
}

}  // namespace
}  // namespace filecall::worker::kube
