// SPDX-License-Identifier: MIT
#include "client/threads/thread_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "client/threads/run_records.h"
#include "thread_place.h"

namespace filecall::client {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class ThreadReaderTest : public ThreadPlace {
 protected:
  /// Six records: the thread's first, two of each run, a note between them.
  void fill() {
    auto log = open_log();
    ASSERT_TRUE(log->append("run.begun", "run-a", {{"goal", "one"}}, at(2)));
    ASSERT_TRUE(log->append("note", "", {{"text", "\"run\":\"run-a\""}}, at(3)));
    ASSERT_TRUE(log->append("run.ended", "run-a", {{"status", "done"}}, at(4)));
    ASSERT_TRUE(log->append("run.begun", "run-b", {{"goal", "two"}}, at(5)));
    ASSERT_TRUE(log->append("run.ended", "run-b", {{"status", "failed"}}, at(6)));
  }
  static std::vector<std::int64_t> numbers(const std::vector<ThreadRecord>& records) {
    std::vector<std::int64_t> found;
    for (const ThreadRecord& record : records) found.push_back(record.seq);
    return found;
  }
};

TEST_F(ThreadReaderTest, ReadsTheLastOnesFromTheEnd) {
  fill();
  const auto all = all_records();
  for (std::size_t count = 0; count <= 8; ++count) {
    const auto page = read_last(layout(), "t", count);
    ASSERT_TRUE(page);
    const std::size_t expected = std::min<std::size_t>(count, 6);
    EXPECT_EQ(page->records,
              std::vector<ThreadRecord>(all.end() - static_cast<long>(expected), all.end()));
    EXPECT_TRUE(page->complete);
    EXPECT_EQ(page->has_older, count <= 6);
  }
}

TEST_F(ThreadReaderTest, ReadsARunAlone) {
  fill();
  const auto a = read_run(layout(), "t", "run-a");
  ASSERT_TRUE(a) << a.error().message;
  EXPECT_THAT(numbers(a->records), ElementsAre(2, 4));
  EXPECT_THAT(numbers(read_run(layout(), "t", "run-b")->records), ElementsAre(5, 6));
  EXPECT_EQ(read_run(layout(), "t", "run-c").error().code, ErrorCode::kNotFound);
  EXPECT_EQ(read_run(layout(), "none", "run-a").error().code, ErrorCode::kNotFound);
  // The note of where it begins is a hint.
  std::filesystem::remove_all(layout().threads_runs());
  EXPECT_THAT(numbers(read_run(layout(), "t", "run-b")->records), ElementsAre(5, 6));
}

TEST_F(ThreadReaderTest, ReadsWhatFollowsARecord) {
  fill();
  std::vector<ThreadRecord> records;
  const auto check = read_thread(layout(), "t", 4, [&](ThreadRecord&& record) -> Result<bool> {
    records.push_back(std::move(record));
    return true;
  });
  EXPECT_THAT(numbers(records), ElementsAre(5, 6));
  EXPECT_EQ(check->records, 6);
}

TEST_F(ThreadReaderTest, GoesOnWithWhatIsAppendedLater) {
  fill();
  auto reader = ThreadReader::open(layout(), "t");
  ASSERT_TRUE(reader);
  int count = 0;
  while (reader->next()->has_value()) ++count;
  EXPECT_EQ(count, 6);
  EXPECT_FALSE(reader->next()->has_value());
  ASSERT_TRUE(open_log()->append("steer", "run-b", {{"text", "go on"}}, at(7)));
  const auto later = *reader->next();
  ASSERT_TRUE(later);
  EXPECT_EQ(later->seq, 7);
  EXPECT_EQ(later->type, "steer");
}

TEST_F(ThreadReaderTest, NamesABadLineAndPassesOverIt) {
  fill();
  std::string text = file_text();
  const std::size_t at = text.find("\"goal\":\"two\"");
  text.replace(at, 12, "\"goal\":\"2wo\"");
  write_file(text);
  ThreadCheck check;
  EXPECT_THAT(numbers(all_records("t", &check)), ElementsAre(1, 2, 3, 4, 6));
  ASSERT_THAT(check.bad, SizeIs(1));
  EXPECT_EQ(check.bad[0].line, 5);
  EXPECT_THAT(bad_line_text("t.jsonl", check.bad[0]), HasSubstr("t.jsonl: line 5, at byte"));
  const auto page = read_last(layout(), "t", 3);
  EXPECT_THAT(numbers(page->records), ElementsAre(3, 4, 6));
  EXPECT_FALSE(page->complete);
  ASSERT_THAT(page->bad, SizeIs(1));
  EXPECT_EQ(page->bad[0].offset, check.bad[0].offset);
}

TEST_F(ThreadReaderTest, NamesWhatWasTakenOutOrPutInTwice) {
  fill();
  const std::string text = file_text();
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin) + 1;
    lines.push_back(text.substr(begin, end - begin));
    begin = end;
  }
  write_file(lines[0] + lines[1] + lines[4] + lines[5]);
  ThreadCheck check;
  EXPECT_THAT(numbers(all_records("t", &check)), ElementsAre(1, 2, 5, 6));
  ASSERT_THAT(check.bad, SizeIs(1));
  EXPECT_THAT(check.bad[0].reason, HasSubstr("records 3 to 4 are missing"));
  EXPECT_EQ(read_last(layout(), "t", 6)->bad[0].reason, check.bad[0].reason);

  write_file(lines[0] + lines[1] + lines[2] + lines[1] + lines[3]);
  EXPECT_THAT(numbers(all_records("t", &check)), ElementsAre(1, 2, 3, 4));
  ASSERT_THAT(check.bad, SizeIs(1));
  EXPECT_EQ(check.bad[0].line, 4);
  EXPECT_THAT(check.bad[0].reason, HasSubstr("its number 2 is not above 3"));
}

