// SPDX-License-Identifier: MIT
#include "client/agent/core/own_call.h"

#include <string>
#include <utility>

#include "client/agent/plan/todo_list.h"

namespace filecall::client {

std::vector<AgentRecord> own_call(const AgentStep& step, const AgentCall& call, const Json& todo) {
  Json data = {{"step", step.number}, {"n", call.n}};
  const TodoList list = read_todo(todo).value_or(TodoList{});
  data["status"] = "success";
  if (call.tool == kTodoRead) {
    data["result"] = dump_json(todo_json(list));
    return {{"call.ended", std::move(data)}};
  }
  const auto written = write_todo(list, call.args);
  if (!written) {
    data["status"] = std::string(to_string(written.error().code));
    data["message"] = written.error().message;
    data["result"] = dump_json({{"error_message", written.error().message}});
    return {{"call.ended", std::move(data)}};
  }
  data["result"] = dump_json(todo_json(*written));
  return {{"todo.written", todo_json(*written)}, {"call.ended", std::move(data)}};
}

}  // namespace filecall::client
