// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace filecall::client {

/// Names of a run's requests and approvals: all of them begin with the run, so that
/// `ls requests/ | grep RUN` is the run. Pure.
namespace agent_ids {

std::string catalog(std::string_view run);
/// The worker is asked again when a run goes on, after record `seq`.
std::string again(std::string_view run, std::int64_t seq);
/// `turn` counts from 1 (further ones correct an answer), `model` from 0 along the chain.
std::string plan(std::string_view run, std::int64_t step, int turn, std::size_t model);
std::string call(std::string_view run, std::int64_t step, int n);
struct CallName {
  std::string run;
  std::int64_t step = 0;
  int n = 0;
};
/// What call() made it of; nullopt: it made no such id.
std::optional<CallName> parse_call(std::string_view id);
std::string preview(std::string_view run, std::int64_t step, int n, int round);
/// What else its object's end would break.
std::string impact(std::string_view run, std::int64_t step, int n, int round);
/// `round` counts from 1: further ones after a stale approval.
std::string approval(std::string_view run, std::int64_t step, int round);
std::string report(std::string_view run, std::size_t model);
std::string result(std::string_view run, int round = 1);
/// What a run with a branch of its own asks for itself; `round` counts from 1.
std::string branch(std::string_view run, std::string_view what, int round);

}  // namespace agent_ids

}  // namespace filecall::client
