// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "ipc/json.h"

namespace filecall::worker::kube {

/// What one YAML text may cost to read.
struct YamlLimits {
  std::size_t bytes_max = 3 * 1024 * 1024;  ///< What an API server takes.
  int depth_max = 100;
  /// Values after all aliases are expanded: a small text can stand for billions of them.
  std::size_t values_max = 200'000;
};

/// The documents of a YAML text as the JSON that kubectl would send, those without content left
/// out. Scalars are read by the rules of YAML 1.1 as kubectl reads them (sigs.k8s.io/yaml): `on`,
/// `y`, `No` are truth values, also as keys; `0644` and `0x1F` are numbers, `08` is 8, `1:30` and
/// dates are texts; `<<` merges. Numbers of more than 64 bits lose digits, as with kubectl.
///
/// One difference, on purpose: of two equal keys kubectl takes the last in silence; here that is an
/// error, because one of the two meanings would be lost.
///
/// Failure: invalid_argument with line and column. Pure.
Result<std::vector<Json>> read_yaml(std::string_view text, const YamlLimits& limits = {});

/// What a plain (unquoted) scalar means: null, a truth value, a number or its text. Infinities and
/// "not a number" come out as such; JSON has no way to say them.
Json resolve_plain_scalar(const std::string& text);

/// What a plain scalar is called as a key: "420" for 0644, "false" for n, "1e+06" for 1000000.0 (a
/// float is written with 32 bits, as kubectl does it). nullopt for null and for integers of more
/// than 63 bits, which kubectl refuses.
std::optional<std::string> resolve_plain_key(const std::string& text);

}  // namespace filecall::worker::kube
