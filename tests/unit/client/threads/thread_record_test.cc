// SPDX-License-Identifier: MIT
#include "client/threads/thread_record.h"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/hash.h"

namespace filecall::client {
namespace {

using testing::HasSubstr;

ThreadRecord record_of(std::int64_t seq, Json data, std::string run = "run-a") {
  return {seq, "2026-11-20T22:31:27.104Z", "message", std::move(run), std::move(data)};
}

std::string checked(const std::string& part) {
  return part + fmt::format(R"(,"check":"{:016x}"}})", hash64(part));
}

TEST(ThreadRecord, IsALineWithItsKeysInOneOrder) {
  const std::string line = render_thread_line(record_of(7, {{"role", "user"}, {"text", "hi\n"}}));
  EXPECT_THAT(line, testing::StartsWith(R"({"seq":7,"at":"2026-11-20T22:31:27.104Z",)"
                                        R"("type":"message","run":"run-a","data":{"role":"user",)"
                                        R"("text":"hi\n"},"check":")"));
  EXPECT_EQ(line.find('\n'), std::string::npos);
  EXPECT_EQ(render_thread_line(record_of(7, Json::object(), "")).find("run"), std::string::npos);
}

TEST(ThreadRecord, ReadsBackWhatItWrote) {
  for (const Json& data : {Json::object(), Json{{"text", "\",\"check\":\"0123456789abcdef\"}"}},
                           Json{{"n", -1}, {"x", 0.5}, {"deep", {{{"a", {1, 2, 3}}}}}},
                           Json{{"text", "ä 漢 \u0000 \u2028"}}}) {
    for (const std::string run : {"", "run-1", "a \"b\""}) {
      const ThreadRecord record = record_of(1, data, run);
      const auto read = parse_thread_line(render_thread_line(record));
      ASSERT_TRUE(read) << read.error();
      EXPECT_EQ(*read, record);
    }
  }
}

TEST(ThreadRecord, SaysWhyALineIsNone) {
  const std::string at = R"("at":"2026-11-20T22:31:27.104Z")";
  const struct {
    std::string line;
    const char* reason;
  } rows[] = {
      {"", "an empty line"},
      {"hello", "check"},
      {R"({"seq":1,"check":"0000000000000000"})", "check"},
      {checked("{"), "1"},
      {checked(R"("seq":1)"), "1"},
      {checked(R"({"seq":0,)" + at + R"(,"type":"t","data":{})"), "'seq'"},
      {checked(R"({"seq":1.5,)" + at + R"(,"type":"t","data":{})"), "'seq'"},
      {checked(R"({"seq":"1",)" + at + R"(,"type":"t","data":{})"), "'seq'"},
      {checked(R"({"seq":99999999999999999999,)" + at + R"(,"type":"t","data":{})"), ""},
      {checked(R"({"seq":1,"at":1,"type":"t","data":{})"), "'at'"},
      {checked(R"({"seq":1,"at":"yesterday","type":"t","data":{})"), "no time"},
      {checked(R"({"seq":1,)" + at + R"(,"data":{})"), "'type'"},
      {checked(R"({"seq":1,)" + at + R"(,"type":"t","run":1,"data":{})"), "'run'"},
      {checked(R"({"seq":1,)" + at + R"(,"type":"t","data":[])"), "'data'"},
      {checked(R"({"seq":1,)" + at + R"(,"type":"t")"), "'data'"},
      {checked(R"({"seq":1,"seq":2,)" + at + R"(,"type":"t","data":{})"), "seq"},
  };
  for (const auto& row : rows) {
    const auto read = parse_thread_line(row.line);
    ASSERT_FALSE(read) << row.line;
    EXPECT_THAT(read.error(), HasSubstr(row.reason)) << row.line;
  }
}

TEST(ThreadRecord, IsNoOtherOneWhenOneBitIsAnother) {
  const std::string line = render_thread_line(record_of(12, {{"text", "one"}}));
  for (std::size_t i = 0; i < line.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string other = line;
      other[i] = static_cast<char>(other[i] ^ (1 << bit));
      EXPECT_FALSE(parse_thread_line(other)) << other;
      EXPECT_FALSE(read_thread_line_head(other)) << other;
    }
  }
  EXPECT_EQ(read_thread_line_head(line)->seq, 12);
  EXPECT_EQ(read_thread_line_head(line)->type, "message");
}

}  // namespace
}  // namespace filecall::client
