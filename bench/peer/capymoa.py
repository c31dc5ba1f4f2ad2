"""In capymoa's environment: records a second of the RandomRBF generator, and of it behind MOA's noise
filter.
"""

import json
import sys
import time

sys.path.pop(0)  # this file's folder would hide the package of the same name
from capymoa.stream.generator import RandomRBFGenerator

task = json.loads(sys.argv[1])
n = task["n"]
stream = RandomRBFGenerator()
for _ in range(1000):
    stream.next_instance()
start = time.perf_counter()
for _ in range(n):
    stream.next_instance()
out = {"generator_seconds": time.perf_counter() - start}
try:
    from capymoa.stream import MOAStream  # noqa: F401
    from capymoa.stream.preprocessing import MOATransformer
    from moa.streams import FilteredStream  # noqa: F401
    from moa.streams.filters import AddNoiseFilter

    transform = MOATransformer(schema=stream.get_schema(), moa_filter=AddNoiseFilter())
    instances = [stream.next_instance() for _ in range(n)]
    for instance in instances[:500]:
        transform.transform_instance(instance)
    start = time.perf_counter()
    for instance in instances:
        transform.transform_instance(instance)
    out["noise_seconds"] = time.perf_counter() - start
except Exception as error:
    out["noise_error"] = repr(error)[:200]
print(json.dumps(out))
