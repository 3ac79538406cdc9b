// SPDX-License-Identifier: MIT
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "base/count_text.h"
#include "client/cli/engine_options.h"
#include "client/cli/exit_code.h"
#include "client/cli/output.h"
#include "client/cli/subcommands.h"
#include "client/report/text_layout.h"
#include "client/runs/run_difference.h"
#include "client/runs/run_files.h"
#include "client/runs/run_items.h"
#include "client/service/conversation_look.h"
#include "client/turns/script.h"
#include "spool/group_root.h"

namespace filecall::client {
namespace {

constexpr std::size_t kNameColumns = 40;

/// Each line of such a run's list begins a conversation; the first one tells.
bool holds_conversations(const spool::Layout& layout, const RunRecord& record) {
  bool begins = false;
  const auto read = RunItems(layout, record).each([&](const RunItem& item) -> Result<bool> {
    begins = begins_conversation(item.metadata);
    return false;
  });
  return read && begins;
}

std::string requests_text(const spool::Layout& layout, const RunRecord& record) {
  return holds_conversations(layout, record) ? counted_noun(record.requests, "conversation")
                                             : human_count(record.requests);
}

std::string members_of(const Json& setup, const char* member) {
  const auto found = setup.find(member);
  return found == setup.end() ? "-" : human_count(static_cast<std::int64_t>(found->size()));
}

Result<int> list_runs(const Arguments& arguments, const RunFiles& runs) {
  std::vector<std::string> unreadable;
  TRY_ASSIGN(auto records, runs.list(&unreadable));
  std::erase_if(records, [&](const RunRecord& record) {
    return arguments.has("batch") && record.plan.name != arguments.text("batch");
  });
  TRY_ASSIGN(const auto latest, runs.latest());
  const std::string latest_id = latest ? latest->run_id : std::string();
  const auto previous = runs.find("previous");
  const std::string previous_id = previous ? previous->run_id : std::string();
  const spool::Layout layout = spool::layout_of(chosen_root(arguments));
  for (const std::string& problem : unreadable) print_error(problem);
  if (arguments.has("json")) {
    Json list = Json::array();
    for (const RunRecord& record : records) list.push_back(run_record_json(record));
    print_json({{"latest", latest ? Json(latest_id) : Json()},
                {"previous", previous ? Json(previous_id) : Json()},
                {"runs", std::move(list)},
                {"unreadable", unreadable}});
    return kExitSuccess;
  }
  std::vector<std::vector<std::string>> rows = {
      {"run", "batch", "requests", "prompts", "models", "began"}};
  for (const RunRecord& record : records) {
    const Json& setup = record.plan.setup;
    const char* mark = record.run_id == latest_id     ? " (latest)"
                       : record.run_id == previous_id ? " (previous)"
                                                      : "";
    rows.push_back({one_line(record.run_id, 60) + mark, one_line(record.plan.name, kNameColumns),
                    requests_text(layout, record), members_of(setup, "prompts"),
                    members_of(setup, "models"), format_rfc3339(record.created_at)});
  }
  if (!records.empty()) {
    print(table(rows, {2, 3, 4}));
  } else if (arguments.has("batch")) {
    print(fmt::format("No runs of a batch named '{}'.\n", one_line(arguments.text("batch"), 60)));
  } else {
    print("No runs.\n");
  }
  return kExitSuccess;
}

/// What became of a run's requests so far; a conversation counts once, as a whole.
struct RunStates {
  std::array<std::int64_t, kRequestStateCount> by_state{};
  std::int64_t not_dropped = 0;
  std::int64_t removed = 0;
};

Result<RunStates> states_of(const spool::Layout& layout, Ledger& ledger, const RunRecord& record) {
  RunStates states;
  TRY(RunItems(layout, record).each([&](const RunItem& item) -> Result<bool> {
    TRY_ASSIGN(const auto entry, ledger.find(item.request_id));
    if (!entry) {
      ++states.not_dropped;
    } else if (entry->is_collected) {
      ++states.removed;
    } else if (begins_conversation(item.metadata)) {
      TRY_ASSIGN(const ConversationEntry whole,
                 conversation_entry(ledger, layout, item.request_id, item.metadata));
      if (whole.entry.is_collected) {
        ++states.removed;
      } else {
        ++states.by_state[static_cast<std::size_t>(whole.entry.state)];
      }
    } else {
      ++states.by_state[static_cast<std::size_t>(entry->state)];
    }
    return true;
  }));
  return states;
}

std::string states_text(const RunStates& states) {
  std::string text;
  const auto add = [&text](std::int64_t count, std::string_view what) {
    if (count > 0)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", human_count(count), what);
  };
  for (std::size_t i = 0; i < states.by_state.size(); ++i) {
    add(states.by_state[i], to_string(static_cast<RequestState>(i)));
  }
  add(states.not_dropped, "not dropped yet");
  add(states.removed, "removed by gc");
  return text.empty() ? "none" : text;
}

Result<int> show_run(const Arguments& arguments, const RunFiles& runs) {
  TRY_ASSIGN(const RunRecord record, runs.find(arguments.words()[1]));
  TRY_ASSIGN(const auto ledger, open_ledger_to_read(arguments));
  const spool::Layout layout = spool::layout_of(chosen_root(arguments));
  TRY_ASSIGN(const RunStates states, states_of(layout, *ledger, record));
  const bool goes_on = runs.goes_on(record.run_id);
  if (arguments.has("json")) {
    Json json = run_record_json(record);
    json["goes_on"] = goes_on;
    json["states"] = {{"not_dropped", states.not_dropped}, {"removed_by_gc", states.removed}};
    for (std::size_t i = 0; i < states.by_state.size(); ++i) {
      json["states"][std::string(to_string(static_cast<RequestState>(i)))] = states.by_state[i];
    }
    print_json(json);
    return kExitSuccess;
  }
  print(fmt::format("run      {}{}\nbatch    {}\nbegan    {}\ndigest   {}\nlist     {}\n",
                    record.run_id, goes_on ? " (goes on)" : "", one_line(record.plan.name, 200),
                    format_rfc3339(record.created_at), record.digest,
                    layout.run_items(record.run_id)));
  for (const std::string& input : record.plan.inputs) {
    print(fmt::format("input    {}\n", one_line(input, 200)));
  }
  print(fmt::format("requests {}: {}\n", requests_text(layout, record), states_text(states)));
  for (const auto& [name, value] : record.plan.setup.items()) {
    print(fmt::format("\n{}:\n{}\n", name, dump_json(value, 2)));
  }
  return kExitSuccess;
}

std::string apart_text(const char* what, const ListedApart& apart) {
  if (apart.count == 0) return {};
  std::string text = fmt::format("{:<22} {}", what, human_count(apart.count));
  for (std::size_t i = 0; i < apart.ids.size(); ++i) {
    text += (i == 0 ? ": " : ", ") + one_line(apart.ids[i], 60);
  }
  return text + (apart.count > static_cast<std::int64_t>(apart.ids.size()) ? ", ...\n" : "\n");
}

std::string turn_line(const char* mark, const Json& turn) {
  return turn.is_null() ? "" : fmt::format("{} {}\n", mark, one_line(content_words(turn), 200));
}

std::string conversations_text(const RunDifference& found) {
  if (found.other_conversations == 0) return {};
  std::string text =
      fmt::format("{:<22} {}\n", "with other turns", human_count(found.other_conversations));
  for (const ConversationChange& change : found.conversations) {
    for (const TurnChange& turn : change.turns) {
      text += fmt::format("\n{}, turn {}:\n", one_line(change.request_id, 60), turn.turn) +
              turn_line("-", turn.a) + turn_line("+", turn.b);
    }
    for (const std::string& name : change.other) {
      text += fmt::format("\n{}: other {}\n", one_line(change.request_id, 60),
                          one_line(name, kNameColumns));
    }
  }
  const auto more = found.other_conversations - std::ssize(found.conversations);
  return text + (more > 0 ? fmt::format("\n... and {} more\n", human_count(more)) : "");
}

Result<int> diff_runs(const Arguments& arguments, const RunFiles& runs) {
  TRY_ASSIGN(const RunRecord a, runs.find(arguments.words()[1]));
  TRY_ASSIGN(const RunRecord b, runs.find(arguments.words()[2]));
  const spool::Layout layout = spool::layout_of(chosen_root(arguments));
  TRY_ASSIGN(const RunDifference found, compare_run_lists(layout, a, b));
  if (arguments.has("json")) {
    print_json(run_difference_json(a, b, found));
    return kExitSuccess;
  }
  print(fmt::format("A {}  {}\nB {}  {}\n\n", a.run_id, one_line(a.plan.name, kNameColumns),
                    b.run_id, one_line(b.plan.name, kNameColumns)));
  print(fmt::format("{:<22} {}\n", "requests in both", human_count(found.in_both)));
  print(apart_text("only in A", found.only_a) + apart_text("only in B", found.only_b) +
        apart_text("with other metadata", found.other_metadata) + conversations_text(found));
  for (const Json& change : found.setup) {
    const std::string path = change.value("path", "");
    const Json::json_pointer at(path);
    print(fmt::format("\n{}:\n", one_line(path, 200)));
    if (a.plan.setup.contains(at)) print("- " + dump_json(a.plan.setup[at], 2) + "\n");
    if (change.contains("value")) print("+ " + dump_json(change["value"], 2) + "\n");
  }
  if (found.setup.empty()) print("The same prompts, models and params.\n");
  return kExitSuccess;
}

Result<int> delete_runs(const Arguments& arguments, RunFiles& runs) {
  Json removed = Json::array();
  for (std::size_t i = 1; i < arguments.words().size(); ++i) {
    TRY_ASSIGN(const std::string id, runs.remove(arguments.words()[i]));
    removed.push_back(id);
    if (!arguments.has("json")) print(fmt::format("{}: deleted; its answers stay\n", id));
  }
  if (arguments.has("json")) print_json({{"deleted", std::move(removed)}});
  return kExitSuccess;
}

Result<int> manage_runs(const Arguments& arguments) {
  const std::string& verb = arguments.words()[0];
  const std::size_t names = arguments.words().size() - 1;
  TRY(open_ledger_to_read(arguments));  // Refuses a root that is not there, or not ours.
  RunFiles runs{spool::layout_of(chosen_root(arguments))};
  if (verb == "list" && names == 0) return list_runs(arguments, runs);
  if (verb == "show" && names == 1) return show_run(arguments, runs);
  if (verb == "diff" && names == 2) return diff_runs(arguments, runs);
  if (verb == "delete" && names > 0) return delete_runs(arguments, runs);
  return fail(ErrorCode::kInvalidArgument,
              fmt::format("runs {}: write list, show RUN, diff RUN RUN or delete RUN...",
                          one_line(verb, 60)));
}

}  // namespace

int runs_command(const Arguments& arguments) {
  const auto code = manage_runs(arguments);
  return code ? *code : report_error(code.error());
}

}  // namespace filecall::client
