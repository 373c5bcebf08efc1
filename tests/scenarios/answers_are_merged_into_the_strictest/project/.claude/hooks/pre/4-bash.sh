#!/bin/sh
# hookrun: on-failure=allow
exit 1
