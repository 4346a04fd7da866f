// A live lesson that was opened once opens without a network, too. What a page fetches is kept when it has time for that, and what
// comes from the network goes first.
const KEPT = 'attention-lessons';
const OTHERS = /\/api\/(drive|stdin|service-worker)|\/static\/models\//;  // JupyterLite answers some itself; models have a place of their own
const fetched = new Set();

self.addEventListener('fetch', event => {
  const {method, url} = event.request;
  if (method !== 'GET' || new URL(url).origin !== location.origin || OTHERS.test(url)) return;
  event.stopImmediatePropagation();
  event.respondWith(answer(event.request));
});

self.addEventListener('message', event => {
  if (event.data?.keep) event.waitUntil(keep([...event.data.keep, ...fetched]));
});

async function answer(request) {
  try {
    const found = await fetch(request);  // as it comes: a copy would take the compiled code of Python away from it
    fetched.add(request.url);
    return found;
  } catch (error) {  // no network
    const kept = await caches.match(place(request.url), {cacheName: KEPT, ignoreSearch: true}).catch(() => null);
    if (kept) return kept;
    throw error;
  }
}

// Where an answer is kept. One page shows every lesson, and has two names.
function place(address) {
  return address.split(/[?#]/)[0].replace(/\/index\.html$/, '/');
}

async function keep(addresses) {
  const cache = await caches.open(KEPT);
  for (const address of addresses.filter(each => !OTHERS.test(each))) {
    try {
      const found = await fetch(address, {cache: 'force-cache'}), before = await cache.match(place(address));
      const same = ['last-modified', 'etag', 'content-length'].every(name => before?.headers.get(name) === found.headers.get(name));
      if (found.ok && !(before && same)) await cache.put(place(address), found);
      fetched.delete(address);
    } catch {  // the network went away meanwhile, or there is no room
    }
  }
}

importScripts('jupyterlite-service-worker.js');
