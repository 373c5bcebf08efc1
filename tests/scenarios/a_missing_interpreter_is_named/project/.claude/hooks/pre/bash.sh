#!/usr/bin/env nosh5
exit 0
