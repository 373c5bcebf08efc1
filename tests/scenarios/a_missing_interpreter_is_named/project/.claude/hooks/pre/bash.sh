#!/usr/bin/env zsh5
exit 0
