// SPDX-License-Identifier: MIT
#include "worker/proc/guard/job.h"

#include <cstring>

namespace filecall::worker::guard {

std::string job_text(const std::vector<std::string>& arguments,
                     const std::vector<std::string>& variables) {
  std::string text;
  for (const auto* list : {&arguments, &variables}) {
    for (const std::string& word : *list) text.append(word.c_str(), ::strlen(word.c_str()) + 1);
  }
  return text;
}

bool split_job(const JobMessage& message, char* text, std::vector<char*>* arguments,
               std::vector<char*>* variables) {
  char* const end = text + message.text_bytes;
  char* next = text;
  const auto take = [&](std::uint32_t count, std::vector<char*>* list) {
    list->clear();
    for (; count > 0; --count) {
      auto* const stop =
          next == end
              ? nullptr
              : static_cast<char*>(std::memchr(next, 0, static_cast<std::size_t>(end - next)));
      if (stop == nullptr) return false;
      list->push_back(next);
      next = stop + 1;
    }
    list->push_back(nullptr);
    return true;
  };
  return take(message.arguments, arguments) && take(message.variables, variables) && next == end;
}

}  // namespace filecall::worker::guard
