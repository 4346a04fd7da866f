"""How a drag feels: pictures a second while the hand moves, and how soon the last one stands after it lets go.

`python -m tools.dragging [--delay 150] [names ...]` drags in every figure that can be dragged, and beside it the first
slider of the same explorer by mouse. `--delay` puts so many milliseconds into the line between page and server, there and
back together, as a hub far away would.
"""

import argparse
import asyncio
import contextlib
import threading
import time
from pathlib import Path

from tests.browser.controls import explorers
from tests.browser.lab import Lab, browser, tab
from tests.browser.screenshots import choose
from tests.browser.touching import sheets

SECONDS = 2.5
COUNT = """box => {
  const view = box.querySelector('.explorer-view'), seen = window.__pictures = [];
  window.__pictures.watch?.disconnect();
  const watch = new MutationObserver(() => { seen.push(performance.now()); });
  watch.observe(view, {childList: true, subtree: true, characterData: true, attributes: true});
  seen.watch = watch;
}"""
COUNTED = "() => [window.__pictures.length, window.__pictures.at(-1) ?? 0, performance.now()]"


def drag(box, element, hold=None, seconds=SECONDS):
    """Move the pressed mouse to and fro over an element: pictures a second, and milliseconds from the end to the last one.
    `hold` is what the mouse is pressed on, if it is only a part, as the handle of a slider."""
    element.scroll_into_view_if_needed()
    place, page, steps = element.bounding_box(), box.page, 0
    held = hold.bounding_box() if hold else place
    middle, reach = held["y"] + held["height"] / 2, 0.6 * place["width"]
    page.mouse.move(held["x"] + held["width"] / 2, middle)
    page.mouse.down()
    page.evaluate(COUNT, box.element)
    start = time.monotonic()
    while (gone := time.monotonic() - start) < seconds:
        way = 2 * gone / seconds % 1
        share = 2 * min(way, 1 - way)
        page.mouse.move(place["x"] + 0.2 * place["width"] + share * reach, middle + 3 * (steps % 2))
        steps += 1
        time.sleep(0.008)
    pictures, _, end = page.evaluate(COUNTED)
    page.mouse.up()
    page.wait_for_timeout(1500)
    _, last, _ = page.evaluate(COUNTED)
    return pictures / seconds, max(0.0, last - end)


def measure(notebook, path):
    """Of each explorer with a figure to drag: (name, kind, pictures a second, milliseconds to settle)."""
    notebook.open(path).run_all()
    found = []
    for box in explorers(notebook):
        for sheet in [part for part in sheets(box) if "drag" in part.get_attribute("class").split()][:1]:
            found.append((box.name, "figure", *drag(box, sheet)))
            line, handle = (box.element.query_selector(f".widget-slider .noUi-{part}") for part in ("target", "handle"))
            if handle:
                found.append((box.name, "slider", *drag(box, line, handle)))
    return found


# --- a slow line ------------------------------------------------------------------------------------------------------


async def _late(reader, writer, delay):
    """Hand on what comes, each piece `delay` seconds later."""
    queue = asyncio.Queue()

    async def send():
        while True:
            due, data = await queue.get()
            await asyncio.sleep(max(0, due - time.monotonic()))
            if not data:
                return writer.close()
            writer.write(data)

    task = asyncio.create_task(send())
    while True:
        data = await reader.read(65536)
        await queue.put((time.monotonic() + delay, data))
        if not data:
            return await task


@contextlib.contextmanager
def slow_line(address, delay):
    """An address on this machine that leads to another one, `delay` seconds later each way."""
    host, port = address.removeprefix("http://").split(":")
    loop, ready = asyncio.new_event_loop(), threading.Event()
    found = []

    async def meet(reader, writer):
        far_reader, far_writer = await asyncio.open_connection(host, int(port))
        with contextlib.suppress(ConnectionError):
            await asyncio.gather(_late(reader, far_writer, delay), _late(far_reader, writer, delay))

    async def serve():
        server = await asyncio.start_server(meet, "127.0.0.1", 0)
        found.append(server.sockets[0].getsockname()[1])
        ready.set()
        await server.serve_forever()

    def run():
        with contextlib.suppress(RuntimeError, asyncio.CancelledError):
            loop.run_until_complete(serve())

    threading.Thread(target=run, daemon=True).start()
    ready.wait(10)
    try:
        yield f"http://127.0.0.1:{found[0]}"
    finally:
        loop.call_soon_threadsafe(loop.stop)


def main():
    parser = argparse.ArgumentParser(prog="python -m tools.dragging", description=__doc__.split("\n")[0])
    parser.add_argument("--delay", type=float, default=0, help="milliseconds in the line, there and back together")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    with Lab() as lab, slow_line(lab.address, options.delay / 2000) as far, browser() as chromium:
        near, lab.address = lab.address, far if options.delay else lab.address
        with tab(chromium, lab) as notebook:
            for path in choose(options.names):
                for name, kind, rate, settled in measure(notebook, path):
                    print(
                        f"{rate:5.1f} pictures/s  settled {settled:4.0f} ms  {kind}  {Path(path).stem} {name}",
                        flush=True,
                    )
        lab.address = near


if __name__ == "__main__":
    main()
