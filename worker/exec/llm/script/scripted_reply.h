// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "base/time.h"
#include "worker/exec/llm/script/script_line.h"
#include "worker/exec/llm/script/scripted_call.h"
#include "worker/net/http_message.h"

namespace filecall::worker::llm {

/// What a line answers as an HTTP server of Chat Completions would, with when each piece comes
/// after the one before. Plain data.
struct ScriptedReply {
  struct Piece {
    Duration after{};
    std::string bytes;
  };
  int status = 200;  ///< 0: no answer begins.
  HttpHeaders headers;
  std::vector<Piece> body;
  HttpEnd end = HttpEnd::kComplete;
  Duration end_after{};  ///< After the last piece.
};

/// Makes the answer of a line. `values` replace `{{name}}` in its texts. Pure.
ScriptedReply make_reply(const ScriptLine& line, const ScriptedCall& call,
                         const ScriptValues& values);
/// No line answers: a response of status 404 that says what was asked.
ScriptedReply unscripted_reply(const std::string& script, const ScriptedCall& call);
/// The list of models.
ScriptedReply models_reply(const std::vector<std::string>& models);
/// A path that a scripted model does not have.
ScriptedReply unknown_path_reply(std::string_view path);

/// Ends the reply where the call's time limits end it. Pure.
void bound_by(const HttpTimeouts& timeouts, ScriptedReply& reply);

}  // namespace filecall::worker::llm
