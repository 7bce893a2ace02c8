// From a file:// address a browser starts no worker. For the search of the downloaded site a hidden frame of the page takes
// its place. The theme's worker looks for this name, and then for its files beside the first script of its document.
if (location.protocol === "file:") {
  window.IFrameWorker = class extends EventTarget {
    constructor(url) {
      super()
      const frame = document.createElement("iframe")
      frame.hidden = true
      document.body.append(frame)
      this.inside = frame.contentWindow
      const { document: page } = this.inside
      this.inside.postMessage = data => this.dispatchEvent(new MessageEvent("message", { data }))
      this.inside.importScripts = async (...urls) => {
        for (const src of urls) await load(src)
      }
      const load = src =>
        new Promise((resolve, reject) => {
          const script = Object.assign(page.createElement("script"), { src, onload: resolve, onerror: reject })
          page.head.append(script)
        })
      this.ready = load(new URL(url, document.baseURI).href)
    }

    postMessage(data) {
      this.ready.then(() => this.inside.dispatchEvent(new this.inside.MessageEvent("message", { data })))
    }
  }
  window.Worker = window.IFrameWorker
}
