// muster-serve, which `muster serve` and `muster studio` start: a REST server for models, or a page
// to make one. A program of its own, because its libraries would double what the command loads to
// start. It also starts itself, to decode pictures (decoding/).
#include <cstdio>
#include <string_view>

#include "muster/muster.h"
#include "server/decoding/decode_requests.h"
#include "server/run_serve.h"
#include "server/studio/run_studio.h"

int main(int argc, char** argv) {
  try {
    if (argc == 2 && std::string_view(argv[1]) == "--decode")
      return muster::server::decode_requests();
    if (argc > 1 && std::string_view(argv[1]) == "--studio")
      return muster::server::run_studio(argc - 1, argv + 1);
    return muster::server::run_serve(argc, argv);
  } catch (const muster::Error& error) {
    std::fprintf(stderr, "muster: %s\n", error.what());
    return static_cast<int>(error.kind());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "muster: %s\n", error.what());
    return 1;
  }
}
