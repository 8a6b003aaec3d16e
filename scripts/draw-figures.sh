#!/usr/bin/env bash
# Draws Vega-Lite specifications, such as those that 'dppl sweep' writes, as SVG files beside them: NAME.vl.json gives NAME.svg.
# With node and the packages that scripts/setup-vega.sh fetches and checks; the pages of dppl are drawn by the same ones.
#   scripts/draw-figures.sh DIR/figures/*.vl.json
set -euo pipefail
[ $# -gt 0 ] || { echo "draw-figures.sh: name at least one specification (NAME.vl.json)" >&2; exit 2; }
root=$(dirname "$0")/..
"$root/scripts/setup-vega.sh"
command -v node >/dev/null || { echo "draw-figures.sh: needs node (Debian's package nodejs)" >&2; exit 1; }

node - "$root/.deps/vega/vega.js" "$@" <<'JS'
const fs = require('fs'), vm = require('vm');
const [library, ...files] = process.argv.slice(2);
// As in a browser, the library leaves its names among the global ones. Its last part, which puts charts on pages, would miss a page.
delete globalThis.exports;
vm.runInThisContext(fs.readFileSync(library, 'utf8').split(/^\/\* vega-embed@/m)[0], library);

const draw = async (file) => {
  const logger = vega.logger(vega.Warn);
  const compiled = vegaLite.compile(JSON.parse(fs.readFileSync(file, 'utf8')), {logger}).spec;
  const svg = await new vega.View(vega.parse(compiled), {renderer: 'none', logger}).toSVG();
  fs.writeFileSync(file.replace(/(\.vl)?\.json$/, '') + '.svg', svg + '\n');
};
(async () => {
  for (const file of files) await draw(file).catch((error) => {
    console.error(`draw-figures.sh: ${file}: ${error.message}`);
    process.exitCode = 1;
  });
})();
JS
