# With standard streams closed, what is printed lands in no file that gpx opens.
kernel k.cu '__global__ void k(int* a) { a[0] = 1; }'
for streams in '2>&-' '1>&- 2>&-' '0>&- 2>&-' '0>&- 1>&- 2>&-'; do
  rm -f o.json
  eval "\"$GPX\" run k.gpx --device gtx280 -v --json o.json 1>out.txt 2>err.txt $streams"
  python3 -c 'import json; json.load(open("o.json"))' 2>/dev/null ||
    wrong "$streams: o.json is $(head -c 60 o.json 2>/dev/null)"
done
