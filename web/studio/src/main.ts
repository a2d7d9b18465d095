// The studio's page: three columns over one state that lives in the server's folder.
import { startGather } from "./gather";
import { listen } from "./server";
import { alarm, refresh, take } from "./store";
import { startTrain } from "./train";
import { startTry } from "./try";

startGather();
startTrain();
startTry();
void refresh();
let silent = false;
listen(take, (now) => {
  if (now) alarm("The studio does not answer. Is `muster studio` still running?");
  else if (silent) void refresh();
  silent = now;
});
