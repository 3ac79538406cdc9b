// SPDX-License-Identifier: MIT
#include "worker/exec/tool/output_streamer.h"

#include <utility>

#include "os/clock.h"

namespace filecall::worker {
namespace {

constexpr Duration kPace = milliseconds(25);
/// Written at once, whenever it comes.
constexpr std::size_t kWaitingBytesMax = 64 * 1024;

}  // namespace

OutputStreamer::OutputStreamer(uv_loop_t* loop, std::unique_ptr<EventSink> sink,
                               const std::string& name)
    : sink_(std::move(sink)), timer_(loop, [this] { flush(); }) {
  sink_->write({{"event", "started"}, {"program", name}});
}

void OutputStreamer::take(OutputSource source, std::string_view bytes) {
  if (is_full_) return;
  const bool is_waiting = events_.waiting() > 0;
  events_.append(source, bytes);
  if (events_.waiting() >= kWaitingBytesMax) return flush();
  if (is_waiting) return;
  const Duration since = monotonic_now() - flushed_at_;
  if (since >= kPace) return flush();
  timer_.start(kPace - since);
}

void OutputStreamer::flush() {
  timer_.stop();
  flushed_at_ = monotonic_now();
  write(events_.take());
}

void OutputStreamer::write(const std::vector<OutputEvents::Event>& events) {
  for (const OutputEvents::Event& event : events) {
    is_full_ = is_full_ || !sink_->write(event.json);
    if (is_full_) return;
    written_bytes_[static_cast<std::size_t>(event.source)] += event.bytes;
  }
}

void OutputStreamer::end(const ChildResult& result, const CapturedOutput& out,
                         const CapturedOutput& err) {
  timer_.stop();
  write(events_.take_rest());
  sink_->write({{"event", "exited"},
                {"exit_code", result.exit_code ? Json(*result.exit_code) : Json()},
                {"signal", result.signal ? Json(*result.signal) : Json()},
                {"stdout_bytes", out.total_bytes()},
                {"stderr_bytes", err.total_bytes()},
                {"stdout_omitted_bytes", out.total_bytes() - written_bytes_[0]},
                {"stderr_omitted_bytes", err.total_bytes() - written_bytes_[1]}});
}

}  // namespace filecall::worker
