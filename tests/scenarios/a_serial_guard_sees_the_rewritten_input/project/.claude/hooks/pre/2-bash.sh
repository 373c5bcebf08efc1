#!/bin/sh
# hookrun: serial=true
echo "saw: $HOOKRUN_COMMAND"
