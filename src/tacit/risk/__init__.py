"""Risk measures: functions (original, masked, **options) -> Measure. A new measure is one file and one line here."""

from __future__ import annotations

from tacit.registry import Registry

registry = Registry(
    __name__,
    strongest="knowledge:strongest",
    dld="knowledge:dld",
    dld_assignment="knowledge:dld_assignment",
    pld="knowledge:pld",
    interval="intervals:interval",
    interval_sd="intervals:interval_sd",
    attribute="disclosure:attribute",
    k_anonymity="frequency:k_anonymity",
    l_diversity="inside:l_diversity",
    t_closeness="inside:t_closeness",
    individual="individuals:reidentification",
    household="individuals:household",
    suda="suda2:special_uniques",
    population_uniques="population:population_uniques",
    prosecutor="scenarios:prosecutor",
    journalist="scenarios:journalist",
    marketer="scenarios:marketer",
)

# measures of one file with faces of their own
_ALSO = {
    "frequencies": "frequency:frequencies",
    "Frequencies": "frequency:Frequencies",
    "individual": "individuals:individual",
    "IndividualRisk": "individuals:IndividualRisk",
    "suda": "suda2:suda",
    "Suda": "suda2:Suda",
    "diversity": "inside:diversity",
    "closeness": "inside:closeness",
}
__getattr__ = registry.attribute(_ALSO)


def __dir__() -> list[str]:
    return registry.directory(_ALSO)
