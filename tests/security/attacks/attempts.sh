# The rows of attempts.md, each run as it stands there.
table=$(dirname "${BASH_SOURCE[0]}")/../attempts.md
echo 'experiment e { threads 32 < load broadcast > }' >e.gpx
echo 'experiment e { threads 32 < load broadcast > analyze "a.lua"() }' >a.gpx

# attempt KIND INPUT STATUS
attempt() {
  case $1 in
    lua) printf '%s\n' "$2" >a.lua && status "$3" "$GPX" lua a.lua ;;
    analysis) printf '%s\n' "$2" >a.lua && status "$3" "$GPX" run a.gpx --device k20 -q ;;
    device) printf '%b\n' "$2" >d.lua && status "$3" "$GPX" run e.gpx --device d.lua -q ;;
    text) printf '%b\n' "$2" >t.gpx && status "$3" "$GPX" run t.gpx --device k20 -q ;;
    kernel)
      kernel k.cu "$(printf '%b' "$2")"
      if has_nvrtc; then
        status "$3" "$GPX" run k.gpx --device gtx280 -q
      else  # clang refuses fewer of them, in other words
        status '[02]' "$GPX" run k.gpx --device gtx280 -q
      fi
      ;;
    document) printf '%b' "$2" >d.json && status "$3" "$GPX" report d.json -o o.html ;;
    arguments)
      local words
      read -ra words < <(printf '%b\n' "$2")
      status "$3" "$GPX" "${words[@]}"
      ;;
    environment)
      local variables
      read -ra variables < <(printf '%b\n' "$2")
      status "$3" env "${variables[@]}" "$GPX" run e.gpx --device k20 -q
      ;;
    lsp)
      printf '%b' "$2" >lsp.in
      # shellcheck disable=SC2016
      status "$3" sh -c '"$GPX" lsp <lsp.in >lsp.out; s=$?; tr -d "\r" <lsp.out >&2; exit $s'
      ;;
    *) wrong "no such kind: $1" ;;
  esac
}

rows=0
while IFS= read -r line; do
  [[ $line =~ ^\|\ [a-z]+\ \|\ ([a-z]+)\ \|\ \`(.*)\`\ \|\ ([0-9]+)\ \|\ ?(.*)\ \|$ ]] || continue
  kind=${BASH_REMATCH[1]} input=${BASH_REMATCH[2]} wanted=${BASH_REMATCH[3]} message=${BASH_REMATCH[4]}
  rows=$((rows + 1)) before=$failures
  attempt "$kind" "$input" "$wanted"
  [[ -z $message ]] || { [[ $kind == kernel ]] && ! has_nvrtc; } || says "$message"
  ! LC_ALL=C grep -qP '[\x00-\x08\x0b-\x1f\x7f]' out.txt err.txt && ! grep -q $'\u202e' out.txt err.txt ||
    wrong 'what a terminal acts on was printed'
  [[ ! -e owned ]] || wrong 'a file was made'
  ((failures == before)) || echo "  in the attempt: $kind $input" >&2
done <"$table"
((rows >= 140)) || wrong "only $rows attempts were read"
