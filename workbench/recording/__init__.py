"""An explorer for a page without Python: its states, written down by the code that draws them, and what plays them again."""
