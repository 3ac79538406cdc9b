// SPDX-License-Identifier: MIT
// Texts that somebody wrote to keep the worker busy. Each took time by the square of its size while
// a rule read on to the end of the text from each place where it applies.
#include <gtest/gtest.h>

#include <string>

#include "worker/exec/kube/model/credential_assignments.h"
#include "worker/exec/kube/model/credential_texts.h"
#include "worker/exec/kube/model/credential_values.h"
#include "worker/exec/kube/model/known_values.h"
#include "worker/exec/kube/model/quoted_objects.h"

namespace filecall::worker::kube {
namespace {

constexpr std::size_t kHostileBytes = 256 * 1024;

std::string repeated(std::string_view part, std::string_view end = "") {
  std::string text;
  while (text.size() < kHostileBytes) text += part;
  return text.append(end);
}

/// The bytes of a text that rules hide.
std::size_t hidden_bytes(const std::string& text) {
  std::vector<TextSpan> spans;
  find_credential_values(text, spans);
  find_credential_assignments(text, Assignments::kSettings, spans);
  find_credential_lines(text, spans);
  find_credential_flags(text, spans);
  find_spoken_credentials(text, spans);
  std::string shown = mask_spans(text, std::move(spans), [](std::string_view) { return "\x01"; });
  std::erase(shown, '\x01');
  return text.size() - shown.size();
}

TEST(HostileText, OfHostsWithoutPasswords) {
  EXPECT_EQ(hidden_bytes(repeated("@tcp(")), 0u);
  EXPECT_GT(hidden_bytes(repeated("@tcp(", "user:s3cret-Word@tcp(db)")), 0u);
  EXPECT_GT(hidden_bytes(":" + repeated("@tcp(")), kHostileBytes / 2) << "a colon, and no blank";
}

TEST(HostileText, OfBeginningsOfTokens) {
  EXPECT_EQ(hidden_bytes(repeated("/sk-sk")), 0u) << "no digit";
  EXPECT_EQ(hidden_bytes(repeated("/glc_")), 0u) << "no digit";
  EXPECT_GT(hidden_bytes(repeated("$2a$$6$")), kHostileBytes / 2);
  EXPECT_GT(hidden_bytes(repeated("/fm2_/glc_", "1")), kHostileBytes / 2);
}

TEST(HostileText, OfAnnouncements) {
  EXPECT_GT(hidden_bytes(repeated("authorization:")), kHostileBytes / 2);
  EXPECT_LT(hidden_bytes(repeated("authorization: a ", "${TOKEN}")), kHostileBytes / 2)
      << "the header names a variable";
  EXPECT_GT(hidden_bytes(repeated("/accountkey=")), kHostileBytes / 2);
  EXPECT_GT(hidden_bytes(repeated("://hooks.slack.com/services/")), kHostileBytes / 2);
}

TEST(HostileText, OfNamesOfCredentials) {
  EXPECT_GT(hidden_bytes(repeated("password=")), kHostileBytes / 2);
  EXPECT_GT(hidden_bytes(repeated("password=", "$(cat file)")), kHostileBytes / 2);
  EXPECT_GT(hidden_bytes(repeated("\"password\">")), kHostileBytes / 2);
  EXPECT_GT(hidden_bytes(repeated("\"password\">", std::string(kHostileBytes, ' '))), 0u);
  EXPECT_GT(hidden_bytes(repeated("password=x")), kHostileBytes / 2);
}

TEST(HostileText, OfCommands) {
  std::vector<TextSpan> spans;
  find_credential_flags("echo root:s3cret | " + repeated("chpasswd ", "-e"), spans);
  EXPECT_EQ(spans.size(), 1u) << "found once, not once a program";
}

TEST(HostileText, OfSecretsThatBeginAlike) {
  KnownValues known;
  for (int i = 0; i < 20'000; ++i) known.add("aaaaaa" + std::to_string(i));
  std::vector<TextSpan> spans;
  known.find(repeated("aaaaaa", "4711"), spans);
  ASSERT_FALSE(spans.empty());
  EXPECT_GE(spans.back().end, kHostileBytes);
}

TEST(HostileText, OfMapsInMessages) {
  EXPECT_EQ(without_quoted_objects(repeated("map[", "]")), "map[...]");
  EXPECT_EQ(without_quoted_objects("map[a:1] and [b]"), "map[...]");
}

}  // namespace
}  // namespace filecall::worker::kube
