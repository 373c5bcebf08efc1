"""The stages of firing an event, and the pipeline that puts them in order."""
