// SPDX-License-Identifier: MIT
#include "client/eval/subject.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "ipc/limits.h"

namespace filecall::client {
namespace {

/// The worker's class of an answer that misses `response_schema`.
constexpr std::string_view kSchemaInvalid = "schema_invalid";

const Json* member_of(const Json& object, const std::string& name) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(name);
  return found == object.end() ? nullptr : &*found;
}

/// The member or element that a pointer's token names; nullptr: there is none.
const Json* step_into(const Json& value, std::string_view token) {
  if (value.is_array()) {
    std::size_t index = 0;
    const bool is_canonical = !token.empty() && (token.size() == 1 || token.front() != '0');
    const char* end = token.data() + token.size();
    const auto [rest, status] = std::from_chars(token.data(), end, index);
    const bool is_index = is_canonical && status == std::errc() && rest == end;
    return is_index && index < value.size() ? &value[index] : nullptr;
  }
  std::string name;
  for (std::size_t i = 0; i < token.size(); ++i) {
    const bool is_escape = token[i] == '~';
    if (is_escape) ++i;
    name += is_escape ? (token[i] == '1' ? '/' : '~') : token[i];
  }
  return member_of(value, name);
}

std::string text_member(const Json& object, const char* name) {
  const Json* member = member_of(object, name);
  return member == nullptr || member->is_null() ? std::string() : plain_text(*member);
}

std::string first_text(std::initializer_list<std::string> candidates) {
  for (const std::string& text : candidates) {
    if (!text.empty()) return text;
  }
  return {};
}

std::string content_text(const Json& content) {
  if (!content.is_array()) return content.is_null() ? std::string() : plain_text(content);
  std::string out;
  for (const Json& part : content) {
    if (!out.empty()) out += '\n';
    const std::string text = text_member(part, "text");
    out += text.empty() ? "[" + first_text({text_member(part, "type"), "part"}) + "]" : text;
  }
  return out;
}

}  // namespace

bool is_run_result(const Request& request) {
  if (request.command != "system.echo") return false;
  const std::string run = text_member(request.metadata, "agent_run");
  return !run.empty() && request.request_id.starts_with(run + ".result");
}

const Json& Subject::vars() const {
  static const Json kNone = Json::object();
  const Json* vars = member_of(request.metadata, "vars");
  return vars == nullptr || !vars->is_object() ? kNone : *vars;
}

bool is_json_pointer(std::string_view text) {
  if (!text.empty() && text.front() != '/') return false;
  for (auto at = text.find('~'); at != std::string_view::npos; at = text.find('~', at + 1)) {
    if (at + 1 == text.size() || (text[at + 1] != '0' && text[at + 1] != '1')) return false;
  }
  return true;
}

const Json* find_at(const Json& root, std::string_view pointer) {
  if (!is_json_pointer(pointer)) return nullptr;
  const Json* at = &root;
  while (at != nullptr && !pointer.empty()) {
    pointer.remove_prefix(1);
    const std::string_view token = pointer.substr(0, pointer.find('/'));
    pointer.remove_prefix(token.size());
    at = step_into(*at, token);
  }
  return at;
}

const Json* answer_of(const Subject& subject, const std::string& pointer) {
  if (pointer.empty()) {
    for (const char* name : {"text", "stdout"}) {
      const Json* member = member_of(subject.data, name);
      if (member != nullptr && member->is_string()) return member;
    }
    return &subject.data;
  }
  return find_at(subject.data, pointer);
}

std::optional<std::string> answer_text(const Subject& subject, const std::string& pointer) {
  const Json* value = answer_of(subject, pointer);
  if (value == nullptr) return std::nullopt;
  return plain_text(*value);
}

std::optional<Json> answer_json(const Subject& subject, const std::string& pointer) {
  if (pointer.empty()) {
    // The worker has parsed and checked it already.
    if (const Json* parsed = member_of(subject.data, "parsed")) return *parsed;
  }
  const Json* value = answer_of(subject, pointer);
  if (value == nullptr) return std::nullopt;
  if (!value->is_string()) return *value;
  const std::string_view text = without_fence(value->get_ref<const std::string&>());
  auto parsed = parse_json_strict(text, limits::kDepth);
  if (parsed) return *std::move(parsed);
  return std::nullopt;
}

