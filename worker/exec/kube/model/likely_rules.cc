// SPDX-License-Identifier: MIT
#include "worker/exec/kube/model/likely_rules.h"

#include "worker/exec/kube/model/credential_values.h"
#include "worker/exec/kube/model/text_signs.h"

namespace filecall::worker::kube {
namespace {

constexpr unsigned kOfFlags = TextSigns::kDash | TextSigns::kBar | TextSigns::kColon;
/// What stands between a name and its value: of a directive a blank.
constexpr unsigned kOfSentences =
    TextSigns::kEquals | TextSigns::kColon | TextSigns::kGreater | TextSigns::kComma;
constexpr unsigned kOfSettings = kOfSentences | TextSigns::kBlank | TextSigns::kControl;

}  // namespace

LikelyRules likely_rules(std::string_view text, bool is_settings) {
  const TextSigns signs(text);
  LikelyRules out;
  out.values = !signs.is_one_word() || may_begin_credential(text);
  out.assignments = signs.has(is_settings ? kOfSettings : kOfSentences);
  out.lines = signs.has(TextSigns::kQuote | TextSigns::kControl);
  out.sentences = signs.has(TextSigns::kBlank | TextSigns::kControl);
  // The only program of the table that takes a password without any of these signs.
  out.flags = signs.has(kOfFlags) || (signs.has(TextSigns::kBlank | TextSigns::kControl) &&
                                      text.find("mc alias") != text.npos);
  return out;
}

}  // namespace filecall::worker::kube
