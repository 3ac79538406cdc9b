// SPDX-License-Identifier: MIT
#include "worker/exec/kube/kube_watch_run.h"

#include <gtest/gtest.h>

namespace filecall::worker::kube {
namespace {

Failure failure(ErrorCode code, bool is_retryable) {
  Failure out;
  out.code = code;
  out.retryable = is_retryable;
  return out;
}

TEST(AfterWatch, GoesOnAsTheEndSays) {
  const Failure expired = failure(ErrorCode::kOutOfRange, false);
  const Failure broken = failure(ErrorCode::kUnavailable, true);
  const Failure forbidden = failure(ErrorCode::kPermissionDenied, false);
  const Failure busy = failure(ErrorCode::kResourceExhausted, true);
  struct Row {
    const Failure* problem;
    bool is_time_up;
    AfterWatch wanted;
  };
  const Row rows[] = {
      {nullptr, false, AfterWatch::kWatch}, {&expired, false, AfterWatch::kList},
      {&broken, false, AfterWatch::kList},  {&forbidden, false, AfterWatch::kGiveUp},
      {&busy, false, AfterWatch::kGiveUp},  {nullptr, true, AfterWatch::kTimeUp},
      {&broken, true, AfterWatch::kTimeUp}};
  for (const Row& row : rows) {
    int quick_ends = 0;
    WatchEnd end;
    end.is_time_up = row.is_time_up;
    end.problem = row.problem;
    end.lasted = seconds(5);
    EXPECT_EQ(after_watch(end, quick_ends), row.wanted);
  }
}

TEST(AfterWatch, WhatEndsAtOnceAgainAndAgainIsGivenUp) {
  int quick_ends = 0;
  WatchEnd quick;
  const auto asked = [&] {
    int count = 0;
    while (count < 100 && after_watch(quick, quick_ends) == AfterWatch::kWatch) ++count;
    return count;
  };
  EXPECT_LE(asked(), 5);
  // What brings events, or lasts, is none of these.
  for (const bool has_event : {true, false}) {
    quick_ends = 0;
    WatchEnd good;
    good.has_event = has_event;
    good.lasted = has_event ? Duration::zero() : seconds(2);
    for (int i = 0; i < 100; ++i) EXPECT_EQ(after_watch(good, quick_ends), AfterWatch::kWatch);
  }
}

TEST(CountEvent, AFloodHasAnEndAndBookmarksHaveASoonerOne) {
  const auto counted = [](bool is_change) {
    EventCount count;
    int events = 0;
    while (events < 10'000'000 && count_event(count, is_change)) ++events;
    return events;
  };
  EXPECT_GE(counted(false), 100);
  EXPECT_LE(counted(false), 2000);
  EXPECT_GE(counted(true), 50'000);
  EXPECT_LE(counted(true), 1'000'000);
}

}  // namespace
}  // namespace filecall::worker::kube
