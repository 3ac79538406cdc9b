// SPDX-License-Identifier: MIT
#include "worker/exec/kube/model/api_schema.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <deque>
#include <set>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/nearest.h"
#include "ipc/json_text.h"
#include "worker/exec/json_read.h"

namespace filecall::worker::kube {
namespace {

/// A document may refer in circles.
constexpr int kHopsMax = 20;
constexpr int kTypeDepthMax = 10;
constexpr std::size_t kSentenceBytes = 200;
constexpr std::size_t kDescriptionBytes = 4000;
constexpr std::size_t kEnumMax = 100;
constexpr std::size_t kStepsMax = 100;

const Json& schemas_of(const Json& document) {
  const Json& newer = member(member(document, "components"), "schemas");
  return newer.is_object() ? newer : member(document, "definitions");
}

bool is_kind(const Json& schema, const ExplainQuestion& question) {
  const Json& kinds = member(schema, "x-kubernetes-group-version-kind");
  const auto is_it = [&](const Json& kind) {
    return text_member(kind, "group") == question.group &&
           text_member(kind, "version") == question.version &&
           text_member(kind, "kind") == question.kind;
  };
  return kinds.is_array() ? std::ranges::any_of(kinds, is_it) : is_it(kinds);
}

const Json* schema_of_kind(const Json& schemas, const ExplainQuestion& question) {
  if (!schemas.is_object()) return nullptr;
  // Options of deletions and watch events belong to every group; no kind of theirs is asked for.
  for (const auto& [name, schema] : schemas.items()) {
    if (is_kind(schema, question)) return &schema;
  }
  return nullptr;
}

/// "spec.containers[].name" as its names.
Result<std::vector<std::string>, Failure> steps_of(std::string_view text) {
  std::vector<std::string> steps;
  if (text.starts_with('.')) text.remove_prefix(1);
  while (!text.empty()) {
    std::size_t end = std::min(text.find_first_of(".["), text.size());
    std::string step(text.substr(0, end));
    if (step.empty() && text.starts_with("[\"") && text.find("\"]") != text.npos) {
      end = text.find("\"]") + 2;
      step = text.substr(2, end - 4);
    } else if (end < text.size() && text[end] == '[' && text.substr(end, 2) != "[\"") {
      end = text.find(']', end);
      end = end == text.npos ? text.size() : end + 1;
    }
    text.remove_prefix(end);
    if (text.starts_with('.')) text.remove_prefix(1);
    if (!step.empty()) steps.push_back(std::move(step));
    if (steps.size() > kStepsMax) {
      return Failure::of({ErrorCode::kInvalidArgument,
                          fmt::format("/params/field: more than {} names", kStepsMax)});
    }
  }
  return steps;
}

/// The first sentence, for a list of fields.
std::string first_sentence(const std::string& text) {
  std::size_t end = text.find(". ");
  end = std::min(end, text.find(".\n"));
  if (end != text.npos) ++end;
  end = std::min({end, text.find("\n\n"), text.size()});
  return excerpt(std::string_view(text).substr(0, end), kSentenceBytes);
}

class Explainer {
 public:
  Explainer(const Json& schemas, const ExplainQuestion& question, const ShowValue& show)
      : schemas_(schemas), question_(question), show_(show) {}

  Result<Json, Failure> run(const Json& root) {
    TRY_ASSIGN(const std::vector<std::string> steps, steps_of(question_.field));
    Place place{&root, question_.kind, false};
    std::vector<std::string> walked;
    for (const std::string& step : steps) {
      const auto next = child(*place.schema, step);
      if (!next) return no_field(*place.schema, walked, step);
      place = *next;
      walked.push_back(step);
    }
    Json data = whole(place);
    data["field"] = fmt::format("{}", fmt::join(walked, "."));
    list_fields(*place.schema, data);
    return data;
  }

 private:
  struct Place {
    const Json* schema = nullptr;
    std::string name;
    bool is_required = false;
  };

  /// The schema that this one refers to in the end. What it says beside the reference is its own.
  const Json& followed(const Json& schema) const {
    constexpr std::string_view kPrefixes[] = {"#/components/schemas/", "#/definitions/"};
    const Json* at = &schema;
    for (int hop = 0; hop < kHopsMax; ++hop) {
      const Json& all = member(*at, "allOf");
      if (all.is_array() && all.size() == 1 && !at->contains("properties")) {
        at = &all[0];
        continue;
      }
      const std::string target = text_member(*at, "$ref");
      const auto* prefix = std::ranges::find_if(
          kPrefixes, [&](std::string_view begin) { return target.starts_with(begin); });
      if (prefix == std::end(kPrefixes)) return *at;
      at = &member(schemas_, std::string_view(target).substr(prefix->size()));
    }
    return *at;
  }

