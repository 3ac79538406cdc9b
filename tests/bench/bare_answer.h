// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "bench_io.h"

/// What the bare worker does for one request: read it, and publish as many bytes as a real answer
/// has.
namespace filecall::bench {

struct Directories {
  int requests, responses, stage;
};

// As long as what a real answer adds: status, timing, instance.
constexpr const char* kAnswerFormat =
    "{\"request_id\":\"%.*s\",\"status\":\"success\",\"data\":{\"text\":\"hello\",\"number\":42},"
    "\"timing\":{\"received_at\":\"2026-01-01T00:00:00.000Z\",\"started_at\":"
    "\"2026-01-01T00:00:00.000Z\",\"finished_at\":\"2026-01-01T00:00:00.000Z\",\"queued_ms\":0,"
    "\"run_ms\":0},\"worker\":\"localhost-12345-0123abcd\"}\n";

/// Reads the request and formats its answer into `response`; 0 when there is no such request.
template <std::size_t kSize>
std::size_t make_answer(const Directories& at, const std::string& name, char (&response)[kSize]) {
  char request[4096];
  if (read_small(at.requests, name.c_str(), request, sizeof request) < 0) return 0;
  return static_cast<std::size_t>(std::snprintf(response, kSize, kAnswerFormat,
                                                static_cast<int>(name.size() - 5), name.c_str()));
}

/// `lane`: its own temp name, so that lanes may publish at the same time.
inline void answer(const Directories& at, const std::string& name, int lane, bool is_synced) {
  char response[1024], temp[32];
  const std::size_t size = make_answer(at, name, response);
  if (size == 0) return;
  std::snprintf(temp, sizeof temp, "t%d", lane);
  publish(at.stage, temp, at.responses, name.c_str(), response, size, is_synced);
}

}  // namespace filecall::bench
