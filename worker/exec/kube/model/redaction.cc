// SPDX-License-Identifier: MIT
#include "worker/exec/kube/model/redaction.h"

#include <fmt/format.h>

#include <optional>
#include <utility>
#include <vector>

#include "base/utf8.h"
#include "ipc/strict_parser.h"
#include "worker/exec/kube/model/credential_assignments.h"
#include "worker/exec/kube/model/credential_texts.h"
#include "worker/exec/kube/model/credential_values.h"
#include "worker/exec/kube/model/learned_values.h"
#include "worker/exec/kube/model/likely_rules.h"
#include "worker/exec/kube/model/object_walk.h"
#include "worker/exec/kube/model/quoted_objects.h"
#include "worker/exec/kube/model/server_metadata.h"
#include "worker/exec/kube/model/survey.h"
#include "worker/exec/kube/model/text_signs.h"

namespace filecall::worker::kube {
namespace {

/// Shorter names of members are no tokens.
constexpr std::size_t kNameBytes = 16;

/// What everybody sees of a body: names, labels, images, ...
std::vector<std::string_view> identifiers_of(const Places& places) {
  std::vector<std::string_view> names;
  for (const Places::Text& text : places.texts) {
    if (text.is_identifier) names.push_back(text.value->get_ref<const std::string&>());
  }
  return names;
}

}  // namespace

bool is_copy_annotation(std::string_view key) {
  if (key.find('/') == std::string_view::npos) return false;
  for (const std::string_view end :
       {"/last-applied-configuration", "/last-applied", "/original", "/original-diff",
        "/original-diff-full", "rio.cattle.io/applied", "/last-applied-object"}) {
    if (key.ends_with(end)) return true;
  }
  return false;
}

void Redactor::learn(const Json& body, const ObjectKind& asked) {
  if (is_revealing()) return;
  Json copy = body;
  Places places;
  Survey(places, rules()).body(copy, asked);
  // An error names its object: what is equal to a name would hide that.
  take_out_names(identifiers_of(places), places.secret_values);
  for (std::string& value : places.secret_values) {
    sent_.add(value);
    sent_values_.push_back(std::move(value));
  }
}

void Redactor::know(Places& places) {
  std::vector<std::string> values = std::move(places.secret_values);
  values.insert(values.end(), sent_values_.begin(), sent_values_.end());
  std::erase_if(values, [](const std::string& value) { return is_plain_value(value); });
  if (values.empty()) return;
  take_out_names(identifiers_of(places), values);
  for (const std::string& value : values) known_.add(value);
}

Json Redactor::redact(Json body, const ObjectKind& asked,
                      const std::function<void(Json& body, Places& places)>& also) {
  const bool is_error = kind_of(body) == "Status";
  if (is_error) take_out_quoted_objects(body);
  Places places;
  Survey(places, rules()).body(body, asked);
  if (also) also(body, places);
  if (!is_revealing()) know(places);
  Reasons reasons;
  for (const Places::Text& text : places.texts) {
    const auto& value = text.value->get_ref<const std::string&>();
    std::string_view why;
    if (auto scrubbed = scrub_member(value, text.use, is_error, text.secrets, &why)) {
      *text.value = *std::move(scrubbed);
      if (!why.empty()) reasons.emplace(text.value, why);
    }
  }
  for (Places::Hidden& hidden : places.hidden) {
    // What cannot be read is no secret, and of no use to anybody.
    if (is_revealing() && hidden.mark != Places::Mark::kBinary) continue;
    *hidden.value = marked(hidden);
    reasons.emplace(hidden.value, std::move(hidden.why));
  }
  hide_names(body);
  notes_.clear();
  omitted_notes_ = 0;
  if (!reasons.empty()) note(body, "", reasons);
  return body;
}

void Redactor::hide_names(Json& value) const {
  if (value.is_array()) {
    for (Json& item : value) hide_names(item);
  }
  if (!value.is_object()) return;
  auto& members = *value.get_ptr<Json::object_t*>();
  std::vector<std::pair<std::string, std::string>> renamed;
  for (auto& [name, item] : members) {
    if (item.is_structured()) hide_names(item);
    // No form of a token that all have is shorter, or has no digit.
    const bool may_be_token =
        name.size() >= kNameBytes && name.find_first_of("0123456789") != name.npos;
    if (!may_be_token && !rules().has_forms()) continue;
    std::vector<TextSpan> spans;
    if (!is_revealing()) rules().find_forms(name, spans);
    if (may_be_token) {
      own_.find(name, spans);
      if (!is_revealing()) find_credential_values(name, spans);
    }
    if (spans.empty()) continue;
    renamed.emplace_back(name, mask_spans(name, std::move(spans), [this](std::string_view hidden) {
                           return fmt::format("[redacted digest={}]",
                                              keyed_digest(key_, hidden).substr(0, 8));
                         }));
  }
  // The nodes are kept: others point to their values.
  for (auto& [name, mask] : renamed) {
    auto node = members.extract(name);
    node.key() = std::move(mask);
    members.insert(std::move(node));
  }
}

void Redactor::note(const Json& value, const std::string& path, const Reasons& reasons) {
  if (const auto found = reasons.find(&value); found != reasons.end()) {
    const std::string parent = path.substr(0, path.rfind('/'));
    const bool is_of_secret = found->second == kSecretValue;
    const std::string& at = is_of_secret ? parent : path;
    if (!notes_.empty() && notes_.back().path == at) return;
    if (notes_.size() < kNotesMax) {
      notes_.push_back({at, found->second});
    } else {
      ++omitted_notes_;
    }
    return;
  }
  if (value.is_array()) {
    for (std::size_t i = 0; i < value.size(); ++i)
      note(value[i], fmt::format("{}/{}", path, i), reasons);
  } else if (value.is_object()) {
    for (const auto& [key, item] : *value.get_ptr<const Json::object_t*>()) {
      if (item.is_structured() || item.is_string()) note(item, path + pointer_token(key), reasons);
    }
  }
}

std::string Redactor::scrub(std::string_view text) const {
  return mask_spans(text, secret_spans(text, TextUse::kSentence, true));
}

std::string Redactor::scrub_output(std::string_view text) const {
  std::vector<TextSpan> spans = secret_spans(text, TextUse::kSentence, true);
  const std::vector<TextSpan> more = secret_spans(text, TextUse::kSettings, true);
  spans.insert(spans.end(), more.begin(), more.end());
  return mask_spans(text, std::move(spans));
}

std::optional<std::string> Redactor::scrub_member(std::string_view text, TextUse use,
                                                  bool is_of_error,
                                                  const std::vector<TextSpan>& secrets,
                                                  std::string_view* why) const {
  if (secrets.empty() && is_harmless_word(text, is_of_error)) return std::nullopt;
  std::vector<TextSpan> spans = secret_spans(text, use, is_of_error, why);
  if (!is_revealing() && !secrets.empty()) {
    spans.insert(spans.end(), secrets.begin(), secrets.end());
    *why = "a credential's name or flag in the text";
  }
  if (spans.empty() && is_valid_utf8(text)) return std::nullopt;
  return mask_spans(text, std::move(spans), [this](std::string_view hidden) {
    return fmt::format("[redacted digest={}]", keyed_digest(key_, hidden).substr(0, 8));
  });
}

bool Redactor::is_harmless_word(std::string_view text, bool is_of_error) const {
  const bool knows_nothing = own_.is_empty() && known_.is_empty() &&
                             (!is_of_error || sent_.is_empty()) && !rules().has_forms();
  return knows_nothing && TextSigns(text).is_one_word() && !may_begin_credential(text);
}

std::vector<TextSpan> Redactor::secret_spans(std::string_view text, TextUse use, bool is_of_error,
                                             std::string_view* why) const {
  std::vector<TextSpan> spans;
  if (use == TextUse::kIdentity) return spans;
  auto because = [&, before = std::size_t{0}](std::string_view reason) mutable {
    if (why != nullptr && why->empty() && spans.size() > before) *why = reason;
    before = spans.size();
  };
  own_.find(text, spans);
  because("credential of this connection");
  if (is_revealing()) return spans;
  const bool is_settings = use == TextUse::kSettings;
  const LikelyRules likely = likely_rules(text, is_settings);
  if (likely.values) find_credential_values(text, spans);
  rules().find_forms(text, spans);
  because("form of a token, a key or a password in a URL");
  if (use == TextUse::kName) return spans;
  known_.find(text, spans);
  if (is_of_error) sent_.find(text, spans);
  because("value that is secret elsewhere in the answer");
  if (likely.assignments) {
    find_credential_assignments(
        text, is_settings ? Assignments::kSettings : Assignments::kSentences, spans, rules());
  }
  because("value behind a credential's name in the text");
  if (is_settings && likely.lines) {
    find_credential_lines(text, spans, rules());
    because("value below a credential's name in the text");
  } else if (!is_settings && likely.sentences) {
    find_spoken_credentials(text, spans, rules());
    because("sentence about a credential");
  }
  if (likely.flags && (is_settings || text.find(" -") != text.npos)) {
    find_credential_flags(text, spans);
  }
  because("flag that takes a credential");
  return spans;
}

Json Redactor::marked(const Places::Hidden& hidden) const {
  if (hidden.mark == Places::Mark::kObject) return mark(hidden.bytes);
  if (hidden.mark == Places::Mark::kText) return mark_text(hidden.bytes);
  return fmt::format("[binary bytes={} digest={}]", hidden.bytes.size(),
                     keyed_digest(key_, hidden.bytes).substr(0, 16));
}

std::string Redactor::fingerprint(Json object) const {
  if (const auto metadata = object.find("metadata");
      metadata != object.end() && metadata->is_object()) {
    for (const std::string_view member : kServerKept) metadata->erase(std::string(member));
  }
  return keyed_digest(key_, dump_json(object));
}

Json Redactor::mark(std::string_view value) const {
  return {{"redacted", true},
          {"bytes", value.size()},
          {"digest", keyed_digest(key_, value).substr(0, 16)}};
}

std::string Redactor::mark_text(std::string_view value) const {
  return fmt::format("[redacted bytes={} digest={}]", value.size(),
                     keyed_digest(key_, value).substr(0, 16));
}

}  // namespace filecall::worker::kube
