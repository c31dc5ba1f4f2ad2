"""Risk measures: functions (original, masked, **options) -> Measure.

A new measure is one file, named after it, and one line here.
"""

from __future__ import annotations

from tacit.base.registry import Registry

registry = Registry(
    __name__,
    strongest="strongest:strongest",
    worst_off="worst_off:worst_off",
    subgroups="subgroups:subgroups",
    dld="dld:dld",
    dld_assignment="dld:dld_assignment",
    pld="pld:pld",
    interval="interval:interval",
    interval_sd="interval:interval_sd",
    interval_excess="interval_excess:interval_excess",
    attribute="attribute:attribute",
    attribute_excess="attribute_excess:attribute_excess",
    learned_weights="learned_weights:learned_weights",
    k_anonymity="k_anonymity:k_anonymity",
    l_diversity="l_diversity:l_diversity",
    t_closeness="t_closeness:t_closeness",
    individual="individual:reidentification",
    household="household:household",
    household_keys="unit_keys:household_keys",
    person_keys="unit_keys:person_keys",
    suda="suda:special_uniques",
    population_uniques="population_uniques:population_uniques",
    prosecutor="scenarios:prosecutor",
    journalist="scenarios:journalist",
    marketer="scenarios:marketer",
)

# Measures of one file alone, with results of their own: an assessment does not run
# these, people call them.
_ALSO = {
    "frequencies": "frequencies:frequencies",
    "Frequencies": "frequencies:Frequencies",
    "individual": "individual:individual",
    "IndividualRisk": "individual:IndividualRisk",
    "suda": "suda:suda",
    "Suda": "suda:Suda",
    "diversity": "l_diversity:diversity",
    "closeness": "t_closeness:closeness",
    "look": "look:look",
    "Look": "look:Look",
}
__getattr__ = registry.attribute(_ALSO)


def __dir__() -> list[str]:
    return registry.directory(_ALSO)
