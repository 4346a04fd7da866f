// Run web/slim.py in a Pyodide: node slim.mjs FOLDER WEB PACKAGES IMPORTS, the last two as JSON.
const [folder, web, packages, imports] = process.argv.slice(2);
const {loadPyodide} = await import(`${folder}/pyodide.mjs`);
const python = await loadPyodide({indexURL: `${folder}/`});
await python.loadPackage(JSON.parse(packages), {messageCallback: () => {}});
for (const [place, root] of [['/place', folder], ['/web', web]]) {
  python.FS.mkdir(place);
  python.FS.mount(python.FS.filesystems.NODEFS, {root}, place);
}
python.runPython('import sys; sys.path.append("/web")');
try {
  python.pyimport('slim').main('/place', JSON.parse(imports));
} catch (error) {
  console.error(error.message);  // Node would print all of Pyodide before it
  process.exit(1);
}
