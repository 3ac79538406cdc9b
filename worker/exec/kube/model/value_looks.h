// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

namespace filecall::worker::kube {

/// What a value looks like, whatever it is called. All pure.

/// It only says where the credential is: a variable ("$(NAME)", "${NAME}", "$NAME"), a template
/// ("{{ .x }}", "<from x>"), a store ("vault:", "ref+", "op://", "arn:aws:", "file:", "env:"), a
/// text that only a tool can read ("ENC[...]"), an expression of a program ("os.environ[...]",
/// "get_token(id)"), or it was taken out already ("***").
bool is_reference_value(std::string_view value);
/// A state or a method: true, none, optional, basic, bearer, scram-sha-256, ...
bool is_state_word(std::string_view value);
/// 3600, 15m, 0.95, 64Mi.
bool is_quantity(std::string_view value);
/// As objects are called: small letters and dashes, no digit ("db-credentials", "tls.key").
bool is_name_like(std::string_view value);
/// As what people or machines draw: 6 bytes or more without a blank, of two kinds of characters
/// (letters and digits, letters and signs, both cases mixed). Names of versions, paths and hosts
/// are not.
bool looks_random(std::string_view value);
/// As machines draw alone: 16 bytes or more, letters and digits of much variety, or a UUID.
bool looks_generated(std::string_view value);

}  // namespace filecall::worker::kube
