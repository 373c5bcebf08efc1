printf 'md|```diff\n-1\n+2\n```\n'
