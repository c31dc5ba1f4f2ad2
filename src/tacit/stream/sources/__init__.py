"""Where records come from and where releases go: pipes and files, Redis, river, CapyMOA."""
