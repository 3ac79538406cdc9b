// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "ipc/json.h"

namespace filecall::client {

/// One thing to do. `status` is "pending", "in_progress", "done" or "cancelled".
struct TodoItem {
  std::string id;
  std::string text;
  std::string status = "pending";

  bool operator==(const TodoItem&) const = default;
};

/// What a thread has to do; the model and people read and write it. Each change is a new version,
/// and names the version that it was made of: one that does not is refused, so that neither
/// overwrites what the other wrote. Plain data; all here is pure.
struct TodoList {
  std::int64_t version = 0;  ///< 0: nothing was written yet.
  std::vector<TodoItem> items;

  bool operator==(const TodoList&) const = default;
};

/// {version, items: [{id, text, status}]}: what todo.read answers, and data of a record
/// todo.written.
Json todo_json(const TodoList& list);
/// The list of such a value. invalid_argument: it is none.
Result<TodoList> read_todo(const Json& value);

/// The list after todo.write with these arguments, {version, items}. An item may be a text alone;
/// ids that are missing are given. Failures: failed_precondition, the version is another one by
/// now (the message says which); invalid_argument.
Result<TodoList> write_todo(const TodoList& list, const Json& args);

}  // namespace filecall::client
