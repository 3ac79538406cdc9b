// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "client/core/answer_version.h"
#include "client/core/cancel_request.h"
#include "ipc/response.h"

namespace filecall::client {

/// One request on its way out.
struct ChannelDrop {
  enum class Fate : std::uint8_t {
    kDropped,
    kThere,   ///< A request of that id was there before; it was not touched.
    kFailed,  ///< `error` says why.
  };
  std::string_view request_id;
  std::string_view bytes;
  Fate fate = Fate::kDropped;    ///< Out.
  std::optional<Error> error{};  ///< Out.
};

/// What lies where an answer is expected.
struct ChannelAnswer {
  AnswerVersion version;
  Result<Response> response;  ///< Failed: it is no response, and why.
};

/// Something may have appeared or vanished under this id. Not a fact: look.
struct ChannelHint {
  std::string request_id;
  bool is_request = false;  ///< A request of which nobody here knew; else an answer.
};

/// The way on which requests go out and answers come back: a root directory, or memory in tests.
/// Holds no opinion: it neither retries nor counts.
///
/// Requests, answers and failures may be asked for by any thread and may block; hints belong to one
/// thread (poll poll_fd() and call on_readable(); call on_wake() when next_wake() is reached; then
/// take_hints()). Every action is safe to repeat.
class RequestChannel {
 public:
  virtual ~RequestChannel() = default;

  // Requests.
  /// Each is there completely or not at all, and as durable as the channel was asked to be.
  virtual void drop(std::span<ChannelDrop> drops) = 0;
  virtual bool has_request(std::string_view id) = 0;
  /// When the server began a request that it has not answered, as far as it says so.
  virtual std::optional<WallTime> begun_at(std::string_view) { return std::nullopt; }
  /// Whether a request that is there is this client's to drive: not when another user dropped it.
  virtual bool is_own_request(std::string_view) { return true; }
  /// The text of a request that is there; nullopt: there is none.
  virtual Result<std::optional<std::string>> read_request(std::string_view id) = 0;
  /// Asks the server to end `attempt` of `id`. It may have been asked before.
  virtual Result<void> send_cancel(std::string_view id, int attempt, CancelWish wish) = 0;

  // Answers.
  /// nullopt: there is none. Failure: what is there cannot be read at all.
  virtual Result<std::optional<ChannelAnswer>> read_answer(std::string_view id) = 0;
  /// Deletes the answer if it still is `version`: an answer that nobody has read must not be lost.
  /// False: another one is there now, and was left alone. Where this client may not delete it, the
  /// server is asked to: it goes soon.
  virtual Result<bool> discard_answer(std::string_view id, const AnswerVersion& version) = 0;
  /// Whether the server is asked: then a request of the id discard_id() goes out.
  virtual bool asks_to_discard() const { return false; }
  /// Keeps an answer that is no response before it may be discarded. True: kept, now or before;
  /// false: another one (or none) is there by now.
  virtual Result<bool> set_aside(std::string_view id, const AnswerVersion& version,
                                 int attempt) = 0;
  /// Keeps an answer of the client's own, out of its cache, for a request that is never dropped.
  virtual Result<void> keep_own_answer(std::string_view id, std::string_view text) = 0;

  // Final failures.
  virtual bool has_failed(std::string_view id) = 0;
  /// What was kept of it; nullopt: nothing, or no response.
  virtual std::optional<Response> read_failed(std::string_view) { return std::nullopt; }
  /// Keeps the answer as the final failure. False: there is none, or none that is a response; the
  /// caller keeps its own.
  virtual Result<bool> keep_answer_as_failed(std::string_view id) = 0;
  virtual Result<void> keep_as_failed(const Response& failure) = 0;
  virtual Result<void> remove_failed(std::string_view id) = 0;

  // Hints.
  /// Asked for every answer (or request, if `is_request`) seen; false: no hint is wanted. Cheap,
  /// and no call back into the channel.
  using Interest = std::function<bool(bool is_request, std::string_view id)>;
  /// Begins (or begins afresh) to look. `follows_requests`: also for requests that others drop.
  virtual Result<void> listen(bool follows_requests, Interest interest, MonotonicTime now) = 0;
  /// -1: no descriptor, the time alone. Constant after listen().
  virtual int poll_fd() const = 0;
  virtual void on_readable(MonotonicTime now) = 0;
  virtual Deadline next_wake() const = 0;
  virtual void on_wake(MonotonicTime now) = 0;
  virtual std::vector<ChannelHint> take_hints() = 0;
  /// Hints may have been missed: look at everything soon.
  virtual void request_scan(MonotonicTime now) = 0;
};

}  // namespace filecall::client
