// SPDX-License-Identifier: MIT
#include "worker/exec/kube/model/likely_rules.h"

#include <algorithm>
#include <cstddef>

#include "worker/exec/kube/model/credential_values.h"
#include "worker/exec/kube/model/text_signs.h"

namespace filecall::worker::kube {
namespace {

constexpr unsigned kOfFlags = TextSigns::kDash | TextSigns::kBar | TextSigns::kColon;
/// What stands between a name and its value: of a directive a blank.
constexpr unsigned kOfSentences =
    TextSigns::kEquals | TextSigns::kColon | TextSigns::kGreater | TextSigns::kComma;
constexpr unsigned kOfSettings = kOfSentences | TextSigns::kBlank | TextSigns::kControl;

/// A line of .pgpass.
constexpr std::ptrdiff_t kColonsOfPasswordLine = 4;

}  // namespace

LikelyRules likely_rules(std::string_view text, bool is_settings) {
  const TextSigns signs(text);
  LikelyRules out;
  out.values = !signs.is_one_word() || may_begin_credential(text);
  out.assignments = signs.has(is_settings ? kOfSettings : kOfSentences);
  out.lines =
      signs.has(TextSigns::kQuote | TextSigns::kControl | TextSigns::kGreater) ||
      (signs.has(TextSigns::kColon) && std::ranges::count(text, ':') == kColonsOfPasswordLine);
  out.sentences = signs.has(TextSigns::kBlank | TextSigns::kControl);
  // The programs of the table that take a password without any of these signs.
  const auto holds = [text](std::string_view part) { return text.find(part) != text.npos; };
  out.flags = signs.has(kOfFlags) ||
              (signs.has(TextSigns::kBlank | TextSigns::kControl) &&
               (holds("alias") || holds("vault") || holds("rabbitmqctl") || holds("aws_secret")));
  return out;
}

}  // namespace filecall::worker::kube
