#!/bin/sh
echo "hookrun's guard of the project" >&2
exit 2
