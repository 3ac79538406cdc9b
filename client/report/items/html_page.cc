// SPDX-License-Identifier: MIT
#include "client/report/items/html_page.h"

#include <algorithm>

#include "base/base64.h"
#include "base/check.h"
#include "client/core/digest.h"
#include "embedded/report_assets.h"

namespace filecall::client {

std::string_view page_asset(std::string_view name) {
  for (const EmbeddedFile& file : report_assets()) {
    if (file.name == name) return file.bytes;
  }
  // The charting library: the build decides its file name.
  for (const EmbeddedFile& file : report_assets()) {
    if (name == "chart" && !file.name.starts_with("page.")) return file.bytes;
  }
  CHECK(false, "every asset of the page is embedded");
}

std::string fill_page(std::string_view page,
                      const std::vector<std::pair<std::string_view, std::string>>& values) {
  std::string out;
  for (;;) {
    const std::size_t open = page.find("{{");
    const std::size_t close = page.find("}}", open);
    if (open == std::string_view::npos || close == std::string_view::npos) return out.append(page);
    const std::string_view name = page.substr(open + 2, close - open - 2);
    const auto value = std::find_if(values.begin(), values.end(),
                                    [&](const auto& entry) { return entry.first == name; });
    CHECK(value != values.end(), "every placeholder of the page has a value");
    out.append(page.substr(0, open)).append(value->second);
    page.remove_prefix(close + 2);
  }
}

std::string policy_hash(std::string_view text) {
  const std::string hex = digest_of(text).substr(std::string_view("sha256:").size());
  std::string bytes;
  for (std::size_t i = 0; i < hex.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
  }
  return "'sha256-" + base64_encode(bytes) + "'";
}

std::string script_of(const std::vector<std::string_view>& names) {
  std::string script = "'use strict';\n(() => {\n";
  for (const std::string_view name : names) script += page_asset("page." + std::string(name));
  return script + "})();\n";
}

}  // namespace filecall::client
