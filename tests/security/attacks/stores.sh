# Stores and documents from anyone: nothing in them runs, one bad row hides no other, and what cannot
# be kept is said.
export GPX_STORE=$PWD/s.db
cat >e.gpx <<'GPX'
experiment e { sweep threads in [32, 64] < load broadcast > }
GPX
sql() {  # sql FILE STATEMENTS
  python3 - "$@" <<'PY'
import sqlite3, sys
database = sqlite3.connect(sys.argv[1])
database.executescript(sys.argv[2])
database.commit()
PY
}
status 0 "$GPX" run e.gpx --device k20 -q
status 0 "$GPX" run e.gpx --device k20 -q
cp s.db good.db

# A trigger, a view that never ends, a table that computes.
for bad in \
  "CREATE TRIGGER t AFTER INSERT ON run BEGIN DELETE FROM batch; END" \
  "DROP VIEW expectation; CREATE VIEW more AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x FROM c" \
  "ALTER TABLE run RENAME TO old; CREATE VIEW run AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x AS number FROM c" \
  "ALTER TABLE run ADD COLUMN more TEXT GENERATED ALWAYS AS (hex(zeroblob(100000000))) VIRTUAL" \
  "CREATE INDEX i ON run (length(id))"; do
  cp good.db s.db
  sql s.db "$bad"
  status 3 "$GPX" runs
  says 'does not make'
  status 3 "$GPX" run e.gpx --device k20 -q --store s.db
done
# The views that gpx makes are for others: it runs none of them.
cp good.db s.db
sql s.db "DROP VIEW expectation; CREATE VIEW expectation AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x AS run, x AS applies, x AS pass FROM c"
status 0 "$GPX" runs

# One bad row.
cp good.db s.db
sql s.db "UPDATE experiment SET result = 'no document' WHERE run = 1"
status 0 "$GPX" runs
(($(wc -l <out.txt) == 3)) || wrong "gpx runs does not list both runs: $(cat out.txt)"
status 0 "$GPX" show 2
cp good.db s.db

# A store that may only be read.
folder=$(mktemp -d)
cp good.db "$folder/s.db"
chmod 755 "$folder"
chmod 444 "$folder/s.db"
if [[ $(id -u) == 0 ]]; then
  chmod 755 .
  reader() { status 0 setpriv --reuid 65534 --clear-groups env HOME=/ "$GPX" "$@"; }
else
  chmod 555 "$folder"
  reader() { status 0 "$GPX" "$@"; }
fi
reader runs --store "$folder/s.db"
prints 'complete'
reader show 1 --store "$folder/s.db"
chmod 755 "$folder"
rm -rf "$folder"

# What would keep nothing, and what nobody named.
GPX_STORE=:memory: status 2 "$GPX" run e.gpx --device k20 -q
says 'would keep nothing'
mkdir here
(cd here && unset GPX_STORE && cp ../good.db gpx.db && XDG_DATA_HOME=$PWD/data status 0 "$GPX" run ../e.gpx --device k20 -q &&
  cmp -s gpx.db ../good.db || wrong 'a gpx.db that lay there was used')

# A column that the store could not show afterwards.
status 0 "$GPX" export 1 -q
cp out.txt d.json
for name in 'a\tb' 'a\nb' '' 'a\u202eb'; do
  NAME=$name python3 - <<'PY'
import json, os
document = json.load(open("d.json"))
document["run"]["id"] = "a" + os.urandom(7).hex()
columns = document["experiments"][0]["samples"]["columns"]
columns[0] = os.environ["NAME"].encode().decode("unicode_escape")
json.dump(document, open("n.json", "w"))
PY
  status 2 "$GPX" import n.json
  says 'is no name'
done

# Texts where gpx itself puts numbers.
python3 - <<'PY'
import json, os
document = json.load(open("d.json"))
document["run"]["id"] = os.urandom(8).hex()
samples = document["experiments"][0]["samples"]
at = samples["columns"].index("repetition")
for row in samples["rows"]:
    row[at] = "w"
json.dump(document, open("n.json", "w"))
PY
status 2 "$GPX" import n.json
says "'repetition' of e has texts"
