#!/bin/sh
echo '{"decision": "allow", "updatedInput": {"command": "git push"}}'
