"""The program behind `numbat serve`: the page and its requests over HTTP, for this computer alone.

`server` has the server with its limits, `folder` the user's own files, `superseding` says which requests nobody waits
for any more, `assets` has the files of the page.
"""

__all__ = ["assets", "folder", "server"]
