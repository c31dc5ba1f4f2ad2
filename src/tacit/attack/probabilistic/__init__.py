"""Probabilities of links: Fellegi and Sunter by EM, and marginals of the one-to-one linkage."""
