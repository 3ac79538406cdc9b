// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "client/turns/script.h"
#include "client/turns/tool_answer.h"
#include "ipc/json.h"
#include "ipc/response.h"

namespace filecall::client {

/// One step of a conversation: an answer of the model, or a call of a tool.
struct ConversationStep {
  enum class Kind : std::uint8_t { kModel, kTool };
  Kind kind = Kind::kModel;
  int turn = 1;
  int round = 0;           ///< Of the turn's tool calls; 0: the model was asked by the user.
  std::string request_id;  ///< Empty: a call that was answered without a request.
  bool has_ended = false;
  std::shared_ptr<const Response> response{};  ///< Of requests that have ended.
  ToolCallAsked call{};                        ///< kTool
  ToolAnswer answer{};                         ///< kTool, once it has ended.
};

/// A conversation with a model, as a machine: the ends of requests go in, the next requests come
/// out. Each request's id is made of the first one's and of all that the model has seen and
/// answered so far. So the same answers
/// lead to the same requests, after a crash too.
/// A value: copies go on apart. Pure. Not thread-safe.
class Conversation {
 public:
  enum class State : std::uint8_t {
    kGoesOn,
    kEnded,   ///< The last turn has its answer.
    kGaveUp,  ///< A turn failed: the rest is not asked.
  };
  struct Ask {
    std::string request_id;
    std::string command;
    Json request;  ///< Without request_id; null for a conversation that is only read.
  };

  /// `first_id`: of the first turn's request. `request`: that request, without request_id; null:
  /// the conversation is only read. `script` must not be null.
  Conversation(std::shared_ptr<const ConversationScript> script, std::string first_id,
               const Json& request);

  /// What is to be asked now, each once: the first turn, then what the answers have led to.
  std::vector<Ask> take_asks();
  /// A request of it has ended well, or was given up. Others' ids, and ends that it knows, are
  /// nothing to it.
  void take(std::string_view request_id, std::shared_ptr<const Response> response);
  /// It cannot go on, whatever is still asked.
  void give_up(std::string reason);

  State state() const { return state_; }
  /// Why it was given up: begins with the turn.
  const std::string& reason() const { return reason_; }
  const std::string& first_id() const { return first_id_; }
  const ConversationScript& script() const { return *script_; }
  const std::vector<ConversationStep>& steps() const { return steps_; }
  /// The turn that it stands at, from 1.
  int turn() const { return turn_; }
  /// Requests that are known to follow when no tool is called: the turns after this one.
  int turns_left() const { return static_cast<int>(script_->turns.size()) - turn_; }

 private:
  void ask_model();
  void take_answer(const Response& response);
  void take_tool_answer(ConversationStep& step);
  void call_tools(const Json& calls);
  void call_tool(ToolCallAsked call, int number);
  void finish_round();
  void next_turn();
  void add_message(Json message);
  std::string next_id(std::string_view place, std::uint64_t digest) const;
  std::size_t calls_of(const std::string& tool) const;

  std::shared_ptr<const ConversationScript> script_;
  std::string first_id_;
  Json base_;               ///< The first request; null: only read.
  Json messages_;           ///< Of the next request of the model; null: only read.
  std::uint64_t seen_ = 0;  ///< Digest of all that was said.
  int turn_ = 1;
  int round_ = 0;
  State state_ = State::kGoesOn;
  std::string reason_;
  std::vector<ConversationStep> steps_;
  std::vector<Ask> asks_;
};

}  // namespace filecall::client
