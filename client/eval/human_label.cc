// SPDX-License-Identifier: MIT
#include "client/eval/human_label.h"

#include <fmt/core.h>

#include "base/stem.h"
#include "client/eval/judge_scale.h"
#include "ipc/json_text.h"
#include "ipc/limits.h"
#include "ipc/strict_parser.h"

namespace filecall::client {
namespace {

constexpr std::size_t kLabelNoteBytesMax = 10'000;
constexpr std::size_t kLabelNameBytesMax = 200;

/// The text of a member; keeps the first rule that is broken.
std::string text_of(const Json& json, const char* name, std::size_t bytes_max, bool is_required,
                    std::string& fault) {
  const auto found = json.find(name);
  const bool is_absent = found == json.end() || found->is_null();
  const bool is_text = !is_absent && found->is_string();
  std::string text = is_text ? found->get<std::string>() : std::string();
  const bool is_wrong = (!is_absent && !is_text) || (is_required && text.empty());
  if (fault.empty() && is_wrong) {
    fault = fmt::format("/{}: must be a text{}", name, is_required ? " that is not empty" : "");
  }
  if (fault.empty() && text.size() > bytes_max) {
    fault = fmt::format("/{}: is longer than {} bytes", name, bytes_max);
  }
  return text;
}

}  // namespace

Result<HumanLabel> parse_human_label(std::string_view line) {
  auto parsed = parse_strict(line, limits::kDepth, Strictness::kForeign, "label");
  if (!parsed) return fail(ErrorCode::kInvalidArgument, parsed.error().message);
  if (!parsed->is_object()) return fail(ErrorCode::kInvalidArgument, "must be a JSON object");
  const Json& json = *parsed;
  HumanLabel label;
  std::string fault;
  label.request_id = text_of(json, "request_id", kStemBytesMax, true, fault);
  label.response_digest = text_of(json, "response_digest", kLabelNameBytesMax, true, fault);
  label.evaluation = text_of(json, "evaluation", kLabelNameBytesMax, true, fault);
  label.grader = text_of(json, "grader", kLabelNoteBytesMax, true, fault);
  label.scale = text_of(json, "scale", kLabelNoteBytesMax, true, fault);
  label.label = text_of(json, "label", kLabelNameBytesMax, false, fault);
  label.by = text_of(json, "by", kLabelNameBytesMax, true, fault);
  label.note = text_of(json, "note", kLabelNoteBytesMax, false, fault);
  const auto at = parse_rfc3339(text_of(json, "at", kLabelNameBytesMax, true, fault));
  if (fault.empty() && !at) fault = "/at: must be a time as in RFC 3339";
  label.at = at.value_or(WallTime{});
  if (fault.empty() && !is_valid_stem(label.request_id)) fault = "/request_id: names no request";
  const auto scale = parse_scale(label.scale);
  if (fault.empty() && !scale) fault = "/scale: must be as in correct=1|wrong=0, or 1..5";
  if (fault.empty() && !label.label.empty() && !score_on(*scale, label.label)) {
    fault = fmt::format("/label: '{}' is not one of {}", excerpt(label.label, 60),
                        excerpt(label.scale, 200));
  }
  if (!fault.empty()) return fail(ErrorCode::kInvalidArgument, fault);
  return label;
}

std::string render_human_label(const HumanLabel& label) {
  Json json = {{"request_id", label.request_id},
               {"response_digest", label.response_digest},
               {"evaluation", label.evaluation},
               {"grader", label.grader},
               {"scale", label.scale},
               {"label", label.label.empty() ? Json() : Json(label.label)},
               {"by", label.by},
               {"at", format_rfc3339(label.at)}};
  if (!label.note.empty()) json["note"] = label.note;
  return dump_json(json) + "\n";
}

}  // namespace filecall::client
