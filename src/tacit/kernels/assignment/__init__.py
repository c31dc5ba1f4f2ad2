"""The sparse assignment problem and the marginals of a random matching."""
