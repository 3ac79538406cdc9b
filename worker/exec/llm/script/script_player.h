// SPDX-License-Identifier: MIT
#pragma once

#include <uv.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "worker/exec/llm/script/script_line.h"
#include "worker/exec/llm/script/scripted_reply.h"
#include "worker/net/http_message.h"
#include "worker/net/transfer.h"

namespace filecall::worker::llm {

/// Names the request of a call to a scripted model; it never leaves the worker.
inline constexpr std::string_view kScriptRequestHeader = "X-Filecall-Request";

/// A model that answers from a script, in place of a server of Chat Completions. Which line answers
/// follows from the call alone, but for lines with `first`, of which it remembers how often each
/// request has met them: so that a thousand conversations at once, and one that goes on after a
/// worker's death, are answered alike. Loop thread only.
class ScriptPlayer {
 public:
  ScriptPlayer(std::vector<ScriptLine> lines, std::string name, std::vector<std::string> models);

  /// The first line that fits answers; HttpClient::start()'s rules hold.
  std::unique_ptr<Transfer> start(uv_loop_t* loop, const HttpRequest& request,
                                  HttpHandler& handler);

 private:
  ScriptedReply reply_to(const HttpRequest& request);
  /// Counts it; false: the line has answered the request as often as it may.
  bool may_answer(const ScriptLine& line, const std::string& request_id);

  std::vector<ScriptLine> lines_;
  std::string name_;  ///< Of the script.
  std::vector<std::string> models_;
  /// By line and request, those of lines with `first`.
  std::map<std::pair<std::size_t, std::string>, std::int64_t> answered_;
};

}  // namespace filecall::worker::llm
