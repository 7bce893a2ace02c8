(() => {
  // Every part of a program copies the whole of it, which only the first part holds. The theme says when it has put
  // another page into this one.
  document$.subscribe(() => {
    for (const part of document.querySelectorAll("[data-copy-of]"))
      part.dataset.copy = document.getElementById(part.dataset.copyOf).querySelector("[data-copy]").dataset.copy
    // A program gets its button when it comes into view (content.lazy). The tab key, which goes past what isn't there
    // yet, needs something to stop at before: the link in the head of its card, or else the program.
    for (const program of document.querySelectorAll(".highlight > pre:not(.literate-output *, .literate-head ~ * *)"))
      program.tabIndex = 0
  })

  // The theme puts the buttons of each program into a <nav>. To a screen reader each would be a place to navigate by, all
  // of the same name; they are only buttons. And the box it puts around a table can be scrolled, but not by keyboard.
  const mend = {
    "md-code__nav": nav => {
      const program = nav.closest("pre")
      nav.setAttribute("role", "none")
      if (program === document.activeElement) program.onblur = () => program.removeAttribute("tabindex")
      else program?.removeAttribute("tabindex")
    },
    "md-typeset__scrollwrap": box => (box.tabIndex = 0),
  }
  for (const name in mend) document.querySelectorAll(`.${name}`).forEach(mend[name])
  new MutationObserver(changes => {
    for (const { addedNodes } of changes) for (const node of addedNodes) mend[node.className]?.(node)
  }).observe(document.body, { childList: true, subtree: true })
})()
