"""The commands room: what each verb of the command line does, as functions that return records and lines."""
