// SPDX-License-Identifier: MIT
#include "worker/exec/llm/script/scripted_transfer.h"

#include <string>
#include <utility>

#include "os/clock.h"

namespace filecall::worker::llm {

ScriptedTransfer::ScriptedTransfer(uv_loop_t* loop, ScriptedReply reply, HttpHandler& handler)
    : reply_(std::move(reply)),
      handler_(handler),
      begun_at_(monotonic_now()),
      timer_(loop, [this] { on_time(); }) {
  wait();
}

void ScriptedTransfer::wait() {
  timer_.start(next_ < reply_.body.size() ? reply_.body[next_].after : reply_.end_after);
}

void ScriptedTransfer::on_time() {
  for (;;) {
    if (next_ == reply_.body.size()) return finish(reply_.end);
    if (!hand_on_piece()) return finish(HttpEnd::kStopped);
    ++next_;
    const Duration after = next_ < reply_.body.size() ? reply_.body[next_].after : reply_.end_after;
    if (after > Duration{}) return timer_.start(after);
  }
}

bool ScriptedTransfer::hand_on_piece() {
  if (!std::exchange(has_head_, true)) handler_.on_head(reply_.status, reply_.headers);
  return handler_.on_body(reply_.body[next_].bytes);
}

void ScriptedTransfer::finish(HttpEnd end) {
  HttpResult result;
  result.end = end;
  result.was_sent = end != HttpEnd::kRefused;
  if (has_head_) {
    result.status = reply_.status;
    result.headers = reply_.headers;
  }
  if (end != HttpEnd::kComplete && end != HttpEnd::kStopped) result.message = "scripted";
  result.elapsed = monotonic_now() - begun_at_;
  result.first_byte = result.elapsed;
  if (end == HttpEnd::kComplete) handler_.on_complete(result.status);
  handler_.on_done(result);  // It may destroy this.
}

}  // namespace filecall::worker::llm
