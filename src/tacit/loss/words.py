"""Sentences that several losses say."""

NO_NUMBERS = "no compared column is continuous or ordinal"
