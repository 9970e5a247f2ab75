#!/usr/bin/env bash
# Packs CodeMirror 6 as editor.min.js, from the versions of package-lock.json. Needs Node 20 and the
# npm registry; a build of gpx needs neither.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$here"/{package.json,package-lock.json,bundle.js} "$work"
cd "$work"
npm ci --no-audit --no-fund
npx esbuild bundle.js --bundle --minify --format=iife --global-name=gpxEditor --target=es2020 \
  --legal-comments=none --outfile=editor.min.js
cp node_modules/@codemirror/view/LICENSE "$here"/LICENSE
cp editor.min.js "$here"/
