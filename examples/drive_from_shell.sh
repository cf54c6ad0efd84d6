#!/bin/sh
# Shirokuro in pipes.
#
#     sh examples/drive_from_shell.sh target/release/shirokuro
set -e
engine=${1:-shirokuro}

echo "The best move after f5 d6, alone:"
printf 'f5d6\ngo\n' | "$engine" console --level 8 --threads 1 | cut -d ' ' -f 2

echo "The values of all moves there:"
printf 'f5d6\nhint\n' | "$engine" console --level 8 --threads 1 | awk '$1 == "hint" { print $2, $4 }'

echo "A board in, row, column and value out:"
"$engine" standalone --level 8 --threads 1 <<'BOARD'
0
........
........
........
...10...
...100..
...1....
........
........
BOARD

echo "Three games of the engine against itself, as transcripts:"
for seed in 1 2 3; do
    printf 'random 6 %s\nmode 2\n' "$seed" | "$engine" console --level 1 --threads 1 |
        awk 'NR == 1 { game = $1 } $1 == "move" && $2 != "pass" { game = game $2 } END { print game }'
done

echo "Positions from a file, one a line, as JSON questions:"
printf '%s\n' f5d6 f5f6 f5f4 |
    awk '{ printf "{\"id\":\"%s\",\"moves\":\"%s\",\"level\":6}\n", $1, $1 }' |
    "$engine" json --threads 1 |
    sed 's/^{"id":"\([^"]*\)".*"move":"\([^"]*\)","colour":"\([^"]*\)","value":\([^,]*\),.*/\1: \3 plays \2, \4/'
