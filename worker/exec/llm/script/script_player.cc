// SPDX-License-Identifier: MIT
#include "worker/exec/llm/script/script_player.h"

#include <string_view>

#include "worker/exec/json_read.h"
#include "worker/exec/llm/script/scripted_call.h"
#include "worker/exec/llm/script/scripted_transfer.h"

namespace filecall::worker::llm {
namespace {

/// Requests come without end; who retries comes back soon.
constexpr std::size_t kAnsweredMax = 100'000;

std::string request_of(const HttpRequest& request) {
  for (const auto& [name, value] : request.headers) {
    if (name == kScriptRequestHeader) return value;
  }
  return {};
}

}  // namespace

ScriptPlayer::ScriptPlayer(std::vector<ScriptLine> lines, std::string name,
                           std::vector<std::string> models)
    : lines_(std::move(lines)), name_(std::move(name)), models_(std::move(models)) {}

std::unique_ptr<Transfer> ScriptPlayer::start(uv_loop_t* loop, const HttpRequest& request,
                                              HttpHandler& handler) {
  ScriptedReply reply = reply_to(request);
  bound_by(request.timeouts, reply);
  return std::make_unique<ScriptedTransfer>(loop, std::move(reply), handler);
}

ScriptedReply ScriptPlayer::reply_to(const HttpRequest& request) {
  const std::string_view url = request.url;
  if (url.ends_with("/models")) return models_reply(models_);
  if (!url.ends_with("/chat/completions")) {
    return unknown_path_reply(url.substr(url.rfind('/') + 1));
  }
  const auto body = parse_foreign(request.body);
  const ScriptedCall call = read_scripted_call(body.value_or(Json()), request_of(request));
  for (const ScriptLine& line : lines_) {
    const auto values = match(line, call);
    if (values && may_answer(line, call.request_id)) return make_reply(line, call, *values);
  }
  return unscripted_reply(name_, call);
}

bool ScriptPlayer::may_answer(const ScriptLine& line, const std::string& request_id) {
  if (line.first == 0) return true;
  if (answered_.size() >= kAnsweredMax) answered_.clear();
  std::int64_t& count = answered_[{line.number, request_id}];
  if (count >= line.first) return false;
  ++count;
  return true;
}

}  // namespace filecall::worker::llm
