// What the command says: results on stdout, where a failure to write is an error, and messages on
// stderr, where it never is.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace muster::cli {

// Makes the three standard streams safe to use, and writing beyond a limit or to a closed pipe an
// error that can be handled instead of a signal. Called once, first.
void prepare_streams();

// Whoever read our results has gone (`muster methods | head`): nobody is left to tell.
struct ReaderLeft {};

// Text with control characters, which could drive a terminal, as \x1b and so on; line ends and tabs
// stay.
std::string printable(std::string_view text);
// The same without line ends and tabs: a name inside a line.
std::string printable_name(std::string_view text);

// To stdout, printable.
void put_result(std::string_view text);
template <class... Args>
void print_result(fmt::format_string<Args...> text, Args&&... args) {
  put_result(fmt::format(text, std::forward<Args>(args)...));
}
// What was printed is written. Throws a run-time failure (or ReaderLeft) if it cannot be.
void flush_results();

// To stderr, printable, with a line end; a failure is ignored.
void put_message(std::string_view text);

// From now on nothing is printed but the error that ends the command: for all ranks but the first.
void keep_silent();
void put_error(std::string_view text);

}  // namespace muster::cli
