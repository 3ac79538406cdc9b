// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

#include "client/service/request_follower.h"
#include "ipc/answer_owner.h"
#include "ipc/response.h"
#include "spool/layout.h"

namespace filecall::client {

/// Prints what a request says while it executes, and how it ended. As text: a tool's standard
/// output and error on ours, a model's text on standard output. As JSON: each event on a line.
class FollowOutput final : public FollowObserver {
 public:
  FollowOutput(std::string id, bool is_json, bool is_quiet);

  void on_event(std::string_view line, const Json& event) override;
  void on_notice(const std::string& text) override;

  /// The answer that lies where the state says, after all events; the exit code. Text: what the
  /// events did not show, and a word on standard error. JSON: {event: answer, response}.
  /// Failures: last_answer's; data_loss, it is no response.
  Result<int> print_answer(const spool::Layout& layout, RequestState state,
                           AskedBy asked = AskedBy::kReader);

 private:
  void print_output(const Json& event);
  void print_delta(const Json& event);
  void tell_omissions(const Json& exited);
  /// What a response holds of it, when no event has shown it.
  void print_data(const Json& data);

  std::string id_;
  bool is_json_;
  bool is_quiet_;
  int executions_ = 0;
  bool has_shown_ = false;   ///< Output of this execution.
  bool is_in_line_ = false;  ///< What was printed last on standard output ended in mid-line.
};

}  // namespace filecall::client
