// SPDX-License-Identifier: MIT
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <vector>

#include "client/batch/batch_item.h"
#include "client/cli/engine_options.h"
#include "client/cli/exit_code.h"
#include "client/cli/output.h"
#include "client/cli/subcommands.h"
#include "client/cli/text_editor.h"
#include "client/core/request_edit.h"
#include "client/engine/settings_look.h"
#include "client/report/text_layout.h"
#include "client/service/known_batch.h"
#include "ipc/limits.h"
#include "ipc/request.h"
#include "ipc/schema_catalog.h"
#include "ipc/schema_validator.h"
#include "spool/group_root.h"

namespace filecall::client {
namespace {

/// What the options say.
struct WantedEdit {
  std::vector<MemberChange> changes;  ///< Empty: an editor is to be opened.
  bool is_priority_alone = false;
};

Result<WantedEdit> wanted_edit(const Arguments& arguments) {
  WantedEdit wanted;
  for (const std::string& text : arguments.all("set")) {
    auto change = parse_member_value(text);
    if (!change) return fail(change.error().code, "--set " + change.error().message);
    wanted.changes.push_back(std::move(*change));
  }
  for (const std::string& text : arguments.all("unset")) {
    auto path = parse_member_path(text);
    if (!path) return fail(path.error().code, "--unset " + path.error().message);
    wanted.changes.push_back({std::move(*path), std::nullopt});
  }
  wanted.is_priority_alone = wanted.changes.empty() && arguments.has("priority");
  TRY_ASSIGN(const auto priority, priority_option(arguments));
  if (priority) wanted.changes.push_back({{"priority"}, Json(*priority)});
  return wanted;
}

/// The ids on the command line, or of --batch those that have not ended.
Result<std::vector<std::string>> edited_ids(const Arguments& arguments, const WantedEdit& wanted,
                                            Ledger& ledger) {
  const bool is_batch = arguments.has("batch");
  if (arguments.words().empty() != is_batch) {
    return fail(ErrorCode::kInvalidArgument, "edit: give ids, or --batch NAME with --priority N");
  }
  if (is_batch && !wanted.is_priority_alone) {
    return fail(ErrorCode::kInvalidArgument,
                "edit: of a whole batch only the priority can be edited; write --batch NAME "
                "--priority N");
  }
  if (!is_batch) {
    if (arguments.words().size() > 1 && wanted.changes.empty()) {
      return fail(ErrorCode::kInvalidArgument,
                  "edit: an editor is opened for one request; give one id, or --set PATH=VALUE");
    }
    return std::vector<std::string>(arguments.words().begin(), arguments.words().end());
  }
  const EntryFilter filter{.batch = arguments.text("batch")};
  TRY(require_batch(ledger, spool::layout_of(chosen_root(arguments)), filter.batch));
  std::vector<std::string> ids;
  TRY(ledger.for_each(filter, [&](const RequestEntry& entry) {
    if (!is_final(entry.state)) ids.push_back(entry.request_id);
    return true;
  }));
  return ids;
}

/// Whether a worker would take it: what it refused would be lost as a request.
Result<void> check_edited(const std::string& text, const std::string& id,
                          const ProviderCatalog& catalog) {
  const auto wrong = [&](std::string_view what) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("{}: {}; the request is as it was", id, what));
  };
  const auto request = parse_request(text, id);
  if (!request) return wrong(request.error().message);
  const auto item = read_batch_item(text, id, ItemCheck::kFull, {}, catalog);
  if (!item) return wrong(item.error());
  if (!item->unknown.empty()) return wrong(unknown_members_text(item->unknown));
  const auto schema_text = find_schema("command." + request->command);
  if (!schema_text) return {};
  TRY_ASSIGN(const SchemaValidator schema,
             SchemaValidator::compile(*schema_text, SchemaOwner::kOurs));
  const auto violation = schema.check(request->params);
  if (violation) return wrong(fmt::format("/params{}: {}", violation->pointer, violation->rule));
  return {};
}

