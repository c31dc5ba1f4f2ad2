"""Words in names and labels of columns, and what they say about the values.

Files write names short and together ('motheduc', 'hushrs'), so that stems are looked for at
the beginning or the end of a name; words that are parts of others must stand alone. A word
never decides against the values: a column of many broken numbers is no code, whatever its name.
"""

from __future__ import annotations

import re


def _stems(*stems: str) -> re.Pattern[str]:
    return re.compile("|".join(stems))


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# -- how many there are of something
COUNTS = _words(
    "n num count number nr size kids children child siblings sibs brothers sisters members "
    "persons people dependents dependants dep deps visits stays admissions times days nights "
    "arrests priors convictions cigs cigarettes drinks pregnancies births rooms bedrooms cars "
    "vehicles employees workers accidents claims doctor childs cards partners"
)
COUNT_STEMS = _stems(
    r"kids|children|siblings|(vis|visits|arrests|convictions|accidents|claims)$|^num|size$",
    r"pregnanc|dependents|^n(partner|kid|child|sib|visit|adult|pers)",
)
COUNT_LABEL = re.compile(
    r"^# |\b(number|no\.?|num\.?|#|count) of\b|\bhow many\b|\btimes\b|\bdays (per|a)\b"
    r"|\bchildren ever born\b|^# ?\w|\banzahl\b|\bnombre de\b|\bn[uú]mero de\b"
)

# -- amounts and measurements
NUMBERS = _words(
    "age ages years yrs hours hrs weeks months minutes income inc wage wages salary earnings "
    "pay price rent cost costs tax amount expenditure expense height weight wt ht bmi distance "
    "dist exper population experience tenure score pressure cholesterol alter time duration "
    "einkommen edad renta revenu"
)
NUMBER_STEMS = _stems(
    r"^(age|yrs|hrs|hours|wage|earn|exper|tenure)(?!nt|ncy)",
    r"(^|hus|wife|husband|spouse|partner|moth|mother|fath|father|child|head|birth)age$",
    r"(yrs|hrs|hours|wage|years|income|salary|exper)$",
)
NUMBER_LABEL = re.compile(
    r"\b(years? (of|in|at|employed|married)|age (at|in)|hours|months|weeks|minutes)\b"
    r"|\bage\b|\bin (years|months|days|hours|thousands|dollars|euros?)\b|\$|\brate\b|%"
)
AMOUNTS = _stems(r"inc(o?me?)?r?$|^inc|wage|salary|earn|price|rent$|wealth|einkommen")
SHARES = _stems(r"perc|pct|rate|share|ratio|hike")
SCHOOLING = _stems(r"educ|school|^edu$|grade|studies|bildung")
# more years of schooling than any scale of schooling has steps
SCHOOL_YEARS = 10

# -- categories
CATEGORIES = _words(
    "sex gender race ethnic ethnicity region marital marstat mstat civil status religion relig "
    "faith occ occup occupation job industry ind sector type typ kind cat category class group "
    "grp color colour treat treatment arm party vote relation relationship language nation "
    "nationality country state city area district province plan action purpose reason cause "
    "method mode form insurance blood response branch dept department geschlecht familienstand "
    "sexe sexo religie konfession"
)
CATEGORY_STEMS = _stems(
    r"^(race|sex|gender|marital|eth|relig(?!ious|imp)|region|occup|indus|typ)",
    r"(race|sex|type|status|stat|region|sector|group|category|cat)$",
)
CATEGORY_LABEL = re.compile(
    r"\b(type|kind|category|class|status|sex|gender|race|religion|region|sector) of\b"
    r"|\b(marital|employment) status\b|\btype\b|\bcategor|\boccupancy\b|\boccupation\b"
)

