// The search index is larger than all else of a page. The theme asks for it at once; here the request waits
// until the reader turns to the search, or comes from it to a page whose finds are to be marked.
(() => {
  const { open, send } = XMLHttpRequest.prototype
  const wanted = new Promise(resolve => {
    if (/[?&][hq]=/.test(location.search)) resolve()
    const turned = ({ target }) => target.closest?.("[data-md-component=search], [for=__search]") && resolve()
    for (const type of ["focusin", "pointerover"]) addEventListener(type, turned, { capture: true, passive: true })
  })
  XMLHttpRequest.prototype.open = function (method, url, ...rest) {
    this.isIndex = /\/search_index\.json$/.test(url)
    return open.call(this, method, url, ...rest)
  }
  XMLHttpRequest.prototype.send = function (...body) {
    this.isIndex ? wanted.then(() => send.apply(this, body)) : send.apply(this, body)
  }
})()
