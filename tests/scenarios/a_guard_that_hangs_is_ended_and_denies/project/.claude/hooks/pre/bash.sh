#!/bin/sh
# hookrun: timeout=500ms
echo thinking >&2
exec sleep 600
