//! Engines as small shell scripts: they play a known game from memory, or misbehave.

/// A GTP engine that plays the game of `moves` from memory. On its move number `$1` (from 0, both sides counted) or
/// later it does `$2` instead.
pub const GTP_FAKE: &str = r#"
at=$1; fault=$2; n=0
set -- MOVES
ok() { printf '= %s\n\n' "$1"; }
trap '' PIPE
misbehave() {
  case $fault in
    crash) echo 'something is very wrong' >&2; exit 3 ;;
    hang) sleep 30 ;;
    late) sleep 0.6; ok "$1" ;;
    burn) while :; do :; done ;;
    garbage) echo 'Segmentation what?'; echo 'more noise'; sleep 30 ;;
    word) ok 'hello there' ;;
    illegal) ok a1 ;;
    pass) ok pass ;;
    resign) ok resign ;;
    refuse) printf '? I do not want to\n\n' ;;
    deaf) ok "$1"; exec 0<&-; sleep 30 ;;
    mute) exec 1>&-; sleep 30 ;;
    flood) while :; do echo noise; done ;;
    endless) printf '= f5'; while :; do printf ' f5\n'; done ;;
    *) ok "$1" ;;
  esac
}
while read -r command a b; do
  case $command in
    name) ok fake ;;
    version) ok 1 ;;
    list_commands) ok 'name
version
list_commands
boardsize
clear_board
play
genmove
quitEXTRA' ;;
    boardsize) [ "$fault" = noboard ] && printf '? no such size\n\n' || ok ;;
    clear_board) n=0; ok ;;
    play)
      if [ "$b" = pass ] && [ "$fault" = nopass ]; then printf '? syntax error\n\n'
      elif [ "$fault" = deadplay ] && [ "$n" -ge "$at" ]; then exit 4
      else [ "$b" = pass ] || n=$((n+1)); ok; fi ;;
    genmove)
      eval "m=\${$((n+1))}"
      if [ "$n" -ge "$at" ]; then n=$((n+1)); misbehave "$m"; else n=$((n+1)); ok "$m"; fi ;;
    quit) ok; exit 0 ;;
    *) ok ;;
  esac
done
"#;

pub const NBOARD_FAKE: &str = r#"
n=0
set -- MOVES
while read -r command a b; do
  case $command in
    nboard) echo 'set myname Fake5' ;;
    set) [ "$a" = game ] && n=0 ;;
    ping) echo "pong $a" ;;
    move) case $a in PA*) ;; *) n=$((n+1)) ;; esac ;;
    go) eval "m=\${$((n+1))}"
        echo 'status thinking'; echo "search $m 1.25 0 7"; echo 'nodestats 1234 0.1'
        echo "=== $m/1.50/0.1" ;;
    quit) exit 0 ;;
  esac
done
"#;

pub const CONSOLE_FAKE: &str = r#"
n=0
set -- MOVES
while read -r command a b; do
  case $command in
    hello) echo 'who is there' ;;
    reset) n=0 ;;
    put) n=$((n+1)); echo '  a b c d' ;;
    go) n=$((n+1)); eval "m=\${$n}"; echo "| 9@73% | +3 | 4711 |"; echo "I choose $m." ;;
  esac
done
"#;

pub const CONSOLE_ADAPTER: &str = r#"
[adapter.fake]
ready = "hello"
ready-reply = "who *"
level = "strength {level}"
new-game = ["reset"]
play = "put {MOVE}"
go = "go"
reply = ["I choose {move}."]
info = ["{depth} {value} {nodes}"]
plays-own-move = true
"#;

/// Black captures one stone and both pass; every engine may say what is dead.
pub const GO_FAKE: &str = r#"
n=0
while read -r command a b; do
  case $command in
    name) printf '= go\n\n' ;;
    list_commands) printf '= name\nfinal_status_list\n\n' ;;
    clear_board) n=0; printf '= \n\n' ;;
    play) n=$((n+1)); printf '= \n\n' ;;
    genmove) n=$((n+1)); set -- x C3 A1 pass pass; shift "$n"; printf '= %s\n\n' "$1" ;;
    final_status_list) printf '= DEAD\n\n' ;;
    *) printf '= \n\n' ;;
  esac
done
"#;
