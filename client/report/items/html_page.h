// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace filecall::client {

/// An embedded file of the pages; "chart": the charting library. The name must be one.
std::string_view page_asset(std::string_view name);

/// Replaces every "{{NAME}}" of the template once, from left to right: what is put in is never
/// looked at again, so a text that contains a placeholder stays a text.
std::string fill_page(std::string_view page,
                      const std::vector<std::pair<std::string_view, std::string>>& values);

/// The source of a policy that lets exactly this text run (CSP level 2, 4.2.5): were an answer ever
/// to get out of its place, a browser would still not run it.
std::string policy_hash(std::string_view text);

/// "page.{name}" files as one function: each sees what those before it declare.
std::string script_of(const std::vector<std::string_view>& names);

}  // namespace filecall::client
