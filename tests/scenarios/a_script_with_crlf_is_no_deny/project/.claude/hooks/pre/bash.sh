#!/bin/bash
exit 2