/// Without spaces that people do not see: what they did not touch does not change.
Result<EditedText> text_by_hand(const std::string& before, const std::string& id,
                                const ProviderCatalog& catalog) {
  const auto json = parse_json_strict(before, limits::kDepth);
  if (!json) return fail(ErrorCode::kInvalidArgument, id + ": " + json.error().message);
  TRY_ASSIGN(EditedText edited, edit_text(dump_json(*json, 2) + "\n"));
  const auto again = parse_json_strict(edited.text, limits::kDepth);
  if (again && *again == *json) edited.text = before;
  if (const auto checked = check_edited(edited.text, id, catalog); !checked) {
    return fail(checked.error().code,
                fmt::format("{}. Your text is kept in {}", checked.error().message, edited.path));
  }
  return edited;
}

/// The text goes to where the request is.
Result<std::vector<std::string>> put_text(const std::string& id, const std::string& before,
                                          const std::string& after, Duration patience,
                                          RequestEditor& editor) {
  TRY_ASSIGN(const auto members, changed_members(before, after));
  if (std::find(members.begin(), members.end(), "command") != members.end()) {
    return fail(
        ErrorCode::kInvalidArgument,
        id + ": another command is another request; cancel this one and ask under another id");
  }
  return editor.replace(id, before, after, patience);
}

/// Edits one, and says which members differ.
Result<std::vector<std::string>> edit_one(const std::string& id, const WantedEdit& wanted,
                                          const ProviderCatalog& catalog, Duration patience,
                                          RequestEditor& editor) {
  TRY_ASSIGN(const std::string before, editor.text(id));
  if (!wanted.changes.empty()) {
    TRY_ASSIGN(const std::string after, edited_request(before, wanted.changes));
    TRY(check_edited(after, id, catalog));
    return put_text(id, before, after, patience, editor);
  }
  TRY_ASSIGN(const EditedText edited, text_by_hand(before, id, catalog));
  auto changed = put_text(id, before, edited.text, patience, editor);
  if (!changed) {
    return fail(changed.error().code,
                fmt::format("{}. Your text is kept in {}", changed.error().message, edited.path));
  }
  edited.remove();
  return changed;
}

Result<int> edit(const Arguments& arguments) {
  TRY_ASSIGN(const Duration patience, arguments.duration("patience", seconds(5)));
  TRY_ASSIGN(const WantedEdit wanted, wanted_edit(arguments));
  TRY_ASSIGN(const auto ledger, open_ledger(arguments));
  TRY_ASSIGN(const std::vector<std::string> ids, edited_ids(arguments, wanted, *ledger));
  const ProviderCatalog catalog = known_providers(chosen_root(arguments));
  int code = kExitSuccess;
  Json json = Json::array();
  for (const std::string& id : ids) {
    const auto changed = edit_one(id, wanted, catalog, patience, ledger->editor());
    if (!changed) {
      print_error(changed.error().message);
      json.push_back({{"request_id", id},
                      {"error_code", to_string(changed.error().code)},
                      {"error_message", changed.error().message}});
      code = worse_exit_code(code, changed.error().code);
      continue;
    }
    json.push_back({{"request_id", id}, {"changed", *changed}});
    if (arguments.has("json")) continue;
    print(changed->empty()
              ? fmt::format("{}: is so already\n", one_line(id, 200))
              : fmt::format("{}: edited: {}\n", one_line(id, 200), fmt::join(*changed, ", ")));
  }
  if (arguments.has("json")) print_json(json);
  if (ids.empty() && !arguments.has("json")) print("All have ended; there is nothing to edit.\n");
  return code;
}

}  // namespace

int edit_command(const Arguments& arguments) {
  const auto code = edit(arguments);
  return code ? *code : report_error(code.error());
}

}  // namespace filecall::client
