// SPDX-License-Identifier: MIT
#include "worker/exec/kube/client/exec_output.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/random.h"

namespace filecall::worker::kube {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

const DigestKey kExecKey{};
const std::string kExecToken = "ghp_abcdefghijklmnopqrstuvwxyz0123456789";

std::string printed(std::string_view text) { return std::string("\x01").append(text); }
std::string errors(std::string_view text) { return std::string("\x02").append(text); }
const std::string kEnd = "\x03{\"metadata\":{},\"status\":\"Success\"}";

/// What is shown of an output that has ended, or has not.
std::string shown(const std::string& text, std::size_t bytes_max, bool has_ended = true) {
  ExecChannels channels;
  EXPECT_TRUE(channels.take(printed(text)));
  if (has_ended) {
    EXPECT_TRUE(channels.take(kEnd));
  }
  return exec_output(channels, Redactor(kExecKey), bytes_max)["stdout"];
}

TEST(ExecOutput, SaysWhatWasPrintedAndHowMuch) {
  ExecChannels channels;
  EXPECT_TRUE(channels.take(printed("a")));
  EXPECT_TRUE(channels.take(errors("e")));
  EXPECT_TRUE(channels.take(printed("b")));
  EXPECT_TRUE(channels.take(kEnd));
  EXPECT_EQ(exec_output(channels, Redactor(kExecKey), 1000),
            Json::parse(R"({"stdout": "ab", "stderr": "e", "stdout_bytes": 2, "stderr_bytes": 1,
                            "truncated": false})"));
}

TEST(ExecOutput, IsTheSameHoweverItCame) {
  std::string text;
  for (int i = 0; i < 60'000; ++i) text += "line " + std::to_string(i) + " ä\n";
  Json whole;
  Random random(3);
  for (int round = 0; round < 5; ++round) {
    ExecChannels channels;
    for (std::string_view rest = text; !rest.empty();) {
      const std::size_t size = round == 0 ? rest.size() : 1 + random.below(90'000);
      EXPECT_TRUE(channels.take(printed(rest.substr(0, size))));
      rest.remove_prefix(std::min(size, rest.size()));
    }
    const Json data = exec_output(channels, Redactor(kExecKey), 2000);
    if (round == 0) whole = data;
    ASSERT_EQ(data, whole);
  }
  EXPECT_EQ(whole["stdout_bytes"], text.size());
  EXPECT_EQ(whole["truncated"], true);
  const std::string shown = whole["stdout"];
  EXPECT_LE(shown.size(), 2100U);
  EXPECT_THAT(shown, StartsWith("line 0 ä\nline 1 ä\n"));
  EXPECT_THAT(shown, HasSubstr("ä\n[... the middle is left out ...]\nline "));
  EXPECT_THAT(shown, EndsWith("line 59999 ä\n"));
}

TEST(ExecOutput, TearsNoCharacterAndShowsNoHalfOfACredential) {
  ExecChannels channels;
  std::string umlauts;
  for (int i = 0; i < 5000; ++i) umlauts += "ü";
  EXPECT_TRUE(channels.take(printed("x" + umlauts)));
  EXPECT_THAT(std::string(exec_output(channels, Redactor(kExecKey), 1001)["stdout"]),
              Not(HasSubstr("\xef\xbf\xbd")));
  // Where the kept output was cut.
  ExecChannels cut;
  const std::string token = "ghp_abcdefghijklmnopqrstuvwxyz0123456789";
  EXPECT_TRUE(cut.take(printed(std::string(ExecChannels::kOutputBytes / 2 - 20, 'a'))));
  EXPECT_TRUE(cut.take(printed(token)));
  EXPECT_TRUE(cut.take(printed(std::string(ExecChannels::kOutputBytes, 'b'))));
  EXPECT_THAT(std::string(exec_output(cut, Redactor(kExecKey), 262144)["stdout"]),
              Not(HasSubstr("ghp_")));
}

TEST(ExecOutput, HidesWhatLogsAndFilesHold) {
  const std::string texts[] = {"passwords:\n  alice: hunter22hunter\n  bob: hunter22hunter\n",
                               "<user>u</user>\n<password>hunter22hunter</password>\n",
                               "define('DB_PASSWORD','hunter22hunter');\n",
                               "requirepass\thunter22hunter\n",
                               "login failed, the password is hunter22hunter\n",
                               "2026 INFO connect password=hunter22hunter ok\n"};
  for (const std::string& text : texts) {
    ExecChannels channels;
    EXPECT_TRUE(channels.take(printed(text)));
    EXPECT_THAT(std::string(exec_output(channels, Redactor(kExecKey), 1000)["stdout"]),
                Not(HasSubstr("hunter22")));
  }
}

/// A token across the place where the kept bytes of the beginning end (or of the end begin), in an
/// output of which little is left as text.
TEST(ExecOutput, ShowsNoHalfWhereTheMiddleWasDropped) {
  const std::size_t half = ExecChannels::kOutputBytes / 2;
  const std::string colours = [&] {
    std::string all;
    while (all.size() < half) all += "\x1b[31m\x1b[0m";
    return all;
  }();
  const auto filled = [&](std::size_t bytes) { return colours.substr(0, bytes); };
  const std::string middle(100'000, 'm');
  const std::string secrets[] = {kExecToken, "-----BEGIN PRIVATE KEY-----\n" + [] {
                                   std::string lines;
                                   for (int i = 0; i < 60; ++i) {
                                     lines += "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIB\n";
                                   }
                                   return lines;
                                 }() + "-----END PRIVATE KEY-----\n"};
  for (const std::string& secret : secrets) {
    const std::size_t part = secret.size() / 2;
    const std::string head = "begin\n" + filled(half - part - 6) + secret;
    const std::string tail = secret + filled(half - (secret.size() - part) - 4) + "\nend";
    const std::string text = shown(head + middle + tail, 262144);
    EXPECT_THAT(text, Not(HasSubstr(secret.substr(part - 12, 12))));
    EXPECT_THAT(text, Not(HasSubstr(secret.substr(part, 12))));
    EXPECT_THAT(text, HasSubstr("[... the middle is left out ...]"));
  }
}

TEST(ExecOutput, HidesAWordWhoseRestMayFollow) {
  const std::string begun = "login\n" + kExecToken.substr(0, 20);
  EXPECT_THAT(shown(begun, 1000), HasSubstr("ghp_"));
  EXPECT_EQ(shown(begun, 1000, false), "login\n[... the end had not come ...]");
  EXPECT_EQ(shown("Password: ", 1000, false), "Password: ");
  EXPECT_EQ(shown("go on? [y/N]", 1000, false), "go on? [y/N]");
  EXPECT_EQ(shown("50 %", 1000, false), "50 %");
  EXPECT_EQ(shown("a whole line\n", 1000, false), "a whole line\n");
  EXPECT_THAT(shown(std::string(3'000'000, 'x') + "\n" + begun, 1000, false),
              EndsWith("login\n[... the end had not come ...]"));
  ExecChannels channels;
  EXPECT_TRUE(channels.take(errors("unfinished")));
  EXPECT_EQ(exec_output(channels, Redactor(kExecKey), 1000)["truncated"], true);
}

}  // namespace
}  // namespace filecall::worker::kube
