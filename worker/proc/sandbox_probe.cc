// SPDX-License-Identifier: MIT
#include "worker/proc/sandbox_probe.h"

#include "base/take_until.h"
#include "base/time.h"
#include "os/program_output.h"
#include "worker/proc/sandbox/protections.h"

namespace filecall::worker {
namespace {

constexpr Duration kPatience = seconds(20);

}  // namespace

SandboxProbe parse_probe(std::string_view text) {
  SandboxProbe probe;
  for (const auto& known : guard::kProtectionTexts) {
    SandboxProbe::Missing missing{known.bit, known.name, "the guard does not tell", known.advice};
    for (std::string_view rest = text; !rest.empty();) {
      std::string_view line = take_until(&rest, '\n');
      if (take_until(&line, '\t') != known.name) continue;
      missing.reason = take_until(&line, '\t');
      if (missing.reason == "ok") probe.available |= known.bit;
      break;
    }
    if ((probe.available & known.bit) == 0) probe.missing.push_back(std::move(missing));
  }
  return probe;
}

Result<SandboxProbe> probe_sandbox(const std::string& guard) {
  TRY_ASSIGN(const std::string text, program_output({guard, "--probe"}, kPatience));
  return parse_probe(text);
}

}  // namespace filecall::worker
