"""Settings for nbconvert, which makes slides of a lesson: README says how.

What a slide is stands in the lesson's own metadata; prose that is too long for a wall becomes the speaker's notes. Lines of code
that a lesson hides stay hidden.
"""

import re

from nbconvert.preprocessors import Preprocessor


class Projected(Preprocessor):
    """Leave out the source of a cell that the lesson hides, and what only a reader at a keyboard can do."""

    def preprocess_cell(self, cell, resources, index):
        if cell.metadata.get("jupyter", {}).get("source_hidden"):
            cell.metadata["transient"] = {"remove_source": True}
        for output in cell.get("outputs", []):
            if "text/html" in (data := output.get("data", {})):
                data["text/html"] = re.sub(r"<p [^>]*>Run this cell to move:.*?</p>", "", data["text/html"])
        return cell, resources


c = get_config()  # noqa: F821
c.SlidesExporter.preprocessors = [Projected]
c.SlidesExporter.reveal_width, c.SlidesExporter.reveal_height = "1280", "720"
c.SlidesExporter.exclude_input_prompt = c.SlidesExporter.exclude_output_prompt = True
