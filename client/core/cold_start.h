// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "base/time.h"

namespace filecall::client {

/// What is known of the server when a client looks.
struct ServerEvidence {
  bool lock_is_held = false;  ///< A worker of ours lives.
  bool has_status = false;    ///< worker/status.json exists, from whatever run.
  bool is_ready = false;      ///< It says ready, and it is the lock's holder's.
  bool may_start = false;     ///< This client may start a worker now.
};

struct ColdStartRules {
  Duration delay = seconds(20);    ///< For a server that publishes no status.
  Duration patience = seconds(5);  ///< For a worker of ours that is gone and may be coming back.
};

enum class ColdStart : std::uint8_t {
  kGo,           ///< Requests may be dropped.
  kWait,         ///< Look again soon.
  kStartWorker,  ///< Start one, then look again.
  kNoWorker,     ///< None lives and none will come.
};

/// Whether the first request may go out, `waited` after the client began to look. Pure.
ColdStart decide_cold_start(const ServerEvidence& evidence, const ColdStartRules& rules,
                            Duration waited);

}  // namespace filecall::client
