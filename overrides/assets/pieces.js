// The interactive pieces. Each choice of a reader was recorded (literate/course/pieces/catalogue.py): this looks it up, and computes nothing.
customElements.get("literate-piece") ||
  customElements.define(
    "literate-piece",
    class extends HTMLElement {
      connectedCallback() {
        const { html, states } = JSON.parse(this.querySelector("template").content.textContent)
        const [live, form, body, note] = [".piece-live", "form", "tbody", ".piece-note"].map(name => this.querySelector(name))
        const inputs = [...form.elements].filter(one => one.type === "radio" || one.type === "checkbox")
        const show = () => {
          const values = inputs.flatMap(one => (one.type === "checkbox" ? [+one.checked] : one.checked ? [one.value] : []))
          const [rows, said] = states[values.join("-")]
          body.innerHTML = rows.map(row => html[row]).join("")
          if (note.innerHTML !== html[said]) note.innerHTML = html[said]
          for (const button of form.querySelectorAll("[data-step]")) button.disabled = !neighbour(button)
        }
        const neighbour = button => inputs[inputs.findIndex(one => one.checked) + Number(button.dataset.step)]
        form.onchange = show
        form.onsubmit = () => false
        form.onclick = event => {
          const button = event.target.closest("[data-step]")
          if (!button) return
          neighbour(button).checked = true
          show()
          // A disabled button loses the focus, and the reader's place with it.
          if (button.disabled) form.querySelector("[data-step]:enabled").focus()
        }
        show()
        live.hidden = false
        this.classList.add("piece-works")
      }
    },
  )

// What a program ran on is shown on hover and on focus; Escape hides it, until it is left (WCAG 1.4.13).
document.addEventListener("keydown", event => {
  if (event.key !== "Escape") return
  for (const badges of document.querySelectorAll(".literate-badges:is(:hover, :focus)")) {
    badges.classList.add("literate-quiet")
    badges.onpointerleave = badges.onblur = () => badges.classList.remove("literate-quiet")
  }
})
