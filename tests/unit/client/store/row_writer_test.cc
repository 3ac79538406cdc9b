// SPDX-License-Identifier: MIT
#include "client/store/row_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "client/store/state_store.h"

namespace filecall::client {
namespace {

using ::testing::SizeIs;

RequestRow polling_row(int number) {
  RequestRow row;
  row.request_id = "id" + std::to_string(number);
  row.command = "system.echo";
  row.owner = "me";
  row.progress.state = RequestState::kPolling;
  row.progress.attempt = 1;
  row.submitted_at = WallTime{seconds(1'790'000'000)};
  return row;
}

TEST(RowWriter, SaysOfEachOfManyRowsWhetherItWasThere) {
  auto store = *StateStore::open_in_memory();
  std::vector<RequestRow> rows;
  for (int i = 0; i < 100; ++i) rows.push_back(polling_row(i));
  std::vector<const RequestRow*> earlier;
  std::vector<const RequestRow*> all;
  for (int i = 0; i < 100; ++i) {
    all.push_back(&rows[static_cast<std::size_t>(i)]);
    if (i % 7 == 3 || i > 97) earlier.push_back(all.back());
  }
  ASSERT_TRUE(store->put_all(earlier));
  for (RequestRow& one : rows) one.command = "later";
  const auto is_new = store->insert_all(all);
  ASSERT_TRUE(is_new) << is_new.error().message;
  ASSERT_THAT(*is_new, SizeIs(100));
  for (int i = 0; i < 100; ++i) {
    const bool was_there = i % 7 == 3 || i > 97;
    EXPECT_EQ((*is_new)[static_cast<std::size_t>(i)], !was_there) << i;
    const auto kept = store->find("id" + std::to_string(i));
    ASSERT_TRUE(kept && *kept) << i;
    EXPECT_EQ((*kept)->command, was_there ? "system.echo" : "later") << i;
    EXPECT_EQ((*kept)->finished_at, std::nullopt) << i;
  }
}

TEST(RowWriter, KeepsEveryColumnOfManyRows) {
  auto store = *StateStore::open_in_memory();
  std::vector<RequestRow> rows;
  for (int i = 0; i < 40; ++i) {
    rows.push_back(polling_row(i));
    RequestRow& one = rows.back();
    one.progress.error_code = ErrorCode::kDataLoss;
    one.progress.error_message = "message " + std::to_string(i);
    if (i % 2 == 0) one.progress.counted_response = AnswerVersion{7, {8, i}};
    one.queued_ms = i;
    one.spend.cost = i * 0.5;
    one.progress.pauses = i + 1;
    one.progress.paused = milliseconds(i + 2);
  }
  std::vector<const RequestRow*> all;
  for (const RequestRow& one : rows) all.push_back(&one);
  ASSERT_TRUE(store->put_all(all));
  for (int i = 0; i < 40; ++i) {
    const auto kept = *store->find("id" + std::to_string(i));
    ASSERT_TRUE(kept) << i;
    EXPECT_EQ(kept->progress.error_message, "message " + std::to_string(i));
    ASSERT_EQ(kept->progress.counted_response.has_value(), i % 2 == 0) << i;
    if (i % 2 == 0) {
      EXPECT_EQ(kept->progress.counted_response->content[1], i);
    }
    EXPECT_EQ(kept->queued_ms, i);
    EXPECT_EQ(kept->spend.cost, i * 0.5);
    EXPECT_EQ(kept->progress.pauses, i + 1);
    EXPECT_EQ(kept->progress.paused, milliseconds(i + 2));
  }
}

}  // namespace
}  // namespace filecall::client
