"""The workbench: what a page in a browser asks of Numbat, and the program that gives it that page.

Begin with `facade`: a request as JSON comes in, an answer as JSON goes out, and no file is read or written but the
grammars that come with Numbat. `requests` has the records that a request is made of, `numbat.settings` reads them.
A request is worked on in a `session`: its grammar, which `grammar_texts` reads from the texts of its files, its parser
and its parses are kept from one request to the next (`kept_work`). What can be asked stands in `calls`, by name; what
an answer says of a parse is in `parse_views`, and of places in files in `places`. `page` has the files of the page,
`serving` the program that answers it over HTTP, with the user's own files. `site` writes the page that runs wholly in
the browser, where `in_worker` answers.
"""

__all__ = ["facade", "folder", "serving", "site"]
