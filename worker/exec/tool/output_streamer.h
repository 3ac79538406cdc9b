// SPDX-License-Identifier: MIT
#pragma once

#include <uv.h>

#include <array>
#include <memory>
#include <string>
#include <string_view>

#include "base/time.h"
#include "loop/loop_timer.h"
#include "worker/exec/executor.h"
#include "worker/exec/tool/output_events.h"
#include "worker/proc/child.h"

namespace filecall::worker {

/// Writes what a program says into its request's events, some tens of times a second at most, and
/// at once after a silence. Loop thread only.
class OutputStreamer {
 public:
  /// `name`: the command line or tool, for people. Writes `started`.
  OutputStreamer(uv_loop_t* loop, std::unique_ptr<EventSink> sink, const std::string& name);

  void take(OutputSource source, std::string_view bytes);
  /// Nothing more comes: the rest, then `exited` with how it ended, how much it wrote and how much
  /// of that the events lack.
  void end(const ChildResult& result, const CapturedOutput& out, const CapturedOutput& err);

 private:
  void flush();
  void write(const std::vector<OutputEvents::Event>& events);

  std::unique_ptr<EventSink> sink_;
  OutputEvents events_;
  std::array<std::uint64_t, 2> written_bytes_{};
  bool is_full_ = false;  ///< The sink takes no more output.
  MonotonicTime flushed_at_{};
  LoopTimer timer_;
};

}  // namespace filecall::worker
