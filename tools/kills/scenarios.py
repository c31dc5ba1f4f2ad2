"""What can be killed or hindered, by the name that the command line gives it."""

from __future__ import annotations

from tools.kills import private_streams
from tools.kills.any_size import any_size
from tools.kills.cluster import spark
from tools.kills.disks import both, closed, room, tmpfs
from tools.kills.faults import faults
from tools.kills.files import compare, large, protect
from tools.kills.page import page
from tools.kills.streams import redis, stream
from tools.kills.tally import Scenario

ALL: dict[str, Scenario] = {
    "protect": protect,
    "compare": compare,
    "large": large,
    "any_size": any_size,
    "stream": stream,
    "redis": redis,
    "private": private_streams.files,
    "private_redis": private_streams.redis,
    "page": page,
    "room": room,
    "tmpfs": tmpfs,
    "closed": closed,
    "faults": faults,
    "both": both,
    "spark": spark,
}
