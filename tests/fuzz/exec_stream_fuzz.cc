// SPDX-License-Identifier: MIT
// What a server says on the connection of an `exec`: the answer to the handshake, then frames, then
// what they carry. However it is cut, the same is read; what is kept is bounded; and an exit code
// is 0 only where the server says so.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "worker/exec/json_read.h"
#include "worker/exec/kube/client/exec_channels.h"
#include "worker/exec/kube/client/exec_output.h"
#include "worker/net/web_socket_frames.h"
#include "worker/net/web_socket_handshake.h"

namespace {

using namespace filecall;
using namespace filecall::worker;

struct Read {
  UpgradeAnswer::State state = UpgradeAnswer::State::kReading;
  int status = 0;
  std::string body, rest, problem, sent;
  std::vector<std::string> messages;
  bool is_closed = false;
  bool operator==(const Read&) const = default;
};

template <typename Take>
void cut(std::string_view bytes, std::size_t size, const Take& take) {
  for (std::size_t at = 0; at < bytes.size(); at += size) {
    if (!take(bytes.substr(at, size))) return;
  }
}

Read read_answer(std::string_view bytes, std::size_t size) {
  UpgradeAnswer answer;
  Read read;
  std::size_t used = 0;
  cut(bytes, size, [&](std::string_view part) {
    used += part.size();
    return answer.feed(part) == UpgradeAnswer::State::kReading;
  });
  read.state = answer.finish();
  read.status = answer.status();
  read.body = answer.body();
  CHECK(read.body.size() <= UpgradeAnswer::kBodyBytesMax, "a body is bounded");
  if (read.state == UpgradeAnswer::State::kSwitched) {
    CHECK(read.status == 101, "nothing else switches");
    read.rest = answer.rest() + std::string(bytes.substr(used));
  }
  return read;
}

void read_frames(Read& read, std::string_view bytes, std::size_t size) {
  WebSocketFrames frames(
      [](std::uint8_t* out, std::size_t count) { std::fill_n(out, count, std::uint8_t{0}); });
  cut(bytes, size, [&](std::string_view part) {
    return frames.feed(part, [&](std::string_view message) {
      CHECK(message.size() <= WebSocketFrames::kMessageBytesMax, "a message is bounded");
      read.messages.emplace_back(message);
    });
  });
  read.problem = frames.problem();
  read.is_closed = frames.is_close_received();
  read.sent = frames.take_output();
  CHECK(read.sent.size() <= WebSocketFrames::kUnsentBytesMax + 1024, "what waits is bounded");
}

void check_channels(const std::vector<std::string>& messages) {
  kube::ExecChannels channels;
  for (const std::string& message : messages) {
    if (!channels.take(message)) break;
  }
  const Json data = kube::exec_output(channels, kube::Redactor(kube::DigestKey{}), 300);
  CHECK(data["stdout"].get_ref<const std::string&>().size() < 400, "an output is bounded");
  if (!channels.status()) return;
  const auto code = kube::exit_code_of(*channels.status());
  CHECK(!code || *code != 0 || text_member(*channels.status(), "status") == "Success",
        "only a success is 0");
  CHECK(code || code.error().retryable == false, "nothing is repeated by itself");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const Read whole = read_answer(bytes, std::max<std::size_t>(1, size));
  const Read parts = read_answer(bytes, 1 + size % 5);
  CHECK(whole == parts, "an answer is the same however it is cut");
  Read frames, cut_frames;
  const std::string_view stream =
      whole.state == UpgradeAnswer::State::kSwitched ? std::string_view(whole.rest) : bytes;
  read_frames(frames, stream, std::max<std::size_t>(1, stream.size()));
  read_frames(cut_frames, stream, 1 + size % 3);
  CHECK(frames == cut_frames, "frames are the same however they are cut");
  check_channels(frames.messages);
  return 0;
}
