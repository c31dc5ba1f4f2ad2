"""'Coming from sdcMicro' says something about every function that sdcMicro exports."""

from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "from-sdcmicro.md"
# The exports of sdcMicro's NAMESPACE (github.com/sdcTools/sdcMicro).
EXPORTS = [
    "strataVar<-",
    "IL_correl",
    "IL_variables",
    "KI_createSdcObj",
    "LocalRecProg",
    "addGhostVars",
    "addNoise",
    "argus_microaggregation",
    "argus_rankswap",
    "calcRisks",
    "createDat",
    "createNewID",
    "createSdcObj",
    "dRisk",
    "dRiskRMD",
    "dUtility",
    "dataGen",
    "extractManipData",
    "freq",
    "freqCalc",
    "generateStrata",
    "get.sdcMicroObj",
    "globalRecode",
    "groupAndRename",
    "importProblem",
    "indivRisk",
    "infoLoss",
    "kAnon",
    "kAnon_violations",
    "ldiversity",
    "localSupp",
    "localSuppression",
    "mafast",
    "measure_risk",
    "mergeHouseholdData",
    "microaggrGower",
    "microaggregation",
    "modRisk",
    "mvTopCoding",
    "nextSdcObj",
    "plot.localSuppression",
    "plotMicro",
    "pram",
    "rankSwap",
    "readMicrodata",
    "recordSwap",
    "removeDirectID",
    "report",
    "riskyCells",
    "sdcApp",
    "selectHouseholdData",
    "set.sdcMicroObj",
    "shuffle",
    "suda2",
    "topBotCoding",
    "undolast",
    "valTable",
    "varToFactor",
    "varToNumeric",
    "writeSafeFile",
]


def rows():
    text = PAGE.read_text(encoding="utf-8").split("## Function by function")[1]
    lines = text.split("## The usual session")[0].splitlines()
    return [line.split("|")[1:-1] for line in lines if line.startswith("| `")]


def test_every_export_has_a_row_with_something_to_say():
    theirs = " ".join(row[0] for row in rows())
    missing = [
        name
        for name in EXPORTS
        if f"`{name}`" not in theirs and f"`{name}(" not in theirs
    ]
    assert missing == []
    assert all(len(row) == 3 for row in rows())