/// Whatever one byte becomes, and wherever the file ends: what is read was written, in its order,
/// and what is not read is named.
TEST_F(ThreadReaderTest, InventsNothingWhateverHappensToAByte) {
  auto log = open_log();
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(log->append("note", "run-a", {{"i", i}}, at(i)));
  log.reset();
  const std::string text = file_text();
  std::map<std::int64_t, ThreadRecord> written;
  for (const ThreadRecord& record : all_records()) written[record.seq] = record;
  const auto check_all = [&](const std::string& what) {
    ThreadCheck check;
    const auto forward = all_records("t", &check);
    const auto backward = read_last(layout(), "t", 100);
    ASSERT_TRUE(backward) << what;
    for (const auto& records : {forward, backward->records}) {
      std::int64_t before = 0;
      for (const ThreadRecord& record : records) {
        ASSERT_GT(record.seq, before) << what;
        ASSERT_EQ(record, written[record.seq]) << what;
        before = record.seq;
      }
    }
    const bool is_whole = forward.size() == written.size();
    const bool lost_its_end = check.bad_count == 0 && check.torn_bytes == 0 &&
                              (forward.empty() || forward.back().seq < 3);
    EXPECT_TRUE(is_whole || check.bad_count > 0 || check.torn_bytes > 0 || lost_its_end) << what;
    EXPECT_EQ(backward->complete, check.bad_count == 0 && check.torn_bytes == 0) << what;
  };
  for (std::size_t i = 0; i <= text.size(); ++i) {
    write_file(text.substr(0, i));
    check_all("cut at " + std::to_string(i));
    if (i == text.size()) break;
    for (const char other : {'\n', static_cast<char>(text[i] ^ 1)}) {
      if (text[i] == other) continue;
      std::string damaged = text;
      damaged[i] = other;
      write_file(damaged);
      check_all("byte " + std::to_string(i) + " is " + std::to_string(other));
    }
    std::string longer = text;
    longer.insert(i, 1, '\n');
    write_file(longer);
    check_all("before byte " + std::to_string(i));
  }
}

TEST_F(ThreadReaderTest, PassesOverALineThatIsTooLong) {
  fill();
  write_file(file_text() + std::string(3'000'000, 'x') + "\n");
  ASSERT_TRUE(open_log()->append("note", "", Json::object(), at(9)));
  ThreadCheck check;
  EXPECT_THAT(numbers(all_records("t", &check)), ElementsAre(1, 2, 3, 4, 5, 6, 8));
  ASSERT_THAT(check.bad, SizeIs(1));
  EXPECT_THAT(check.bad[0].reason, HasSubstr("longer"));
  EXPECT_THAT(numbers(read_last(layout(), "t", 2)->records), ElementsAre(6, 8));
}

TEST_F(ThreadReaderTest, ReadsNoFileThatIsALinkOrAFolder) {
  fill();
  std::filesystem::rename(layout().thread("t"), directory_ + "/elsewhere");
  std::filesystem::create_symlink(directory_ + "/elsewhere", layout().thread("t"));
  EXPECT_EQ(read_last(layout(), "t", 1).error().code, ErrorCode::kFailedPrecondition);
  EXPECT_EQ(ThreadLog::open(layout(), "t", options()).error().code, ErrorCode::kFailedPrecondition);
}

}  // namespace
}  // namespace filecall::client
