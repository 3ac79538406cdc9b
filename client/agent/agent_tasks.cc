// SPDX-License-Identifier: MIT
#include "client/agent/agent_tasks.h"

#include <fmt/core.h>

#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "client/agent/core/record_member.h"
#include "client/agent/core/result_text.h"
#include "ipc/limits.h"
#include "ipc/strict_parser.h"

namespace filecall::client {
namespace {

constexpr std::size_t kProblemsMax = 20;
constexpr std::size_t kTaskIdBytesMax = 60;

bool is_plain_id(std::string_view id) {
  return !id.empty() && id.size() <= kTaskIdBytesMax &&
         id.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") ==
             std::string_view::npos;
}

/// People number their lines, too. Empty: it is no id.
std::string id_text(const Json& id) {
  if (id.is_string()) return id.get<std::string>();
  return id.is_number_integer() ? dump_json(id) : std::string();
}

}  // namespace

Result<AgentTasks> AgentTasks::read(const std::string& text, const std::string& name,
                                    std::int64_t repeat, AgentOrder base) {
  AgentTasks tasks(name, repeat, std::move(base));
  std::set<std::string> ids;
  std::vector<std::string> problems;
  std::size_t number = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = std::string_view(text).substr(at, end - at);
    at = end + 1;
    ++number;
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    const auto problem = [&](const std::string& what) {
      problems.push_back(fmt::format("line {}: {}", number, what));
    };
    auto json = parse_strict(line, limits::kDepth, Strictness::kRequest, "task");
    if (!json) {
      problem(json.error().message);
      continue;
    }
    Task task;
    task.goal = text_at(*json, "goal");
    const bool is_named = json->contains("id");
    task.id = is_named ? id_text((*json)["id"]) : hash128(task.goal).hex().substr(0, 10);
    task.vars = std::move(*json);
    if (task.goal.empty()) problem("it needs a goal: {\"goal\": \"...\"}");
    if (!is_plain_id(task.id)) problem("id: letters, digits, '-' and '_', at most 60");
    if (!ids.insert(task.id).second) {
      problem(is_named ? fmt::format("id {}: a line before it has it", task.id)
                       : "a line before it has the same goal; give each an id");
    }
    tasks.tasks_.push_back(std::move(task));
  }
  if (problems.empty()) return tasks;
  std::string all;
  for (std::size_t i = 0; i < problems.size() && i < kProblemsMax; ++i) {
    all += (i == 0 ? "" : "\n") + problems[i];
  }
  return fail(ErrorCode::kInvalidArgument, all);
}

Result<std::optional<AgentOrder>> AgentTasks::next() {
  if (at_ >= tasks_.size()) return std::optional<AgentOrder>();
  const Task& task = tasks_[at_];
  AgentOrder order = base_;
  order.run = repeat_ == 1 ? fmt::format("{}-{}", name_, task.id)
                           : fmt::format("{}-{}-r{}", name_, task.id, round_);
  order.thread = order.run;
  order.thread_title = std::string(leading_text(task.goal, 100));
  order.settings.goal = task.goal;
  order.settings.catalog_request = catalog_request(name_);
  order.metadata = {{"item", task.id}, {"vars", task.vars}, {"repeat", round_}};
  if (!order.settings.models.empty()) order.metadata["model"] = order.settings.models.front();
  order.settings.repeat = repeat_ == 1 ? 0 : round_;
  if (++round_ > repeat_) {
    round_ = 1;
    ++at_;
  }
  return std::optional(std::move(order));
}

}  // namespace filecall::client
