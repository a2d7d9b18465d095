// What the parts of the server speak of: a request, a reply, and an error with a status.
#pragma once

#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace muster::server {

struct Request {
  std::string method, path;  // the path percent-decoded, without the query
  std::map<std::string, std::string> query;
  std::string content_type, content_encoding, authorization;
  std::string host, origin, fetch_site, studio;  // who asks: studio/guard.h
  std::string body;
};

struct Reply {
  int status = 200;
  std::string content_type = "application/json";
  std::string body = {};
  std::vector<std::pair<std::string, std::string>> headers = {};
};

// What a client did wrong, or why it must come again; the message is for a person.
class HttpError : public std::runtime_error {
 public:
  HttpError(int status, const std::string& message)
      : std::runtime_error(message), status_(status) {}
  int status() const { return status_; }

 private:
  int status_;
};

// {"error": message}. Those that ask the client to come again (429, 503) say when.
Reply error_reply(int status, const std::string& message);

// The part of a header's value before the first ';', in small letters: "image/png".
std::string media_type(std::string_view header);
// The value of a parameter of a header, such as the boundary in
// `multipart/form-data; boundary="x"`; "" if there is none. Names are compared without case.
std::string header_parameter(std::string_view header, std::string_view name);

}  // namespace muster::server
