// SPDX-License-Identifier: MIT
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <memory>
#include <string>
#include <utility>

#include "client/store/state_store.h"

namespace filecall::client {

/// A folder of its own for one state database; what is in it goes with the test.
class StateStoreFixture : public ::testing::Test {
 protected:
  static constexpr WallTime kNow{seconds(1'790'000'000)};

  StateStoreFixture() {
    std::string pattern = ::testing::TempDir() + "/filecall-store-XXXXXX";
    directory_ = ::mkdtemp(pattern.data());
    path_ = directory_ + "/state.db";
  }
  ~StateStoreFixture() override { std::filesystem::remove_all(directory_); }

  std::unique_ptr<StateStore> open() {
    auto store = StateStore::open(path_, Durability::kNone, kNow);
    EXPECT_TRUE(store) << store.error().message;
    return std::move(*store);
  }
  static RequestRow row(std::string id, RequestState state = RequestState::kPolling) {
    RequestRow row;
    row.request_id = std::move(id);
    row.command = "system.echo";
    row.owner = "me";
    row.progress.state = state;
    row.progress.attempt = 1;
    row.progress.changed_at = kNow;
    row.submitted_at = kNow;
    if (is_final(state)) row.finished_at = kNow;
    return row;
  }

  std::string directory_;
  std::string path_;
};

}  // namespace filecall::client
