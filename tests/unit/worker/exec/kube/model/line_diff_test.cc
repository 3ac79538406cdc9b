// SPDX-License-Identifier: MIT
#include "worker/exec/kube/model/line_diff.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <vector>

#include "base/random.h"
#include "base/take_until.h"
#include "worker/exec/kube/model/object_diff.h"
#include "worker/exec/kube/model/redaction.h"

namespace filecall::worker::kube {
namespace {

constexpr std::size_t kRoom = 4096;

std::string numbered(int count, int changed, const char* to) {
  std::string out;
  for (int i = 1; i <= count; ++i)
    out += i == changed ? fmt::format("{}\n", to) : fmt::format("line {}\n", i);
  return out;
}

TEST(LineDiff, IsWrittenAsDiffDoes) {
  EXPECT_EQ(line_diff("a\nb\nc\n", "a\nx\nc\nz\n", kRoom).text,
            "@@ -1,3 +1,4 @@\n a\n-b\n+x\n c\n+z\n");
  EXPECT_EQ(line_diff("", "a\n", kRoom).text, "@@ -0,0 +1 @@\n+a\n");
  EXPECT_EQ(line_diff("a\n", "", kRoom).text, "@@ -1 +0,0 @@\n-a\n");
  EXPECT_EQ(line_diff("a\n", "a\n", kRoom).text, "");
}

TEST(LineDiff, ShowsALineFarDownInALongText) {
  const LineDiff diff = line_diff(numbered(1000, 0, ""), numbered(1000, 480, "timeout 5"), kRoom);
  EXPECT_EQ(diff.text,
            "@@ -477,7 +477,7 @@\n line 477\n line 478\n line 479\n-line 480\n+timeout 5\n"
            " line 481\n line 482\n line 483\n");
  EXPECT_EQ(diff.removed, 1u);
  EXPECT_EQ(diff.added, 1u);
}

TEST(LineDiff, IsBoundedAndSaysSo) {
  std::string before, after;
  for (int i = 0; i < 2000; ++i) {
    before += fmt::format("line {}\n", i);
    after += i % 20 == 0 ? fmt::format("other {}\n", i) : fmt::format("line {}\n", i);
  }
  const LineDiff diff = line_diff(before, after, 1000);
  EXPECT_LE(diff.text.size(), 1100u);
  EXPECT_GT(diff.left_out_hunks, 50u);
  EXPECT_EQ(diff.added, 100u);
  const LineDiff whole = line_diff(numbered(900, 0, ""), std::string(500'000, 'x'), 1000);
  EXPECT_LE(whole.text.size(), 1100u);
  EXPECT_NE(whole.text.find("this hunk goes on"), std::string::npos);
}

TEST(LineDiff, ShowsWhereLongLinesDiffer) {
  const std::string before = "x\n" + std::string(5000, 'a') + "1" + std::string(5000, 'b') + "\n";
  const std::string after = "x\n" + std::string(5000, 'a') + "2" + std::string(5000, 'b') + "\n";
  const std::string text = line_diff(before, after, kRoom).text;
  EXPECT_NE(text.find("a1b"), std::string::npos) << text;
  EXPECT_NE(text.find("a2b"), std::string::npos) << text;
  EXPECT_LT(text.size(), 600u);
}

TEST(LineDiff, TellsOfALostEndOfLine) {
  EXPECT_EQ(line_diff("a\n", "a", kRoom).text,
            "@@ -1 +1 @@\n-a\n+a\n\\ No newline at end of file\n");
  EXPECT_EQ(line_diff("a", "a\n", kRoom).text,
            "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n");
}

/// What the second text is by the first and the hunks.
std::string patched(const std::string& before, std::string_view diff) {
  std::vector<std::string> old_lines;
  for (std::string_view rest = before; !rest.empty();) {
    old_lines.emplace_back(take_until(&rest, '\n'));
  }
  std::string out;
  std::size_t at = 0;
  while (!diff.empty()) {
    const std::string line(take_until(&diff, '\n'));
    if (line.starts_with("@@")) {
      const std::string range = line.substr(4, line.find('+') - 5);
      const auto begin = static_cast<std::size_t>(std::stoul(range));
      const std::size_t first = range.ends_with(",0") ? begin : begin - 1;
      while (at < first) out += old_lines[at++] + "\n";
    } else if (line[0] == '+') {
      out += line.substr(1) + "\n";
    } else {
      EXPECT_EQ(line.substr(1), old_lines[at]);
      if (line[0] == ' ') out += old_lines[at] + "\n";
      ++at;
    }
  }
  while (at < old_lines.size()) out += old_lines[at++] + "\n";
  return out;
}

TEST(LineDiff, TurnsOneTextIntoTheOther) {
  Random random(4);
  for (int round = 0; round < 300; ++round) {
    const auto text = [&] {
      std::string out;
      for (auto left = random.below(30); left > 0; --left) {
        out += std::string(1, static_cast<char>('a' + random.below(4))) + "\n";
      }
      return out;
    };
    const std::string before = text();
    const std::string after = text();
    ASSERT_EQ(patched(before, line_diff(before, after, 100'000).text), after) << before;
  }
}

TEST(LineDiff, StandsInTheChangesOfAnObject) {
  const Json before = {{"data", {{"app.conf", numbered(1000, 0, "")}}}};
  const Json after = {{"data", {{"app.conf", numbered(1000, 480, "timeout 5")}}}};
  const Json changes = diff_objects(before, after)["changes"];
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_EQ(changes[0]["path"], "/data/app.conf");
  EXPECT_EQ(changes[0]["lines"], Json({{"removed", 1}, {"added", 1}}));
  EXPECT_NE(changes[0]["diff"].get<std::string>().find("+timeout 5\n"), std::string::npos);
}

TEST(LineDiff, SaysThatSomethingInsideAHiddenPartChanges) {
  const auto hidden = [](const char* password) {
    Redactor redactor(DigestKey{});
    return redactor.redact(
        {{"kind", "ConfigMap"},
         {"data", {{"a.yaml", fmt::format("port: 1\npassword: {}\n", password)}}}},
        {"", "ConfigMap"});
  };
  const Json changes = diff_objects(hidden("hunter2"), hidden("hunter3"))["changes"];
  ASSERT_EQ(changes.size(), 1u);
  const std::string diff = changes[0]["diff"];
  EXPECT_NE(diff.find("-password: [redacted"), std::string::npos) << diff;
  EXPECT_NE(diff.find("+password: [redacted"), std::string::npos) << diff;
  EXPECT_EQ(diff.find("hunter"), std::string::npos);
}

TEST(LineDiff, TellsBinaryDataOfOneSizeApart) {
  const auto binary = [](const char* value) {
    Redactor redactor(DigestKey{});
    return redactor.redact({{"kind", "ConfigMap"}, {"binaryData", {{"b", value}}}},
                           {"", "ConfigMap"});
  };
  EXPECT_EQ(diff_objects(binary("AAECAw=="), binary("AAECBA=="))["changes"].size(), 1u);
}

TEST(Fingerprint, ChangesWithEverythingThatIsNotTheServers) {
  const Redactor redactor(DigestKey{});
  const auto of = [&](const char* text) { return redactor.fingerprint(Json::parse(text)); };
  const std::string base = of(R"({"metadata": {"name": "a", "uid": "1"}, "data": {"k": "eA=="}})");
  EXPECT_EQ(of(R"({"metadata": {"name": "a", "resourceVersion": "2"}, "data": {"k": "eA=="}})"),
            base);
  EXPECT_NE(of(R"({"metadata": {"name": "a"}, "data": {"k": "eQ=="}})"), base);
  EXPECT_NE(of(R"({"metadata": {"name": "a", "annotations": {
                   "kubectl.kubernetes.io/last-applied-configuration": "{}"}},
                   "data": {"k": "eA=="}})"),
            base);
}

}  // namespace
}  // namespace filecall::worker::kube
