"""The workbench: a page in a browser, and the program that answers its requests.

Begin with `facade`: it takes a JSON request and returns a JSON answer, and reads no files except the packaged grammars.
`session` has the records of a request and the work kept between requests; `calls` has every call by name. `serving`
answers over HTTP; `folder` reads and saves the user's files, `languages` serves the language of a folder, `corpus_page`
a store. `site` writes the page that runs in the browser alone. The files of the page are in `page`. The command line
calls `verbs`.
"""

__all__ = ["corpus_page", "facade", "folder", "languages", "serving", "session", "site", "verbs"]
