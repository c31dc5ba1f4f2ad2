"""One release, one answer: the assessment, its verdict, its score, and whom it exposes."""