std::string plain_text(const Json& value) {
  return value.is_string() ? value.get<std::string>() : dump_json(value);
}

std::string_view without_fence(std::string_view text) {
  constexpr std::string_view kWhite = " \t\r\n";
  constexpr std::string_view kFence = "```";
  const auto begin = text.find_first_not_of(kWhite);
  if (begin == std::string_view::npos) return text;
  std::string_view inner = text.substr(begin, text.find_last_not_of(kWhite) + 1 - begin);
  if (!inner.starts_with(kFence) || !inner.ends_with(kFence)) return text;
  const auto first_end = inner.find('\n');
  if (first_end == std::string_view::npos) return text;
  inner.remove_suffix(kFence.size());
  return inner.size() < first_end ? text : inner.substr(first_end + 1);
}

EvaluationOutcome outcome_of_response(const Response& response) {
  if (!response.is_success()) {
    const bool is_other_form = text_member(response.failure->details, "class") == kSchemaInvalid;
    return is_other_form ? EvaluationOutcome::kSchemaInvalid : EvaluationOutcome::kError;
  }
  const std::string reason = text_member(response.data, "finish_reason");
  if (reason == "refusal" || reason == "content_filter") return EvaluationOutcome::kRefusal;
  if (reason == "length") return EvaluationOutcome::kTruncated;
  return EvaluationOutcome::kGraded;
}

std::vector<Subject> choices_of(const Subject& subject, const std::string& pointer) {
  std::vector<Subject> choices;
  const Json* all = member_of(subject.data, "choices");
  if (!pointer.empty() || all == nullptr || !all->is_array() || all->size() < 2) return choices;
  for (const Json& one : *all) {
    Subject choice{subject.request, one};
    for (const char* name : {"model", "provider"}) {
      const Json* member = member_of(subject.data, name);
      if (one.is_object() && member != nullptr) choice.data[name] = *member;
    }
    choices.push_back(std::move(choice));
  }
  return choices;
}

std::string incomplete_choice(const Subject& choice) {
  if (!choice.data.is_object()) return "it is no object";
  const std::string reason = text_member(choice.data, "finish_reason");
  const bool is_whole = reason != "length" && reason != "refusal" && reason != "content_filter";
  return is_whole ? std::string() : "it ended with " + reason;
}

void describe_origin(const Request& request, const Json& data, Evaluation& evaluation) {
  const Json& metadata = request.metadata;
  evaluation.item = first_text({text_member(metadata, "item"), request.request_id});
  evaluation.prompt = text_member(metadata, "prompt");
  evaluation.provider =
      first_text({text_member(metadata, "provider"), text_member(data, "provider"),
                  text_member(request.params, "provider")});
  evaluation.model = first_text({text_member(metadata, "model"),
                                 text_member(request.params, "model"), text_member(data, "model")});
  const Json* repeat = member_of(metadata, "repeat");
  const bool is_count = repeat != nullptr && repeat->is_number_integer();
  evaluation.repeat = is_count ? std::max<std::int64_t>(1, repeat->get<std::int64_t>()) : 1;
}

std::string task_text(const Request& request) {
  const Json* messages = member_of(request.params, "messages");
  const Json* prompt = member_of(request.params, "prompt");
  const Json* body = member_of(request.params, "responses_body");
  if (body != nullptr && messages == nullptr && prompt == nullptr) {
    prompt = member_of(*body, "input");
    if (prompt != nullptr && prompt->is_array()) messages = std::exchange(prompt, nullptr);
  }
  if (messages == nullptr && prompt == nullptr) return dump_json(request.params);
  std::string out;
  const auto add = [&out](const std::string& role, const std::string& text) {
    if (!out.empty()) out += "\n\n";
    out += role + ": " + text;
  };
  if (const Json* system = member_of(request.params, "system")) add("system", plain_text(*system));
  if (body != nullptr) {
    if (const Json* system = member_of(*body, "instructions")) add("system", plain_text(*system));
  }
  if (prompt != nullptr) {
    if (out.empty()) return plain_text(*prompt);
    add("user", plain_text(*prompt));
  }
  if (messages == nullptr || !messages->is_array()) return out;
  for (const Json& message : *messages) {
    const Json* content = member_of(message, "content");
    add(text_member(message, "role"), content == nullptr ? "" : content_text(*content));
  }
  return out;
}

}  // namespace filecall::client
