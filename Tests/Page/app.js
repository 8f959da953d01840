// Defines the object `app`, which gives tests short names for the parts of the room's page. This script is added to
// every page before the page loads. `app` exists once the page has made all its parts.
//
// A page first shows the whole drawing, but tests use coordinates from the canvas's origin. So the script moves the
// view to the origin before the drawing comes, unless a test is about that first view.
//
// The style sheets' transitions and animations are left out, because their frames cost the tests much processor time.
// For people who ask for less motion the page does so itself.
{
  addEventListener('DOMContentLoaded', () => {
    if (matchMedia('(prefers-reduced-motion: reduce)').matches) return
    const sheet = new CSSStyleSheet()
    sheet.replaceSync('*, ::before, ::after { animation: none !important; transition: none !important }')
    document.adoptedStyleSheets = [sheet]
  })
  let app
  let room
  Object.defineProperty(window, 'canvasRoom', {
    get: () => room,
    set(parts) {
      room = parts
      if (window.isFirstViewWanted) return
      const { view } = parts
      view.zoomAt({ x: 0, y: 0 }, 1 / view.scale)
      view.panBy(view.x * view.scale, view.y * view.scale)
    },
  })
  Object.defineProperty(window, 'canvasApp', {
    get() {
      const parts = window.canvasRoom
      if (!parts) return undefined
      app ??= Object.defineProperties({
        ...parts,
        edit: (change) => parts.editing.edit(change),
        group: (edits) => parts.editing.group(edits),
        perform: (effects) => parts.connection.perform(effects),
        start: () => parts.connection.start(),
        setTool: (name) => parts.tool.choose(name),
        setMe: (me) => parts.me.become(me),
        say: (...values) => parts.notices.say(...values),
        exchange: () => parts.documents.load(),
        invalidate: () => parts.frames.request(),
        live: parts.connection.replica,
      }, {
        session: { get: () => parts.shown.replica },
        tool: { get: () => parts.tool.name },
        viewOnly: { get: () => parts.permission.isViewOnly },
        isPast: { get: () => parts.shown.isPast },
        hasExchange: { get: () => parts.documents.isReady },
      })
      return app
    },
  })
}
