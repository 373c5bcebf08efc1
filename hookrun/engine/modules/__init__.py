"""Python hook modules and handlers: loading them, the API they see, and calling what they registered."""
