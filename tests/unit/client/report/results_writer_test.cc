// SPDX-License-Identifier: MIT
#include "client/report/results_writer.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "ipc/json.h"
#include "os/io.h"
#include "outcomes.h"

namespace filecall::client {
namespace {

class ResultsWriterTest : public testing::Test {
 protected:
  void SetUp() override {
    char pattern[] = "/tmp/filecall-results-XXXXXX";
    root_ = mkdtemp(pattern);
    std::filesystem::create_directories(layout().responses());
  }
  void TearDown() override { std::filesystem::remove_all(root_); }
  spool::Layout layout() const { return spool::Layout(root_); }

  std::string root_;
};

TEST_F(ResultsWriterTest, JoinsTheDataOfSuccessfulResponses) {
  std::ofstream(layout().response("a"))
      << R"({"request_id":"a","status":"success","data":{"n":1}})";
  const std::string path = root_ + "/results.jsonl";
  auto writer = ResultsWriter::create(path, layout());
  ASSERT_TRUE(writer) << writer.error().message;
  writer->add(success_outcome("a", 12, 2));
  writer->add(success_outcome("lost", 12));
  writer->add(gave_up_outcome("b", ErrorCode::kUnavailable, "later"));
  EXPECT_NE(::access(path.c_str(), F_OK), 0) << "the name must appear only when complete";
  const auto finished = writer->finish();
  ASSERT_FALSE(finished) << "an answer is not there";
  EXPECT_EQ(finished.error().code, ErrorCode::kDataLoss);

  const auto text = read_file(path, 1 << 20);
  ASSERT_TRUE(text);
  const std::size_t first = text->find('\n');
  const std::size_t second = text->find('\n', first + 1);
  const Json a = Json::parse(text->substr(0, first));
  EXPECT_EQ(a["data"], Json({{"n", 1}}));
  EXPECT_EQ(a["status"], "success");
  EXPECT_EQ(a["attempts"], 2);
  const Json lost = Json::parse(text->substr(first, second - first));
  EXPECT_TRUE(lost["data"].is_null());
  EXPECT_TRUE(lost.contains("data_problem"));
  const Json b = Json::parse(text->substr(second));
  EXPECT_EQ(b["error_code"], "unavailable");
  EXPECT_EQ(b["state"], "GAVE_UP");
  EXPECT_FALSE(b.contains("metadata"));
}

TEST_F(ResultsWriterTest, AFailureHasTheMetadataOfItsRequest) {
  std::filesystem::create_directories(layout().requests());
  std::ofstream(layout().request("b"))
      << R"({"request_id":"b","command":"system.echo","metadata":{"item":"one"}})";
  const std::string path = root_ + "/results.jsonl";
  auto writer = ResultsWriter::create(path, layout());
  ASSERT_TRUE(writer) << writer.error().message;
  writer->add(gave_up_outcome("b", ErrorCode::kUnavailable, "later"));
  ASSERT_TRUE(writer->finish());
  const auto text = read_file(path, 1 << 20);
  ASSERT_TRUE(text);
  EXPECT_EQ(Json::parse(*text)["metadata"], Json({{"item", "one"}}));
}

TEST_F(ResultsWriterTest, AnUnwritablePlaceIsToldAtOnce) {
  EXPECT_FALSE(ResultsWriter::create(root_ + "/missing/results.jsonl", layout()));
}

}  // namespace
}  // namespace filecall::client
