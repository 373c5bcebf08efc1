#!/bin/bash
# hookrun: on-failure=allow
exit 2
