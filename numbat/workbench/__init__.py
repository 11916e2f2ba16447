"""The workbench: requests of a page in a browser, and the program that answers them.

Begin with `facade`: a JSON request comes in, a JSON answer goes out, and no file is read or written but the packaged
grammars. `session` has the records of a request and what is kept between requests; `calls` has every call by name.
`serving` answers over HTTP, with the user's files in `folder`, the language of a folder in `languages`, a store in
`corpus_page`; `site` writes the page that runs in the browser alone. The files of the page are in `page`;
`verbs` is what the command line calls.
"""

__all__ = ["corpus_page", "facade", "folder", "languages", "serving", "session", "site", "verbs"]