  /// What a list or a map holds in the end; the schema itself when it is neither.
  const Json& unwrapped(const Json& schema) const {
    const Json* at = &followed(schema);
    for (int hop = 0; hop < kHopsMax; ++hop) {
      if (member(*at, "items").is_object()) {
        at = &followed(member(*at, "items"));
      } else if (!member(*at, "properties").is_object() &&
                 member(*at, "additionalProperties").is_object()) {
        at = &followed(member(*at, "additionalProperties"));
      } else {
        break;
      }
    }
    return *at;
  }

  std::string type_of(const Json& schema, int depth = 0) const {
    const Json& type = followed(schema);
    if (depth > kTypeDepthMax) return "any";
    const bool is_either = member(type, "x-kubernetes-int-or-string") == Json(true) ||
                           text_member(type, "format") == "int-or-string";
    if (is_either) return "int-or-string";
    if (member(type, "items").is_object()) return "[]" + type_of(member(type, "items"), depth + 1);
    if (member(type, "properties").is_object()) return "object";
    if (member(type, "additionalProperties").is_object()) {
      return "map[string]" + type_of(member(type, "additionalProperties"), depth + 1);
    }
    const std::string name = text_member(type, "type");
    if (!name.empty()) return name == "array" ? "[]any" : name;
    std::set<std::string> choices;
    for (const char* list : {"oneOf", "anyOf"}) {
      const Json& all = member(type, list);
      if (!all.is_array() || all.size() > kEnumMax) continue;
      for (const Json& choice : all) choices.insert(text_member(choice, "type"));
    }
    choices.erase("");
    return choices.empty() ? "any" : fmt::format("{}", fmt::join(choices, "|"));
  }

  /// The names of the properties of a schema. A property that is no schema is not there.
  static std::vector<std::string_view> properties(const Json& schema) {
    std::vector<std::string_view> names;
    const Json& fields = member(schema, "properties");
    if (!fields.is_object()) return names;
    for (const auto& [name, described] : fields.items()) {
      if (described.is_object()) names.push_back(name);
    }
    return names;
  }

  std::optional<Place> property(const Json& schema, const std::string& name) const {
    const Json& found = member(member(schema, "properties"), name);
    if (!found.is_object()) return std::nullopt;
    const Json& required = member(schema, "required");
    const bool is_required =
        required.is_array() && std::ranges::find(required, Json(name)) != required.end();
    return Place{&found, name, is_required};
  }

  /// The field of this name in what stands here, or in the items of the list that stands here. In a
  /// map it is a field of the values, or a key.
  std::optional<Place> child(const Json& schema, const std::string& name) const {
    const Json* at = &followed(schema);
    for (int hop = 0; hop < kHopsMax && member(*at, "items").is_object(); ++hop) {
      at = &followed(member(*at, "items"));
    }
    if (auto found = property(*at, name)) return found;
    const Json& values = member(*at, "additionalProperties");
    if (!values.is_object()) return std::nullopt;
    if (auto found = property(unwrapped(values), name)) return found;
    return Place{&values, name, false};
  }

  Failure no_field(const Json& schema, const std::vector<std::string>& walked,
                   const std::string& name) const {
    const Json& inner = unwrapped(schema);
    const std::string at = walked.empty()
                               ? question_.kind
                               : fmt::format("{}.{}", question_.kind, fmt::join(walked, "."));
    const std::vector<std::string_view> names = properties(inner);
    Failure failure;
    failure.code = ErrorCode::kNotFound;
    failure.details = Json{{"reason", "UnknownField"}, {"at", at}};
    if (names.empty()) {
      const bool is_open = type_of(schema).ends_with("object") || type_of(schema) == "any";
      failure.message =
          fmt::format("/params/field: '{}' is not described: {} is of type {}{}", excerpt(name), at,
                      type_of(schema), is_open ? ", whose fields the schema does not name" : "");
      return failure;
    }
    failure.details["nearest"] = nearest_names(name, names);
    const bool is_short = names.size() <= kEnumMax || !failure.details["nearest"].empty();
    failure.message = fmt::format("/params/field: {} has no field '{}'{}", at, excerpt(name),
                                  is_short ? suggest(name, names) : "");
    return failure;
  }

  std::string description_of(const Json& schema) const {
    const std::string own = text_member(schema, "description");
    return own.empty() ? text_member(followed(schema), "description") : own;
  }

