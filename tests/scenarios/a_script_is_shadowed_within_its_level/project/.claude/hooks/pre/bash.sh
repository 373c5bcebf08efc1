#!/bin/sh
echo "claude's guard of the project" >&2
exit 2
