"""Weights of the distance, learned from known links: search, proof, and a full matrix."""
