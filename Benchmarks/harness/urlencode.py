"""What Python's `urlencode` takes for the pairs that `lupine-bench encoding` writes: one line of JSON."""

import json
import resource
import statistics
from urllib.parse import urlencode

pairs = {f"name {number * 7919 % 1000}": f"value {number}: ä & more" for number in range(1000)}


def cpu():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


rounds = []
for _ in range(51):
    before = cpu()
    for _ in range(20):
        urlencode(sorted(pairs.items()))
    rounds.append((cpu() - before) * 1e6 / 20)
print(json.dumps({"query_us": statistics.median(rounds)}))
