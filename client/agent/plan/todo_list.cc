// SPDX-License-Identifier: MIT
#include "client/agent/plan/todo_list.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "ipc/json_text.h"

namespace filecall::client {
namespace {

constexpr std::size_t kItemsMax = 200;
constexpr std::size_t kItemTextBytesMax = 2000;
constexpr std::size_t kItemIdBytesMax = 60;
constexpr std::string_view kStatuses[] = {"pending", "in_progress", "done", "cancelled"};

Unexpected<Error> no_list(std::string message) {
  return fail(ErrorCode::kInvalidArgument, "todo: " + std::move(message));
}

std::string item_text(const Json& item, const char* name) {
  const auto found = item.find(name);
  return found != item.end() && found->is_string() ? found->get<std::string>() : std::string();
}

Result<TodoItem> read_item(const Json& value, std::size_t index) {
  TodoItem item;
  if (value.is_string()) {
    item.text = value.get<std::string>();
  } else if (value.is_object()) {
    item.text = item_text(value, value.contains("text") ? "text" : "content");
    item.id = value.contains("id") && value["id"].is_number_integer() ? dump_json(value["id"])
                                                                      : item_text(value, "id");
    if (value.contains("status")) item.status = item_text(value, "status");
    if (item.status == "completed") item.status = "done";
  }
  if (item.text.empty()) return no_list(fmt::format("items[{}] has no text", index));
  if (item.text.size() > kItemTextBytesMax || item.id.size() > kItemIdBytesMax) {
    return no_list(fmt::format("items[{}]: a text has at most {} bytes, an id {}", index,
                               kItemTextBytesMax, kItemIdBytesMax));
  }
  if (std::find(std::begin(kStatuses), std::end(kStatuses), item.status) == std::end(kStatuses)) {
    return no_list(
        fmt::format("items[{}]: the status '{}' is none of pending, in_progress, done "
                    "and cancelled",
                    index, excerpt(item.status, 40)));
  }
  return item;
}

Result<std::vector<TodoItem>> read_items(const Json& value) {
  if (!value.is_array()) return no_list("'items' is no list");
  if (value.size() > kItemsMax) {
    return no_list(fmt::format("more items than {}", kItemsMax));
  }
  std::vector<TodoItem> items;
  std::set<std::string> ids;
  for (std::size_t i = 0; i < value.size(); ++i) {
    TRY_ASSIGN(TodoItem item, read_item(value[i], i));
    if (!item.id.empty() && !ids.insert(item.id).second) {
      return no_list(fmt::format("two items have the id '{}'", excerpt(item.id, 60)));
    }
    items.push_back(std::move(item));
  }
  std::size_t next = 1;
  for (TodoItem& item : items) {
    while (item.id.empty()) {
      std::string id = std::to_string(next++);
      if (ids.insert(id).second) item.id = std::move(id);
    }
  }
  return items;
}

Result<std::int64_t> read_version(const Json& value) {
  const auto found = value.find("version");
  if (found == value.end() || !found->is_number_integer() || *found < 0) {
    return no_list("'version' is the number of the version that todo.read answered");
  }
  return found->get<std::int64_t>();
}

}  // namespace

Json todo_json(const TodoList& list) {
  Json items = Json::array();
  for (const TodoItem& item : list.items) {
    items.push_back({{"id", item.id}, {"text", item.text}, {"status", item.status}});
  }
  return {{"version", list.version}, {"items", std::move(items)}};
}

Result<TodoList> read_todo(const Json& value) {
  if (!value.is_object()) return no_list("it is no object");
  TodoList list;
  TRY_ASSIGN(list.version, read_version(value));
  TRY_ASSIGN(list.items, read_items(value.value("items", Json())));
  return list;
}

Result<TodoList> write_todo(const TodoList& list, const Json& args) {
  if (!args.is_object()) return no_list("the arguments are no object");
  TRY_ASSIGN(const std::int64_t version, read_version(args));
  if (version != list.version) {
    return fail(ErrorCode::kFailedPrecondition,
                fmt::format("todo: the list is at version {}, not {}; read it, and write again",
                            list.version, version));
  }
  TodoList next;
  next.version = list.version + 1;
  TRY_ASSIGN(next.items, read_items(args.value("items", Json())));
  return next;
}

}  // namespace filecall::client
