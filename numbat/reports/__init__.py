"""Parts that all reports share; the report of a subject is the module `report` of its package.

Begin with `answers`: an `Answer` is the text, the JSON and the run record of a verb. `report` has reports that are
declared once, of which text, tables and JSON are made; `pages` what pages and drawings share; `pipelines` findings
for continuous integration; `run_notes` the remarks on sentences and the run record.
"""

__all__ = ["answers", "pages", "pipelines", "report", "run_notes"]
