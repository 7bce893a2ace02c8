(() => {
  // Every part of a program copies the whole of it, which only the first part holds. The theme says when it has put
  // another page into this one.
  document$.subscribe(() => {
    for (const part of document.querySelectorAll("[data-copy-of]"))
      part.dataset.copy = document.getElementById(part.dataset.copyOf).querySelector("[data-copy]").dataset.copy
  })

  // The theme puts the buttons of each program into a <nav>. To a screen reader each would be a place to navigate by, all
  // of the same name; they are only buttons. And the box it puts around a table can be scrolled, but not by keyboard.
  const mend = {
    "md-code__nav": nav => nav.setAttribute("role", "none"),
    "md-typeset__scrollwrap": box => (box.tabIndex = 0),
  }
  for (const name in mend) document.querySelectorAll(`.${name}`).forEach(mend[name])
  new MutationObserver(changes => {
    for (const { addedNodes } of changes) for (const node of addedNodes) mend[node.className]?.(node)
  }).observe(document.body, { childList: true, subtree: true })
})()
