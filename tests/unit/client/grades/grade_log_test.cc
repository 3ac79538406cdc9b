// SPDX-License-Identifier: MIT
#include "client/grades/grade_log.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "client/grades/grade_compaction.h"
#include "client/grades/grade_writer.h"
#include "os/regular_file.h"

namespace filecall::client {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Evaluation scored(double score) {
  Evaluation evaluation;
  evaluation.spec_digest = evaluation.response_digest = "sha256:" + std::string(64, '0');
  evaluation.item = "i";
  evaluation.outcome = EvaluationOutcome::kGraded;
  evaluation.score = score;
  evaluation.passed = score > 0.5;
  return evaluation;
}

class GradeLogTest : public testing::Test {
 protected:
  GradeLogTest() {
    char pattern[] = "/tmp/filecall-grades-XXXXXX";
    layout_ = spool::Layout(mkdtemp(pattern));
    std::filesystem::create_directories(layout_.client());
  }
  ~GradeLogTest() override { std::filesystem::remove_all(layout_.root()); }

  void append(std::string_view text) {
    std::filesystem::create_directories(layout_.eval());
    std::ofstream(layout_.grades(), std::ios::app) << text;
  }
  GradeLog log() const { return *GradeLog::open(layout_); }
  GradeWriter writer(GradeLog& log) {
    return *GradeWriter::open(layout_, log, [this](const std::string& text) { said_ += text; });
  }
  static double score_of(const GradeLog& log, std::string_view id, std::string_view name) {
    const auto found = log.find(id, name);
    return found && *found ? (*found)->score.value_or(-1) : -2;
  }
  std::uintmax_t bytes() const { return std::filesystem::file_size(layout_.grades()); }

