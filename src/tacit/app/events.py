"""Server-sent events: the page is told when something changed, and asks for it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping

from fastapi import Request
from fastapi.responses import StreamingResponse

# Seconds without news after which a comment is sent: a connection that is silent for long may be
# closed by what stands between, and a closed one is only noticed by writing to it.
SILENCE = 10


def stream(
    request: Request, look: Callable[[], Mapping[str, object]], every: float = 0.15
) -> StreamingResponse:
    """Send what `look` returns whenever it has changed; it is asked `every` so many seconds."""

    async def send() -> AsyncIterator[str]:
        last = ""
        quiet = 0.0
        # A page that loses us tries again after a second.
        yield "retry: 1000\n\n"
        while not await request.is_disconnected():
            news = json.dumps(look())
            if news != last:
                last = news
                quiet = 0.0
                yield f"data: {news}\n\n"
            elif quiet > SILENCE:
                quiet = 0.0
                yield ": still here\n\n"
            await asyncio.sleep(every)
            quiet += every

    # A proxy that buffers would keep the news until there is enough of it.
    headers = {"X-Accel-Buffering": "no"}
    return StreamingResponse(send(), media_type="text/event-stream", headers=headers)
