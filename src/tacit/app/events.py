"""Server-sent events: the page is told when something changed, and asks for it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from typing import Any

from fastapi import Request
from fastapi.responses import StreamingResponse


def stream(request: Request, look: Callable[[], dict[str, Any]], every: float = 0.15) -> StreamingResponse:
    """Send what `look` returns whenever it differs from the last time; a comment now and then keeps it open."""

    async def send() -> AsyncIterator[str]:
        last, quiet = "", 0.0
        yield "retry: 1000\n\n"
        while not await request.is_disconnected():
            now = json.dumps(look())
            if now != last:
                last, quiet = now, 0.0
                yield f"data: {now}\n\n"
            elif quiet > 10:
                quiet = 0.0
                yield ": still here\n\n"
            await asyncio.sleep(every)
            quiet += every

    return StreamingResponse(send(), media_type="text/event-stream", headers={"X-Accel-Buffering": "no"})
