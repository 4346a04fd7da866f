"""The lessons as pages that need no Python: what an explorer shows is recorded here, and played by one small script."""
