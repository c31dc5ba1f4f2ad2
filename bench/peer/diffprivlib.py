"""In diffprivlib's environment (with the scikit-learn that it still imports under): two-sided geometric
noise.
"""

import json
import sys
import time

sys.path.pop(0)  # this file's folder would hide the package of the same name
from diffprivlib.mechanisms import Geometric

task = json.loads(sys.argv[1])
mechanism = Geometric(epsilon=0.1, sensitivity=1)
start = time.perf_counter()
for _ in range(task["n"]):
    mechanism.randomise(0)
print(json.dumps({"seconds": time.perf_counter() - start}))
