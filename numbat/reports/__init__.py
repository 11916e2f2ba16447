"""Shared parts of all reports; the report on a subject is the module `report` of its package.

Begin with `answers`: an `Answer` is the text, the JSON and the run record of a verb. `report` makes text, tables and
JSON from one declaration; `pages` has the frame of HTML pages; `pipelines` exports findings for continuous integration;
`run_notes` has the remarks on sentences and the run record.
"""

__all__ = ["answers", "pages", "pipelines", "report", "run_notes"]
