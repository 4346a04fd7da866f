// What a live lesson says where the browser keeps nothing, and what it has kept for a day without a network.
window.compiled = WebAssembly.compileStreaming(fetch(new URL('static/pyodide/pyodide.asm.wasm', document.currentScript.src)));  // while the page comes

const BLOCKED = 'This browser keeps nothing of this page, since its site data are blocked. What you write is gone when you close it; '
  + 'File > Download saves it.';

async function keeps() {
  try {
    const asked = indexedDB.open('attention-lessons: is anything kept?');
    return await new Promise(done => {
      asked.onsuccess = () => { asked.result.close(); done(true); };
      asked.onerror = () => done(false);
    });
  } catch {
    return false;
  }
}

function say(words) {
  const bar = document.createElement('div'), close = document.createElement('button');
  bar.setAttribute('role', 'alert');
  bar.style = 'position:fixed;inset:auto 0 0 0;z-index:10000;display:flex;gap:12px;justify-content:center;align-items:center;'
    + 'padding:8px 16px;background:#fff4ce;color:#000;font:15px system-ui,sans-serif;';
  close.textContent = 'OK';
  close.onclick = () => bar.remove();
  bar.append(words, close);
  document.body.append(bar);
}

performance.setResourceTimingBufferSize(2000);
addEventListener('load', async () => {
  if (!await keeps()) return say(BLOCKED);
  const {active} = await navigator.serviceWorker?.ready ?? {};
  const keep = () => {
    const fetched = performance.getEntriesByType('resource').map(entry => entry.name);
    active?.postMessage({keep: [location.href, ...fetched].filter(address => address.startsWith(location.origin))});
  };
  for (const seconds of [20, 60, 180]) setTimeout(keep, 1000 * seconds);  // when the lesson is there
});
