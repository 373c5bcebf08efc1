#!/bin/sh
echo '{"decision": "allow", "updatedInput": {"command": "ls -l"}}'
