// SPDX-License-Identifier: MIT
// beanstalkd: two tubes, jobs and answers, over the raw protocol. ADDRESS: a port on 127.0.0.1.
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <string>

#include "peer_main.h"

namespace {

using namespace filecall::bench;

class Beanstalk {
 public:
  Beanstalk(const std::string& port, bool is_worker) : fd_(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(std::atoi(port.c_str())));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    must(connect(fd_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0, "connect");
    const int on = 1;
    setsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    ask(is_worker ? "use answers\r\n" : "use jobs\r\n");
    ask(is_worker ? "watch jobs\r\n" : "watch answers\r\n");
    ask("ignore default\r\n");
  }

  void serve() {
    for (;;) {
      take();
      put(body_);
    }
  }
  void send(const char* body) { put(body); }
  int receive() {
    take();
    return 1;
  }

 private:
  std::string ask(const std::string& command) {
    must(write(fd_, command.data(), command.size()) == static_cast<ssize_t>(command.size()),
         "write");
    return line();
  }

  void put(const std::string& body) {
    ask("put 0 0 60 " + std::to_string(body.size()) + "\r\n" + body + "\r\n");
  }

  void take() {
    const std::string reply = ask("reserve\r\n");  // RESERVED id bytes
    const std::size_t space = reply.find(' ', 9);
    must(space != std::string::npos, reply.c_str());
    const std::size_t size = static_cast<std::size_t>(std::atoi(reply.c_str() + space));
    while (buffer_.size() < size + 2) fill();
    body_ = buffer_.substr(0, size);
    buffer_.erase(0, size + 2);
    ask("delete " + reply.substr(9, space - 9) + "\r\n");
  }

  std::string line() {
    std::size_t end;
    while ((end = buffer_.find("\r\n")) == std::string::npos) fill();
    std::string found = buffer_.substr(0, end);
    buffer_.erase(0, end + 2);
    return found;
  }

  void fill() {
    char bytes[8192];
    const ssize_t size = read(fd_, bytes, sizeof bytes);
    must(size > 0, "read");
    buffer_.append(bytes, static_cast<std::size_t>(size));
  }

  int fd_;
  std::string buffer_, body_;
};

}  // namespace

int main(int argc, char** argv) { return peer_main<Beanstalk>(argc, argv); }
