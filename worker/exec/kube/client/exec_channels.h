// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "ipc/json.h"
#include "ipc/response.h"
#include "worker/proc/captured_output.h"

namespace filecall::worker::kube {

/// What a Kubernetes server and its client say on the WebSocket of an `exec`: the first byte of a
/// message is its channel. All pure.

/// v5 can say that standard input has ended, v4 cannot.
inline constexpr std::string_view kExecProtocolV5 = "v5.channel.k8s.io";
inline constexpr std::string_view kExecProtocolV4 = "v4.channel.k8s.io";

/// A piece of standard input, and its end.
std::string input_message(std::string_view bytes);
std::string end_of_input_message();

/// What the server sent so far. Bounded: the beginning and the end of each output are kept. What
/// comes on a channel that is none of the server's is dropped, as kubectl does.
class ExecChannels {
 public:
  static constexpr std::size_t kOutputBytes = 1024 * 1024;  ///< Of each output.
  static constexpr std::size_t kStatusBytesMax = 64 * 1024;

  /// Takes one message. False: it is longer than allowed; problem() says what.
  bool take(std::string_view message);
  const std::string& problem() const { return problem_; }

  const CapturedOutput& standard_output() const { return out_; }
  const CapturedOutput& standard_error() const { return err_; }
  /// How the command ended, as the server tells it: a Status. nullopt: it has not said so yet.
  /// Kubelets and runtimes marshal it without `kind` and `apiVersion`; here it has both.
  const std::optional<Json>& status() const { return status_; }

 private:
  bool take_status(std::string_view bytes);

  CapturedOutput out_{kOutputBytes};
  CapturedOutput err_{kOutputBytes};
  std::string status_text_;
  std::optional<Json> status_;
  std::string problem_;
};

/// The exit code that a Status tells of, or why the command did not begin: `details.ambiguous` when
/// it may have. Never retryable. `status` is redacted.
Result<std::int64_t, Failure> exit_code_of(const Json& status);

}  // namespace filecall::worker::kube
