"""pycanon: k-anonymity, l-diversity and t-closeness of one file."""

import pandas as pd
from pycanon import anonymity

from bench.peer import answer, task

asked = task()
frame, keys, sensitive = pd.read_csv(asked["file"]), asked["keys"], [asked["sensitive"]]
answer(
    k=lambda: int(anonymity.k_anonymity(frame, keys)),
    l=lambda: int(anonymity.l_diversity(frame, keys, sensitive)),
    t=lambda: float(anonymity.t_closeness(frame, keys, sensitive)),
)
