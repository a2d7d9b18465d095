// The other end of DecodingProcesses: what `muster-serve --decode` does.
#pragma once

namespace muster::server {

// Gives up every privilege (confine.h) and decodes the pictures that come over the socket, which is
// descriptor 0, until that is closed. Its first word is what confine() returned. Returns the exit
// code.
int decode_requests();

}  // namespace muster::server
