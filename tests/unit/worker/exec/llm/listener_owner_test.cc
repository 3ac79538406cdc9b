// SPDX-License-Identifier: MIT
#include "worker/exec/llm/listener_owner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>

namespace filecall::worker::llm {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::string_view kTable =
    "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout\n"
    "   0: 0100007F:2CAA 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0\n"
    "   1: 00000000:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0\n"
    "   2: 0100007F:1F90 0100007F:9C40 01 00000000:00000000 00:00000000 00000000  1001        0\n"
    "   3: 0A00000A:2CAA 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1002        0\n"
    "   4: 00000000000000000000000000000000:2CAA 00000000000000000000000000000000:0000 0A "
    "00000000:00000000 00:00000000 00000000   998        0\n"
    "  nonsense\n"
    "   5: 0100007F:";

TEST(ListenerOwner, IsWhoListensOnThisMachinesOwnAddresses) {
  EXPECT_THAT(listener_uids(kTable, 11434), ElementsAre(1000, 998));
  EXPECT_THAT(listener_uids(kTable, 8080), ElementsAre(0));
  EXPECT_THAT(listener_uids(kTable, 1), IsEmpty());
  EXPECT_THAT(listener_uids("", 1), IsEmpty());
}

TEST(ListenerOwner, IsTrustedWhenItIsOurselves) {
  const int server = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  struct sockaddr_in address {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  ASSERT_EQ(::bind(server, reinterpret_cast<struct sockaddr*>(&address), size), 0);
  ASSERT_EQ(::listen(server, 1), 0);
  ASSERT_EQ(::getsockname(server, reinterpret_cast<struct sockaddr*>(&address), &size), 0);
  const std::string url = "http://127.0.0.1:" + std::to_string(ntohs(address.sin_port)) + "/v1";
  EXPECT_EQ(distrust_of_listener(url), "");
  ::close(server);
  EXPECT_THAT(distrust_of_listener(url), testing::HasSubstr("cannot be seen"));
}

}  // namespace
}  // namespace filecall::worker::llm
