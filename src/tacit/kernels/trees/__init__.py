"""Search trees over points: kd-tree and 2^d-tree."""
