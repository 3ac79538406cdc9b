// SPDX-License-Identifier: MIT
#include "client/batch/request_maker.h"

#include <fmt/core.h>

#include <utility>

#include "base/check.h"
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

/// "photo|image" is the place of an image that the column "photo" names.
std::optional<std::string> image_column(std::string_view place) {
  constexpr std::string_view kFilter = "image";
  const std::size_t bar = place.rfind('|');
  if (bar == std::string_view::npos) return std::nullopt;
  const auto trimmed = [](std::string_view text) {
    const std::size_t first = text.find_first_not_of(' ');
    if (first == std::string_view::npos) return std::string_view();
    return text.substr(first, text.find_last_not_of(' ') - first + 1);
  };
  if (trimmed(place.substr(bar + 1)) != kFilter) return std::nullopt;
  return std::string(trimmed(place.substr(0, bar)));
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

void add_made_of_row(MadeRequests& made, Json request,
                     const std::optional<ConversationScript>& script) {
  Json metadata = std::move(request["metadata"]);
  request.erase("metadata");
  const Json seen = {request, metadata["repeat"]};
  request["metadata"] = metadata;
  request["metadata"].erase("vars");
  MadeOfRow& of_row = made.of_row.emplace_back();
  of_row.identity = hash64(dump_json(seen));
  if (script) {
    metadata["conversation"] = script_json(*script);
    Json whole = metadata["conversation"];
    whole["turns"] = script->turns;
    of_row.conversation = dump_json(whole);
    of_row.turns = static_cast<int>(script->turns.size());
  }
  of_row.metadata = dump_json(metadata);
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
    add_places(one.conversation, places_);
    for (const std::string& column : one.images) places_.insert(column);
  }
  for (const std::string& place : std::set(places_)) {
    if (const auto column = image_column(place)) {
      places_.insert(*column);
      has_image_places_ = true;
    }
  }
}

/// The variables that a template's places see: with what `{{column|image}}` stands for.
Result<Json> RequestMaker::with_images(const Json& variables) const {
  Json all = variables;
  for (const std::string& place : places_) {
    const auto column = image_column(place);
    if (!column) continue;
    TRY_ASSIGN(all[place], image_of(variables, *column));
  }
  return all;
}

Result<std::string> RequestMaker::image_of(const Json& variables, const std::string& column) const {
  const auto found = variables.find(column);
  const bool is_text = found != variables.end() && found->is_string();
  if (!is_text || found->get_ref<const std::string&>().empty()) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("image: column '{}' {}", column,
                            found == variables.end() ? "is missing" : "names no file and no URL"));
  }
  CHECK(plan_.read_image, "who takes images can read them");
  auto url = plan_.read_image(found->get_ref<const std::string&>());
  if (url) return url;
  return fail(ErrorCode::kInvalidArgument,
              fmt::format("image: column '{}': {}", column, url.error().message));
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
    TRY(fill_template(one, variables, made));
  }
  return made;
}

Result<void> RequestMaker::fill_template(const RequestTemplate& one, const Json& variables,
                                         MadeRequests& made) const {
  Json with_urls;
  if (has_image_places_) {
    TRY_ASSIGN(with_urls, with_images(variables));
  }
  const Json& seen = has_image_places_ ? with_urls : variables;
  TRY_ASSIGN(Json request, fill_request(one, seen));
  std::optional<ConversationScript> script;
  if (!one.conversation.is_null()) {
    TRY_ASSIGN(const Json conversation, fill_json(one.conversation, seen));
    auto made_script = make_script(request, conversation, plan_.max_turns);
    if (!made_script) return fail(ErrorCode::kInvalidArgument, std::move(made_script).error());
    script = std::move(*made_script);
  }
  std::vector<std::string> urls;
  for (const std::string& column : one.images) {
    TRY_ASSIGN(std::string url, image_of(variables, column));
    urls.push_back(std::move(url));
  }
  TRY(add_images(request, urls));
  if (script && !urls.empty()) {
    script->turns.front() = request["params"]["messages"].back()["content"];
  }
  TRY_ASSIGN(const auto requests,
             multiply(request, {made.item, one.name, variables}, plan_.matrix));
  for (const Json& each : requests) {
    std::string misfit = script ? conversation_misfit(each) : std::string();
    if (!misfit.empty()) return fail(ErrorCode::kInvalidArgument, std::move(misfit));
    add_made_of_row(made, each, script);
  }
  return {};
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
