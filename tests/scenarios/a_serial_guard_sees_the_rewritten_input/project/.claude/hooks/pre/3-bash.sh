#!/bin/sh
echo "saw: $HOOKRUN_COMMAND"
