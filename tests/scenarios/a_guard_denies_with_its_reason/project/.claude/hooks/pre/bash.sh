#!/bin/sh
case "$HOOKRUN_COMMAND" in *"push -f"*) echo "ask before you force a push" >&2; exit 2;; esac
