"""Files and folders on disk: atomic writes, temporary folders, redaction of secrets."""
