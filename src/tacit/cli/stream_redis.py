"""``tacit stream --redis``: source, sink and state on one server."""

from __future__ import annotations

from collections.abc import Iterator

from tacit.base.errors import ParameterError
from tacit.cli.stream_files import load_gate
from tacit.cli.stream_job import Job
from tacit.stream.gate import Gate
from tacit.stream.pipeline import Pipeline
from tacit.stream.refused import Refused
from tacit.stream.sources.redis import RedisSource
from tacit.stream.sources.redis_ledger import RedisLedger
from tacit.stream.sources.redis_sink import RedisSink
from tacit.stream.sources.text import Record
from tacit.stream.sources.whole_groups import WholeGroups


def _keep_a_ledger(pipeline: Pipeline, ledger: RedisLedger, gate: Gate) -> None:
    """Output, state and acknowledgement of the pipeline go together from now on."""
    pipeline.sink = ledger
    pipeline.state = ledger
    pipeline.commit = ledger.commit
    # releases wait for the save: as often as messages are fetched, and when nothing comes
    pipeline.every = min(pipeline.every, ledger.source.count)

    def idle() -> None:
        pipeline.idle()
        if ledger.waiting:
            pipeline.save()

    ledger.source.idle = idle
    pipeline.resume(lambda saved: load_gate(gate, saved))


def open_redis(job: Job, pipeline: Pipeline, gate: Gate) -> Iterator[Record | Refused]:
    """Records of a Redis stream; each leaves exactly once, or at most once if so asked."""
    if job.redis is None or job.from_key is None or job.to_key is None:
        raise ParameterError("--redis needs --from KEY and --to KEY")
    if job.state is not None:
        raise ParameterError(
            "--state: on Redis the state is kept on the server, in one transaction with the "
            "releases and the acknowledgement, so that nothing is lost or leaves twice; "
            "leave --state out"
        )
    source = RedisSource(
        job.redis,
        job.from_key,
        job.group,
        job.consumer,
        follow=job.follow,
        stop=pipeline.stop,
        idle=pipeline.idle,
        at_most_once=job.at_most_once,
    )
    pipeline.sync = lambda: {"gate": gate.to_dict()}
    if job.at_most_once:
        # nothing completes a group of which half has left: it leaves whole
        sink = RedisSink(job.redis, job.to_key, stop=pipeline.stop)
        pipeline.sink = WholeGroups(sink)
    else:
        _keep_a_ledger(pipeline, RedisLedger(source, job.to_key), gate)
    first = source.beginning()
    if first and gate.names is None:
        gate.open(first)
    return map(gate.check, source)