  /// What is said of a field itself and of a row of a list in the same way.
  void add_values(const Place& place, Json& out) const {
    const Json& type = followed(*place.schema);
    out["type"] = type_of(*place.schema);
    if (place.is_required) out["required"] = true;
    for (const char* name : {"enum", "default"}) {
      const Json& own = member(*place.schema, name);
      const Json& value = own.is_null() ? member(type, name) : own;
      // An empty default says that the fields below have theirs.
      if (value.is_null() || (value.is_object() && value.empty())) continue;
      const bool is_enum = name == std::string_view("enum");
      if (is_enum && !value.is_array()) continue;
      if (!value.is_array() || value.size() <= kEnumMax) {
        out[name] = show_(place.name, value);
        continue;
      }
      Json first = Json::array();
      for (std::size_t i = 0; i < kEnumMax; ++i) first.push_back(value[i]);
      out[name] = show_(place.name, first);
      out[is_enum ? "enumLeftOut" : "defaultLeftOut"] = value.size() - kEnumMax;
    }
  }

  static bool has_whole_values(const Json& shown) {
    return !shown.contains("enumLeftOut") && !shown.contains("defaultLeftOut");
  }

  Json whole(const Place& place) const {
    Json out = Json::object();
    const Json& type = followed(*place.schema);
    add_values(place, out);
    const std::string description = description_of(*place.schema);
    const auto shown = [&](const std::string& text) {
      return show_("description", excerpt(text, kDescriptionBytes));
    };
    if (!description.empty()) out["description"] = shown(description);
    const std::string inner = text_member(unwrapped(*place.schema), "description");
    if (!inner.empty() && inner != description) out["typeDescription"] = shown(inner);
    for (const char* name : {"format", "pattern"}) {
      const std::string text = text_member(type, name);
      if (!text.empty()) out[name] = show_(name, excerpt(text, kSentenceBytes));
    }
    for (const char* name : {"minimum", "maximum"}) {
      if (const Json& value = member(type, name); value.is_number()) out[name] = value;
    }
    const Json& fields = unwrapped(*place.schema);
    if (Json required = required_of(fields); !required.empty()) {
      out["requiredFields"] = std::move(required);
    }
    if (member(fields, "x-kubernetes-preserve-unknown-fields") == Json(true)) {
      out["openFields"] = true;
    }
    return out;
  }

  static Json required_of(const Json& schema) {
    Json names = Json::array();
    const Json& required = member(schema, "required");
    if (!required.is_array()) return names;
    for (const Json& name : required) {
      if (name.is_string()) names.push_back(name);
    }
    return names;
  }

  /// Level by level, so that what is cut is what lies deepest.
  void list_fields(const Json& schema, Json& data) {
    data["fields"] = Json::array();
    data["complete"] = has_whole_values(data);
    struct Open {
      const Json* schema;
      Json* row;
      int level;
    };
    std::deque<Open> open{{&unwrapped(schema), &data, 0}};
    for (std::size_t bytes = 0; !open.empty(); open.pop_front()) {
      const auto [inner, row, level] = open.front();
      if (level >= question_.depth) continue;
      const std::vector<std::string_view> fields = properties(*inner);
      if (fields.empty()) continue;
      Json rows = Json::array();
      for (const std::string_view field : fields) {
        const auto place = property(*inner, std::string(field));
        CHECK(place.has_value(), "properties() gives only those");
        Json made = row_of(*place);
        bytes += dump_json(made).size() + 1;
        if (bytes > question_.bytes_max) break;
        if (!has_whole_values(made)) data["complete"] = false;
        rows.push_back(std::move(made));
      }
      const std::size_t left_out = fields.size() - rows.size();
      (*row)["fields"] = std::move(rows);
      if (left_out > 0) {
        data["complete"] = false;
        (*row)["left_out"] = left_out;
        return;  // What has no room stands at this level or below.
      }
      for (std::size_t i = 0; i < fields.size(); ++i) {
        const Json& field = member(member(*inner, "properties"), fields[i]);
        open.push_back({&unwrapped(field), &(*row)["fields"][i], level + 1});
      }
    }
  }

  Json row_of(const Place& place) const {
    Json row{{"name", place.name}};
    add_values(place, row);
    std::string text = description_of(*place.schema);
    if (!question_.has_whole_descriptions) text = first_sentence(text);
    if (!text.empty()) row["description"] = show_("description", excerpt(text, kDescriptionBytes));
    return row;
  }

  const Json& schemas_;
  const ExplainQuestion& question_;
  const ShowValue& show_;
};

}  // namespace

bool describes(const Json& document, const ExplainQuestion& question) {
  return schema_of_kind(schemas_of(document), question) != nullptr;
}

Result<Json, Failure> explain(const Json& document, const ExplainQuestion& question,
                              const ShowValue& show) {
  const Json& schemas = schemas_of(document);
  const Json* root = schema_of_kind(schemas, question);
  if (root == nullptr) {
    return Failure::of({ErrorCode::kNotFound,
                        fmt::format("the cluster serves {} without a description of its fields "
                                    "(OpenAPI)",
                                    question.kind)});
  }
  return Explainer(schemas, question, show).run(*root);
}

}  // namespace filecall::worker::kube
