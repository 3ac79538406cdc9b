// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/stem.h"
#include "base/time.h"

/// Every maximum of the protocol and of the programs that speak it, in one place. A value that can
/// be configured is the default here; the bound on the configuration is beside it.
namespace filecall::limits {

inline constexpr std::size_t kRequestBytes = 16 * 1024 * 1024;
inline constexpr std::size_t kRequestBytesMax = 1024 * 1024 * 1024;
inline constexpr std::size_t kResponseBytesMax = 256 * 1024 * 1024;
/// Longest name of a command.
inline constexpr std::size_t kCommandBytesMax = 200;
inline constexpr int kDepth = 128;
inline constexpr int kDepthMax = 512;
inline constexpr int kPriorityMin = -10;
inline constexpr int kPriorityMax = 10;
inline constexpr std::int64_t kTimeoutMsMax = 7LL * 24 * 3600 * 1000;
inline constexpr Duration kSettle = milliseconds(250);
/// A 0-byte file is more often "just opened" than "finished": it gets this many settle times.
inline constexpr int kSettleEmptyFactor = 8;
inline constexpr Duration kGrace = seconds(30);
inline constexpr Duration kHeartbeatBusy = seconds(1);
inline constexpr Duration kHeartbeatIdle = seconds(10);
/// After becoming idle or busy; not at once, because many become busy again at once.
inline constexpr Duration kHeartbeatSettled = milliseconds(100);
inline constexpr int kStartsMax = 2;
/// Work done in one turn of an event loop before the loop looks at everything else again.
inline constexpr int kArrivalsPerTurn = 256;
/// Bytes of parsed requests that may wait in memory; beyond it a waiting request is read again.
inline constexpr std::size_t kWaitingBytesMax = 32 * 1024 * 1024;
/// Requests that may wait in memory for their destination; more stay unread names.
inline constexpr std::size_t kWaitingJobsMax = 50'000;
/// The same of one user of a group's root; more are answered resource_exhausted.
inline constexpr std::size_t kUserWaitingMax = 5'000;
/// Answers rendered and not yet durable; beyond it nothing new is taken.
inline constexpr std::size_t kAnswersInFlightMax = 4096;
/// Most that one execution appends to its events/{id}.jsonl.
inline constexpr std::size_t kEventsBytesMax = 16 * 1024 * 1024;
/// Threads that publish (write and sync) at the same time.
inline constexpr int kSyncThreads = 16;

static_assert(kRequestBytes <= kRequestBytesMax && kDepth <= kDepthMax);
static_assert(kHeartbeatBusy < kHeartbeatIdle);
// A stem and the longest suffix that any file of the layout adds must fit into NAME_MAX (255).
static_assert(kStemBytesMax + 32 <= 255);

}  // namespace filecall::limits
