// The one exception type of muster and its kinds. This header needs the standard library only:
// muster/muster.h is made of it.
#pragma once

#include <stdexcept>
#include <string>

namespace muster {

/// What went wrong. The value is the command's exit code; 0 is success.
enum class ErrorKind {
  kRuntime = 1,      ///< a failure while running: no memory, no permission, a full disk
  kUsage = 2,        ///< a wrong option, argument or call
  kData = 3,         ///< a file or a value that cannot be used
  kCancelled = 130,  ///< the caller asked to stop; the code that shells give for an interrupt
};

/// Everything that muster throws. The message names what is wrong, what is allowed and what to do.
class Error : public std::runtime_error {
 public:
  /// The message is for people.
  Error(ErrorKind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}
  /// What sort of error it is.
  ErrorKind kind() const { return kind_; }

 private:
  ErrorKind kind_;
};

}  // namespace muster
