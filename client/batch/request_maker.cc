// SPDX-License-Identifier: MIT
#include "client/batch/request_maker.h"

#include <fmt/core.h>

#include <utility>

#include "base/hash.h"
#include "base/result.h"
#include "client/core/prompt_template.h"
#include "client/openai/batch_line.h"
#include "ipc/limits.h"
#include "ipc/request.h"

namespace filecall::client {
namespace {

/// The name that a row states in `member`: a text or a number.
std::optional<std::string> stated_name(const Json& row, const char* member) {
  const auto found = row.find(member);
  if (found == row.end()) return std::nullopt;
  std::string name = found->is_string()           ? found->get<std::string>()
                     : found->is_number_integer() ? dump_json(*found)
                                                  : std::string();
  if (name.empty()) return std::nullopt;
  return name;
}

/// Without the labels, which lie beside a request: `vars` of its metadata.
Json without_vars(const Json& request) {
  const auto metadata = request.find("metadata");
  if (metadata == request.end() || !metadata->is_object() || !metadata->contains("vars")) {
    return request;
  }
  Json rest = request;
  rest["metadata"].erase("vars");
  return rest;
}

/// Names the row by what it states, by its file, or by what it says.
void name_row(MadeRequests& made, const Json& row, const char* member,
              const std::optional<std::string>& stem, std::string_view otherwise) {
  const auto stated = stated_name(row, member);
  made.is_named = stated || stem;
  made.item = stated ? *stated
              : stem ? *stem
                     : fmt::format("{}-{:016x}", otherwise, hash64(dump_json(without_vars(row))));
}

void add_made_of_row(MadeRequests& made, Json request) {
  const Json metadata = std::move(request["metadata"]);
  request.erase("metadata");
  const Json seen = {request, metadata["repeat"]};
  made.of_row.push_back({dump_json(metadata), hash64(dump_json(seen))});
  request["metadata"] = metadata;
  request["metadata"].erase("vars");
  made.texts.push_back(dump_json(request));
}

void add_texts(MadeRequests& made, const std::vector<Json>& requests) {
  for (const Json& request : requests) made.texts.push_back(dump_json(request));
}

}  // namespace

RequestMaker::RequestMaker(BatchPlan plan) : plan_(std::move(plan)) {
  for (const RequestTemplate& one : plan_.templates) {
    add_places(one.request, places_);
    add_places(one.prompt, places_);
  }
}

/// What of a row the prompts show: a row is named by it, so that neither a corrected label nor an
/// edited prompt gives it another name, nor a type that a column is given. All of it when they show
/// nothing.
Json RequestMaker::used_columns(const Json& row) const {
  Json used = Json::object();
  for (const auto& [name, value] : row.items()) {
    if (!places_.contains(name)) continue;
    const bool is_typed = plan_.types.contains(name) && value.is_primitive();
    used[name] = !is_typed || value.is_string() ? value
                 : value.is_null()              ? Json("")
                                                : Json(dump_json(value));
  }
  return used.empty() ? row : used;
}

bool RequestMaker::leaves_as_it_is(std::string_view row) const {
  if (!plan_.templates.empty() || !plan_.matrix.is_trivial()) return false;
  return plan_.format == BatchFormat::kRequests ||
         (plan_.format == BatchFormat::kDetect && !may_be_openai_batch_line(row));
}

Result<MadeRequests, std::string> RequestMaker::make(std::string_view row,
                                                     const std::optional<std::string>& stem) const {
  auto parsed = parse_json_strict(row, limits::kDepth);
  if (!parsed) return std::move(parsed.error().message);
  Json& json = *parsed;
  if (!json.is_object()) return std::string("a row must be a JSON object");
  const bool is_line = plan_.format == BatchFormat::kOpenAiBatch ||
                       (plan_.format == BatchFormat::kDetect && is_openai_batch_line(json));
  if (plan_.templates.empty() && !is_line && plan_.matrix.is_trivial()) {
    return MadeRequests{.item = {}, .is_named = false, .texts = {std::string(row)}};
  }
  auto made = !plan_.templates.empty() ? fill_templates(json, stem)
              : is_line                ? make_of_line(json)
                                       : make_of_request(std::move(json), stem);
  if (!made) return made.error().message;
  return std::move(*made);
}

Result<MadeRequests> RequestMaker::fill_templates(const Json& row,
                                                  const std::optional<std::string>& stem) const {
  MadeRequests made;
  name_row(made, row, "id", stem, "row");
  if (!made.is_named) name_row(made, used_columns(row), "id", {}, "row");
  Json variables = row;
  for (const auto& [name, value] : plan_.variables.items()) {
    if (variables.contains(name)) {
      return fail(ErrorCode::kInvalidArgument,
                  fmt::format("--var {}: the row has a column of that name", name));
    }
    variables[name] = value;
  }
  for (const RequestTemplate& one : plan_.templates) {
    TRY_ASSIGN(const Json request, fill_request(one, variables));
    TRY_ASSIGN(const auto requests,
               multiply(request, {made.item, one.name, variables}, plan_.matrix));
    for (const Json& each : requests) add_made_of_row(made, each);
  }
  return made;
}

Result<MadeRequests> RequestMaker::make_of_line(const Json& row) const {
  auto line = read_openai_batch_line(row);
  if (!line) {
    return fail(ErrorCode::kInvalidArgument, std::move(line).error());
  }
  const auto& openai = *line;
  TRY_ASSIGN(auto requests,
             multiply(request_for(openai), {openai.custom_id, {}, nullptr}, plan_.matrix));
  for (Json& request : requests) {
    if (requests.size() == 1) break;
    // Their answers go to one file, in which each has a name of its own.
    Json& metadata = request["metadata"];
    metadata["openai_batch"]["custom_id"] =
        fmt::format("{}/{}/{}", openai.custom_id, stated_name(metadata, "model").value_or(""),
                    metadata["repeat"].get<int>());
  }
  MadeRequests made{.item = openai.custom_id, .is_named = true, .texts = {}};
  add_texts(made, requests);
  return made;
}

Result<MadeRequests> RequestMaker::make_of_request(Json row,
                                                   const std::optional<std::string>& stem) const {
  const auto command = row.find("command");
  if (command == row.end() || !command->is_string()) {
    return fail(ErrorCode::kInvalidArgument, "/command: is missing or not a string");
  }
  MadeRequests made;
  name_row(made, row, "request_id", stem, command->get<std::string>());
  row.erase("request_id");
  TRY_ASSIGN(const auto requests, multiply(row, {made.item, {}, nullptr}, plan_.matrix));
  add_texts(made, requests);
  return made;
}

}  // namespace filecall::client
