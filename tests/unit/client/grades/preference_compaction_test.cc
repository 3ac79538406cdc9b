// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "client/grades/grade_compaction.h"
#include "client/grades/preference_log.h"

namespace filecall::client {
namespace {

class PreferenceCompaction : public testing::Test {
 protected:
  PreferenceCompaction() {
    char pattern[] = "/tmp/filecall-preferences-XXXXXX";
    layout_ = spool::Layout(mkdtemp(pattern));
    std::filesystem::create_directories(layout_.client());
    std::filesystem::create_directories(layout_.eval());
  }
  ~PreferenceCompaction() override { std::filesystem::remove_all(layout_.root()); }

  /// Returns how many bytes the line has.
  std::int64_t append(const std::string& a, const std::string& b, const std::string& evaluation,
                      Preference winner) {
    PairRecord record;
    record.evaluation = evaluation;
    record.rule_digest = "sha256:rule";
    record.item = "i";
    record.a = {a, "sha256:a", "small"};
    record.b = {b, "sha256:b", "large"};
    record.verdict.winner = winner;
    const std::string line = render_pair_record(record);
    append(line);
    return static_cast<std::int64_t>(line.size());
  }
  void append(std::string_view text) {
    std::ofstream(layout_.preferences(), std::ios::app) << text;
  }
  std::string bytes() const {
    std::ifstream in(layout_.preferences());
    return {std::istreambuf_iterator<char>(in), {}};
  }
  std::int64_t compact(bool dry_run = false) const {
    const auto is_gone = [](std::string_view id) { return id.starts_with("gone"); };
    const auto freed = compact_preferences(layout_, is_gone, dry_run);
    EXPECT_TRUE(freed);
    return freed.value_or(-1);
  }

  spool::Layout layout_{"/"};
};

TEST_F(PreferenceCompaction, AFileThatIsNotThereFreesNothing) {
  EXPECT_EQ(compact(), 0);
  EXPECT_FALSE(std::filesystem::exists(layout_.preferences()));
}

TEST_F(PreferenceCompaction, LinesOfResponsesThatAreGoneAndReplacedOnesGo) {
  std::int64_t goes = 0;
  goes += append("gone-1", "b", "q", Preference::kA);
  goes += append("a", "gone-2", "q", Preference::kA);
  goes += append("a", "b", "q", Preference::kA);
  append("a", "b", "other", Preference::kA);
  append("b", "a", "q", Preference::kA);
  append("{}\n");
  append("a", "b", "q", Preference::kTie);
  const std::string before = bytes();
  EXPECT_EQ(compact(true), goes);
  EXPECT_EQ(bytes(), before);
  EXPECT_EQ(compact(), goes);
  EXPECT_EQ(static_cast<std::int64_t>(before.size() - bytes().size()), goes);
  const auto log = PreferenceLog::open(layout_);
  ASSERT_TRUE(log);
  ASSERT_EQ(log->records().size(), 3u);
  EXPECT_EQ(log->records()[0].evaluation, "other");
  EXPECT_EQ(log->records()[1].a.request_id, "b");
  EXPECT_EQ(log->records()[2].verdict.winner, Preference::kTie);
  EXPECT_FALSE(log->damage().empty()) << "the line that cannot be read stays";
  EXPECT_EQ(compact(), 0);
}

TEST_F(PreferenceCompaction, ATornFileStaysAsItIs) {
  append("gone-1", "b", "q", Preference::kA);
  append("{\"evaluation\": ");
  const std::string before = bytes();
  EXPECT_EQ(compact(), 0);
  EXPECT_EQ(bytes(), before);
}

}  // namespace
}  // namespace filecall::client
