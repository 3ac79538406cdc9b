// SPDX-License-Identifier: MIT
#include "client/cli/worker_notice.h"

#include <gtest/gtest.h>

namespace filecall::client {
namespace {

constexpr MonotonicTime kStart{seconds(100)};

TEST(WorkerNotice, SpeaksOnceWhenNoWorkerIsSeenForAWhile) {
  WorkerNotice notice("/root", false);
  EXPECT_FALSE(notice.look("not running", kStart));
  EXPECT_FALSE(notice.look("unknown", kStart + seconds(1)));
  const auto text = notice.look("unknown", kStart + seconds(2));
  ASSERT_TRUE(text);
  EXPECT_NE(text->find("filecall worker start --root /root"), std::string::npos);
  EXPECT_FALSE(notice.look("unknown", kStart + seconds(60)));
}

TEST(WorkerNotice, IsSilentWhileAWorkerComes) {
  WorkerNotice notice("/root", false);
  EXPECT_FALSE(notice.look("not running", kStart));
  EXPECT_FALSE(notice.look("starting", kStart + seconds(1)));
  EXPECT_FALSE(notice.look("not running", kStart + seconds(2)));
}

TEST(WorkerNotice, IsSilentWhenTheRunStartsWorkersItself) {
  WorkerNotice notice("/root", true);
  EXPECT_FALSE(notice.look("not running", kStart));
  EXPECT_FALSE(notice.look("not running", kStart + seconds(60)));
}

}  // namespace
}  // namespace filecall::client
