"""Finds the line of a wrong answer that has to change: rules of what is mistaken for what, their changes, and the search."""
