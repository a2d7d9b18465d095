// The main function of all programs that race contenders.
#include "peers/side_by_side.h"

int main(int argc, char** argv) {
  const muster::bench::Arguments args(argc, argv);
  muster::bench::Record record;
  muster::bench::race(record, args);
  return record.finish(args.out);
}
