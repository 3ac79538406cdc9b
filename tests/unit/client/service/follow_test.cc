// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "client/service/event_tail.h"
#include "client/service/follow_facts.h"
#include "tests/unit/client/engine/fake_worker.h"

namespace filecall::client {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> lines_of(EventTail& tail) {
  std::vector<std::string> lines;
  EXPECT_TRUE(tail.read([&](std::string_view line) { lines.emplace_back(line); }));
  return lines;
}

void append(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::app) << text;
}

TEST(EventTail, GivesEachWholeLineOnce) {
  const TemporaryRoot root;
  const std::string path = root.path() + "/a.jsonl";
  EventTail tail(path);
  EXPECT_THAT(lines_of(tail), ElementsAre()) << "no file yet";
  append(path, "one\ntwo\nthr");
  EXPECT_THAT(lines_of(tail), ElementsAre("one", "two"));
  EXPECT_THAT(lines_of(tail), ElementsAre());
  append(path, "ee\n\nfive\n");
  EXPECT_THAT(lines_of(tail), ElementsAre("three", "", "five"));
}

TEST(EventTail, ForgetsATornLineThatTheNextWorkerCutsOff) {
  const TemporaryRoot root;
  const std::string path = root.path() + "/a.jsonl";
  EventTail tail(path);
  append(path, "one\ntorn and torn");
  EXPECT_THAT(lines_of(tail), ElementsAre("one"));
  std::filesystem::resize_file(path, 4);
  append(path, "two\n");
  EXPECT_THAT(lines_of(tail), ElementsAre("two"));
  std::filesystem::rename(path, path + ".old");
  append(path, "another file, with a longer line\n");
  EXPECT_THAT(lines_of(tail), ElementsAre("another file, with a longer line"));
}

TEST(EventTail, ReadsLinesOfAnyLength) {
  const TemporaryRoot root;
  const std::string path = root.path() + "/a.jsonl";
  const std::string line(3'000'000, 'x');
  append(path, line + "\n" + line + "\nend\n");
  EventTail tail(path);
  EXPECT_THAT(lines_of(tail), ElementsAre(line, line, "end"));
}

RequestEntry entry(RequestState state, bool owner_is_alive = false) {
  RequestEntry made;
  made.state = state;
  made.owner_is_alive = owner_is_alive;
  return made;
}

TEST(FollowStep, EndsWhenNobodyWouldAskAgain) {
  struct Case {
    const char* name;
    FollowFacts facts;
    FollowStep step;
  };
  RequestEntry collected = entry(RequestState::kSuccess);
  collected.is_collected = true;
  const auto facts = [](std::optional<RequestEntry> of, bool request, bool response, bool started) {
    return FollowFacts{std::move(of),         request, response, started, false, {},
                       WorkerPresence::kReady};
  };
  const std::vector<Case> cases = {
      {"nothing", facts({}, false, false, false), FollowStep::kUnknown},
      {"deleted while it executes", facts({}, false, false, true), FollowStep::kWait},
      {"deleted, then answered", facts({}, false, true, false), FollowStep::kEnded},
      {"waits", facts(entry(RequestState::kNew), true, false, false), FollowStep::kWait},
      {"final", facts(entry(RequestState::kGaveUp), true, true, false), FollowStep::kEnded},
      {"an error that a living client will count",
       facts(entry(RequestState::kPolling, true), true, true, false), FollowStep::kWait},
      {"an error whose client died", facts(entry(RequestState::kPolling), true, true, false),
       FollowStep::kEnded},
      {"withdrawn", facts(entry(RequestState::kPolling), false, false, false),
       FollowStep::kWithdrawn},
      {"its client may drop it again",
       facts(entry(RequestState::kPolling, true), false, false, false), FollowStep::kWait},
      {"collected", facts(collected, false, false, false), FollowStep::kCollected},
  };
  for (const Case& one : cases) EXPECT_EQ(follow_step(one.facts), one.step) << one.name;
}

TEST(WhatItWaitsFor, NamesTheNextStepAndWhoMustTakeIt) {
  FollowFacts facts;
  EXPECT_THAT(what_it_waits_for(facts, "/r", WallTime{}), HasSubstr("to be dropped"));
  facts.entry = entry(RequestState::kPolling);
  facts.has_request = true;
  EXPECT_THAT(what_it_waits_for(facts, "/r", WallTime{}), HasSubstr("worker start --root /r"));
  facts.worker = WorkerPresence::kReady;
  EXPECT_THAT(what_it_waits_for(facts, "/r", WallTime{}), HasSubstr("its turn"));
  facts.is_started = true;
  EXPECT_THAT(what_it_waits_for(facts, "/r", WallTime{}), HasSubstr("no events"));
  facts.entry = entry(RequestState::kWaiting, true);
  facts.entry->attempts = 2;
  facts.entry->error_code = ErrorCode::kUnavailable;
  facts.entry->error_message = "no route";
  facts.entry->due_at = WallTime{} + seconds(12);
  EXPECT_EQ(what_it_waits_for(facts, "/r", WallTime{}),
            "attempt 2 failed (unavailable: no route); the next one begins in 12s");
}

TEST(WhatItWaitsFor, NamesThePauseOfItsBatchAndNoFailedAttemptThatNeverBegan) {
  FollowFacts facts;
  facts.worker = WorkerPresence::kReady;
  facts.entry = entry(RequestState::kWaiting, true);
  facts.entry->batch = "v.jsonl";
  facts.entry->error_code = ErrorCode::kCancelled;
  facts.pauses = {{spool::PauseKind::kDestination, "v.jsonl"}, {spool::PauseKind::kBatch, "w"}};
  EXPECT_EQ(what_it_waits_for(facts, "/r", WallTime{}),
            "was given back before it began; it is asked again in 1s");
  facts.pauses.push_back({spool::PauseKind::kBatch, "v.jsonl"});
  EXPECT_EQ(what_it_waits_for(facts, "/r", WallTime{}),
            "waits: its batch is paused; 'filecall resume --batch v.jsonl' ends that");
}

}  // namespace
}  // namespace filecall::client