# -- steps of a scale
SCALES = _words(
    "scale rating rate rank level degree likert satisfaction satisfied satis happy happiness "
    "agree agreement trust health healthy importance important quality frequency freq often "
    "interest attitude opinion lr stage severity pain likely confidence worry stress wave "
    "religious religiosity session visit round period grade enum order seq sequence occasion stint "
    "ecog karno karnofsky asa mallampati nyha tanner killip apgar cough"
)
SCALE_STEMS = _stems(
    r"^(rate|rating|religious|satisf|happ|trust|agree|lik)|(scale|rating|level|freq|lr|imp)$"
)
AGE_CLASSES = _stems(r"age(gr(ou)?p?|gp|cat|class|band)s?$|^age(gr|cat|class|band)")
SCALE_LABEL = re.compile(
    r"\b(scale|rating|level|very|strongly|somewhat|satisf\w+|agree\w*|how often|degree)\b"
)

# -- places, institutions and parts of a sample, whose numbers are many rows' own
PLACES = _words(
    "stratum strata strat stratid psu psuid ssu cluster clusters clust clusterid segment ward "
    "school sch schoolid class classroom lea inst institution instit center centre clinic "
    "hospital hosp site station team provnum provider comm community location dept department "
    "branch plot store shop item product movie course firm company employer city state region "
    "county country district village survey study form version wave station department domain "
    "schule klasse klinik standort krankenhaus ecole classe hopital escuela clase escola szkola"
)
PLACE_NUMBER = re.compile(
    r"^(stratum|strat|psu|ssu|clust(er)?|segment|ward|school|sch|class|lea|inst|instit(ution)?|cent(er|re)"
    r"|clinic|hosp(ital)?|site|station|team|prov|provider|comm(unity)?|dept|department|branch|plot|store|shop"
    r"|item|product|movie|course|firm|company|employer|city|state|region|county|country|district|village|survey"
    r"|study|form|version|wave|domain|schule?|klasse|klinik|standort|ecole|escuela|escola|szkola)"
    r"[._ ]?(id|no|nr|num|number|code|key)$",
    re.IGNORECASE,
)
"""The number of a place or an institution, and not of a person."""

# -- codes with a hierarchy above them
CODES = _words(
    "icd icd9 icd10 diag diagnosis dx drg atc snomed cpt zip zipcode postcode postal plz cp "
    "fips nuts lau msa cbsa puma tract county municipality commune gemeinde ags kreis nace sic "
    "naics isic isco soc isced code codes codigo village villnum birthplace birthcountry "
    "iso country state district nuts nuts1 nuts2 nuts3 lad lsoa msoa ward parish insee cog codgeo "
    "iris gmina powiat teryt obec okres kommun kommune gemeente municipio ibge distrito concelho "
    "freguesia postnr postnummer postinumero irsz cap istat ars gkz bfs metarea cousub arealev"
)
CODE_STEMS = _stems(
    r"^(icd|zip|postcode|postal|fips|nace|naics|isco|isced|vill|msa|diag|nuts|puma|cbsa)",
    r"(code|zip|fips|place|county|cntry|country|state|puma|nuts|postnr|plz)$",
)
CODE_LABEL = re.compile(
    r"\bcodes?\b|\b(icd|fips|nace|naics|isco|sic|msa|postcode|zip)\b|\bplace of birth\b"
)

# -- parts of a date
YEARS = _stems(r"^(year|yr|yob|jahr|annee|ano)|(year|yob|yr|birthy|ybirth)$|year")
MONTHS = _stems(
    r"month|mnth|^mth|mth$|^mo[a-z]{0,4}$|monat|^mes$|^mois|mois$|maand|^mese$|mesnac|^mesic|miesi[aą]c",
    r"^m[aå]ned|^m[aå]nad|kuukausi|^h[oó]nap|^mm$|mob$|dobm{1,2}$",
)
TIMES = _stems(
    r"week|day|hour|minute|time|trial|period|round|wave|visit|date|woche|tag$|jour"
)
YES_NO_LABEL = re.compile(
    r"^=? ?[01] ?(if|when|:|=)|\bdummy\b|\bindicator\b|\byes ?/ ?no\b"
)
