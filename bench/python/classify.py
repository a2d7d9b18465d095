"""SetClassifier on one thread, from files to accuracy:  classify.py SPLIT.json METHOD      prints JSON

SPLIT is as for bench/peers/glue.py: {"train": [[file, label], ...], "test": [...]}."""

import json
import sys
import time

import muster

start = time.perf_counter()
with open(sys.argv[1]) as file:
    split = json.load(file)
train, test = (list(zip(*split[part])) for part in ("train", "test"))
classifier = muster.SetClassifier(sys.argv[2], n_jobs=1).fit(train[0], train[1])
print(json.dumps({"accuracy": classifier.score(test[0], test[1]), "wall_s": time.perf_counter() - start}))
