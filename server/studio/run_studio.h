// `muster studio`: the command starts the program muster-serve with --studio, which runs this.
#pragma once

namespace muster::server {

// Throws an Error for arguments that cannot be used.
int run_studio(int argc, char** argv);

}  // namespace muster::server
