#!/bin/sh
echo '{"decision": "ask", "reason": "is that so?", "systemMessage": "somebody asks"}'
