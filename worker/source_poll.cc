// SPDX-License-Identifier: MIT
#include "worker/source_poll.h"

#include <utility>

#include "base/check.h"

namespace filecall::worker {

SourcePoll::SourcePoll(uv_loop_t* loop, Source& source, const Clock& clock)
    : loop_(loop), source_(source), clock_(clock) {
  update();
}

void SourcePoll::update() {
  const int fd = source_.poll_fd();
  if (fd == fd_) return;
  close();
  fd_ = fd;
  if (fd < 0) return;
  handle_ = new Handle{{}, &source_, &clock_};
  handle_->poll.data = handle_;
  CHECK(uv_poll_init(loop_, &handle_->poll, fd) == 0, "a source's descriptor can be polled");
  uv_poll_start(&handle_->poll, UV_READABLE, [](uv_poll_t* h, int, int) {
    const auto* handle = static_cast<Handle*>(h->data);
    handle->source->on_readable(handle->clock->monotonic());
  });
}

void SourcePoll::close() {
  if (handle_ == nullptr) return;
  uv_poll_stop(&handle_->poll);
  uv_close(reinterpret_cast<uv_handle_t*>(&std::exchange(handle_, nullptr)->poll),
           [](uv_handle_t* h) { delete static_cast<Handle*>(h->data); });
}

}  // namespace filecall::worker
