"""The common parts of all reports; the report on a subject is in the module `report` of the subject's package.

Begin with `answers`: an `Answer` has the text, the JSON and the run record that a verb (command) prints. `report` makes
text, tables and JSON from one declaration; `pages` has the frame for HTML pages; `pipelines` exports findings for
continuous integration; `run_notes` has remarks on sentences, and the run record as text.
"""

__all__ = ["answers", "pages", "pipelines", "report", "run_notes"]
