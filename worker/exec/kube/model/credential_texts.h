// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>
#include <vector>

#include "worker/exec/kube/model/redaction_rules.h"
#include "worker/exec/kube/model/text_spans.h"

namespace filecall::worker::kube {

/// Credentials that only the layout of a text shows. All pure.

/// Files: what stands below a credential's name in YAML ("passwords:", "credentials:", the data of
/// a Secret), at any depth, and in a block; "name: X" with "value: Y" beside it; the same as
/// elements of XML; defaults of Terraform's variables; passwords below "users:"; lines of .pgpass
/// and communities of SNMP; lines of two quoted words (pgbouncer); SQL's IDENTIFIED BY.
void find_credential_lines(std::string_view text, std::vector<TextSpan>& spans,
                           const RedactionRules& rules = RedactionRules::none());

/// SQL's IDENTIFIED BY: the text in quotes behind it.
void find_identified(std::string_view text, std::vector<TextSpan>& spans);

/// Commands: what stands behind a flag that a program takes a password with ("mysql -pX",
/// "curl -u name:X", "redis-cli -a X", "docker login -p X", ...) or behind one of a credential's
/// name ("--db-password X"), at least one command in each line.
void find_credential_flags(std::string_view text, std::vector<TextSpan>& spans);
/// The same for a command whose words are given one by one: those that hold a credential, each with
/// the part of it.
struct WordSpan {
  std::size_t word = 0;
  TextSpan span;
};
std::vector<WordSpan> find_credential_flags(const std::vector<std::string_view>& words);

/// Sentences: "the password is X", "password 'X' is too short", "env DB_PASSWORD has the value X":
/// the first word behind a credential's name that looks drawn. And SQL's IDENTIFIED BY.
void find_spoken_credentials(std::string_view text, std::vector<TextSpan>& spans,
                             const RedactionRules& rules = RedactionRules::none());

}  // namespace filecall::worker::kube