  spool::Layout layout_{"/"};
  std::string said_;
};

TEST_F(GradeLogTest, ALogThatIsNotThereHasNothing) {
  EXPECT_EQ(score_of(log(), "a", "q"), -2);
  EXPECT_TRUE(log().names().empty());
  EXPECT_EQ(*compact_grades(
                layout_, [](std::string_view) { return true; }, false),
            0);
}

TEST_F(GradeLogTest, WhatIsWrittenIsFoundAtOnceAndLater) {
  GradeLog one = log();
  GradeWriter writes = writer(one);
  for (int round = 0; round < 3; ++round) {
    for (const char* id : {"a", "b"}) {
      ASSERT_TRUE(writes.put(id, "q", scored(round / 4.0)));
      EXPECT_EQ(score_of(one, id, "q"), round / 4.0);
    }
  }
  EXPECT_EQ(score_of(log(), "a", "q"), 0.5);
  EXPECT_EQ(score_of(log(), "a", "other"), -2);
  EXPECT_THAT(log().names(), ElementsAre("q"));
}

TEST_F(GradeLogTest, AGradeByOtherLabelsStandsBesideTheOneThatWasThere) {
  const auto by = [](double score, const std::string& labels) {
    Evaluation evaluation = scored(score);
    evaluation.metadata_digest = labels;
    return evaluation;
  };
  const auto score_by = [](const GradeLog& log, std::string_view labels) {
    const auto found = log.find("a", "q", labels);
    return found && *found ? (*found)->score.value_or(-1) : -2;
  };
  GradeLog one = log();
  GradeWriter writes = writer(one);
  ASSERT_TRUE(writes.put("a", "q", by(0.1, "")));
  EXPECT_FALSE(one.has_several("a", "q"));
  ASSERT_TRUE(writes.put("a", "q", by(0.2, "old")));
  ASSERT_TRUE(writes.put("a", "q", by(0.3, "new")));
  ASSERT_TRUE(writes.put("a", "q", by(0.4, "old")));
  ASSERT_TRUE(writes.put("b", "q", by(0.9, "new")));
  const auto check = [&](const GradeLog& seen) {
    EXPECT_TRUE(seen.has_several("a", "q"));
    EXPECT_FALSE(seen.has_several("b", "q"));
    EXPECT_EQ(score_by(seen, "old"), 0.4);
    EXPECT_EQ(score_by(seen, "new"), 0.3);
    EXPECT_EQ(score_by(seen, "unknown"), 0.1) << "the one that notes none";
  };
  check(one);
  check(log());
  ASSERT_GT(*compact_grades(
                layout_, [](std::string_view) { return false; }, false),
            0)
      << "the first line by old labels is replaced";
  check(log());
  EXPECT_EQ(*compact_grades(
                layout_, [](std::string_view) { return false; }, false),
            0);
}

TEST_F(GradeLogTest, TwoWritersSeeEachOthersLinesAfterARefresh) {
  GradeLog first = log();
  GradeLog second = log();
  GradeWriter one = writer(first);
  GradeWriter two = writer(second);
  for (int i = 0; i < 4; ++i) {
    ASSERT_TRUE(one.put(std::to_string(i), "one", scored(1)));
    ASSERT_TRUE(two.put(std::to_string(i), "two", scored(0)));
  }
  for (GradeLog* seen : {&first, &second}) {
    ASSERT_TRUE(seen->refresh());
    for (int i = 0; i < 4; ++i) {
      EXPECT_EQ(score_of(*seen, std::to_string(i), "one"), 1);
      EXPECT_EQ(score_of(*seen, std::to_string(i), "two"), 0);
    }
  }
}

TEST_F(GradeLogTest, ALineOfAnyLengthIsRead) {
  GradeLog one = log();
  GradeWriter writes = writer(one);
  for (const std::size_t length : {1U, 1000U, 1U << 20, 3U << 20}) {
    Evaluation evaluation = scored(1);
    evaluation.item = std::string(length, 'x');
    ASSERT_TRUE(writes.put(std::to_string(length), "q", evaluation));
  }
  for (const char* id : {"1", "1000", "1048576", "3145728"}) {
    EXPECT_EQ(score_of(log(), id, "q"), 1) << id;
  }
}

TEST_F(GradeLogTest, ATornLineIsLeftToTheNextWriterWhereverItWasCut) {
  const std::string whole = render_evaluation_record({"b", {{"q", scored(1)}}});
  for (std::size_t size = 1; size < whole.size(); size += 13) {
    std::filesystem::remove_all(layout_.eval());
    said_.clear();
    append(render_evaluation_record({"a", {{"q", scored(1)}}}));
    append(whole.substr(0, size));
    GradeLog one = log();
    EXPECT_TRUE(one.is_torn());
    EXPECT_EQ(score_of(one, "b", "q"), -2);
    EXPECT_EQ(*compact_grades(
                  layout_, [](std::string_view) { return true; }, false),
              0);
    ASSERT_TRUE(writer(one).put("c", "q", scored(0)));
    EXPECT_THAT(said_, HasSubstr("grades.jsonl.torn-1"));
    EXPECT_EQ(std::filesystem::file_size(layout_.grades() + ".torn-1"), size);
    EXPECT_EQ(score_of(one, "a", "q"), 1);
    EXPECT_EQ(score_of(one, "c", "q"), 0);
    EXPECT_TRUE(one.damage().empty());
  }
}

TEST_F(GradeLogTest, CompactionKeepsWhatCountsAndWhatNobodyCanRead) {
  GradeLog one = log();
  GradeWriter writes = writer(one);
  ASSERT_TRUE(writes.put("a", "q", scored(0)));
  ASSERT_TRUE(writes.put("gone", "q", scored(1)));
  ASSERT_TRUE(writes.put("a", "other", scored(1)));
  append("not JSON\n");
  ASSERT_TRUE(writes.put("a", "q", scored(0.75)));
  const auto is_gone = [](std::string_view id) { return id == "gone"; };
  const auto before = bytes();
  const std::int64_t frees = *compact_grades(layout_, is_gone, true);
  EXPECT_GT(frees, 0);
  EXPECT_EQ(bytes(), before) << "a dry run";
  EXPECT_EQ(*compact_grades(layout_, is_gone, false), frees);
  EXPECT_EQ(bytes(), before - static_cast<std::uintmax_t>(frees));
  EXPECT_EQ(*compact_grades(layout_, is_gone, false), 0);
  const GradeLog now = log();
  EXPECT_EQ(score_of(now, "a", "q"), 0.75);
  EXPECT_EQ(score_of(now, "a", "other"), 1);
  EXPECT_EQ(score_of(now, "gone", "q"), -2);
  EXPECT_THAT(now.damage(), HasSubstr("1 line cannot be read"));
  // A writer that was there before writes to the new file.
  ASSERT_TRUE(writes.put("late", "q", scored(1)));
  EXPECT_EQ(score_of(one, "late", "q"), 1);
  EXPECT_EQ(score_of(one, "a", "q"), 0.75);
  EXPECT_EQ(score_of(log(), "late", "q"), 1);
}

TEST_F(GradeLogTest, AnOlderFileTellsWhereNoLineDoes) {
  std::filesystem::create_directories(layout_.eval());
  const auto write = [&](const std::string& id, const EvaluationRecord& record) {
    std::ofstream(layout_.eval(id)) << render_evaluation_record(record);
  };
  write("a", {"a", {{"q", scored(0)}, {"old", scored(0.25)}}});
  write("b", {"b", {{"q", scored(0)}}});
  GradeLog one = log();
  ASSERT_TRUE(writer(one).put("a", "q", scored(1)));
  EXPECT_EQ(score_of(one, "a", "q"), 1);
  EXPECT_EQ(score_of(one, "a", "old"), 0.25);
  EXPECT_EQ(score_of(one, "b", "q"), 0);
  EXPECT_THAT(one.names(), ElementsAre("old", "q"));
  const auto all = evaluations_of(layout_, "a");
  const auto record = parse_evaluation_record(all->value_or(""), "a");
  ASSERT_TRUE(record);
  EXPECT_EQ(record->evaluations.at("q").score, 1);
  EXPECT_EQ(record->evaluations.at("old").score, 0.25);
  EXPECT_FALSE(evaluations_of(layout_, "c")->has_value());
}

TEST_F(GradeLogTest, ReadsNoLineWithoutAnEnd) {
  append("{}\n");
  std::filesystem::resize_file(layout_.grades(), std::uintmax_t{1} << 40);  // Takes no room.
  const auto opened = GradeLog::open(layout_);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, ErrorCode::kResourceExhausted);
  EXPECT_THAT(opened.error().message, HasSubstr("the line at byte 3"));
  const auto fd = open_regular(layout_.grades(), O_RDWR);
  const auto mended = mend_grades(fd->get(), layout_, [](const std::string&) {});
  ASSERT_FALSE(mended);
  EXPECT_EQ(mended.error().code, ErrorCode::kResourceExhausted);
}

}  // namespace
}  // namespace filecall::client
