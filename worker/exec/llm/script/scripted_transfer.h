// SPDX-License-Identifier: MIT
#pragma once

#include <uv.h>

#include <cstddef>

#include "loop/loop_timer.h"
#include "worker/exec/llm/script/scripted_reply.h"
#include "worker/net/http_message.h"
#include "worker/net/transfer.h"

namespace filecall::worker::llm {

/// Plays a scripted reply to a handler, piece by piece, as a transfer over a network brings it:
/// from the loop, never from within the constructor. Loop thread only; the handler must outlive it.
class ScriptedTransfer final : public Transfer {
 public:
  ScriptedTransfer(uv_loop_t* loop, ScriptedReply reply, HttpHandler& handler);

  /// Time limits are in the reply already.
  void progress() override {}
  void end_within(Duration) override {}

 private:
  void wait();
  void on_time();
  /// False: the handler wants no more.
  bool hand_on_piece();
  void finish(HttpEnd end);

  ScriptedReply reply_;
  HttpHandler& handler_;
  MonotonicTime begun_at_;
  std::size_t next_ = 0;  ///< Piece; after the last one comes the end.
  bool has_head_ = false;
  LoopTimer timer_;
};

}  // namespace filecall::worker::llm
