#include "output.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <system_error>

#include "muster/core/error.h"

namespace muster::cli {
namespace {

// A file that is opened later must not get the number of a closed stream, or messages would be
// written into it. Results cannot be written to what takes its place, so their loss is noticed.
void open_closed_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(stream, F_GETFD) == -1 && errno == EBADF)
      ::open("/dev/null", stream == STDERR_FILENO ? O_WRONLY : O_RDONLY);
}

// Feature shards are mapped; the page that is missing cannot be made up for.
extern "C" void end_by_lost_page(int) {
  constexpr std::string_view kText =
      "muster: a file of features was cut short while it was being read; make it again\n";
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, kText.data(), kText.size());
  ::_exit(static_cast<int>(ErrorKind::kData));
}

bool silent = false;

[[noreturn]] void refuse_output(int error_number) {
  if (error_number == EPIPE) throw ReaderLeft();
  throw runtime_failure("the result cannot be written and is lost: {}",
                        std::generic_category().message(error_number));
}

std::string escaped(std::string_view text, std::string_view allowed) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    const bool is_c1 = c == 0xC2 && i + 1 < text.size() &&
                       static_cast<unsigned char>(text[i + 1]) < 0xA0;  // U+0080 to U+009F
    if ((c >= 0x20 && c != 0x7F && !is_c1) || allowed.find(text[i]) != std::string_view::npos)
      out += text[i];
    else if (is_c1)
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[++i]));
    else
      out += fmt::format("\\x{:02x}", c);
  }
  return out;
}

}  // namespace

void prepare_streams() {
  open_closed_streams();
  ::signal(SIGPIPE, SIG_IGN);
  ::signal(SIGXFSZ, SIG_IGN);
  ::signal(SIGBUS, end_by_lost_page);
}

std::string printable(std::string_view text) { return escaped(text, "\n\t"); }
std::string printable_name(std::string_view text) { return escaped(text, ""); }

void put_result(std::string_view text) {
  if (silent) return;
  const std::string safe = printable(text);
  if (std::fwrite(safe.data(), 1, safe.size(), stdout) != safe.size()) refuse_output(errno);
}

void flush_results() {
  errno = 0;
  // An earlier failure leaves its mark on the stream, though not its reason.
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) refuse_output(errno != 0 ? errno : EIO);
}

void put_message(std::string_view text) {
  if (!silent) put_error(text);
}

void keep_silent() { silent = true; }

void put_error(std::string_view text) {
  const std::string line = printable(text) + "\n";
  std::fwrite(line.data(), 1, line.size(), stderr);
}

}  // namespace muster::cli
