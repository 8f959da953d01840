// Stand-ins for elements, for what makes a few of them. They lay nothing out, and `querySelector` finds nothing.

export class Element extends EventTarget {
  children = []
  textContent = ''
  value = ''
  hidden = false
  dataset = {}
  style = { setProperty() {} }
  classList = { add() {}, remove() {}, toggle() {} }
  append(...children) {
    for (const child of children) {
      if (child instanceof Element) {
        child.parent = this
        this.children.push(child)
      } else this.textContent += child
    }
  }
  insertBefore(child, next) {
    child.parent?.children.splice(child.parent.children.indexOf(child), 1)
    this.children.splice(next ? this.children.indexOf(next) : this.children.length, 0, child)
    child.parent = this
  }
  get firstChild() { return this.children[0] ?? null }
  remove() { this.parent.children = this.parent.children.filter((child) => child !== this) }
  attributes = {}
  classList = { toggle() {}, add() {}, remove() {} }
  querySelector() { return null }
  getAttribute(name) { return this.attributes[name] ?? null }
  hasAttribute(name) { return name in this.attributes }
  setAttribute(name, value) {
    this.attributes[name] = value
    if (name === 'hidden') this.hidden = true
  }
  removeAttribute(name) {
    delete this.attributes[name]
    if (name === 'hidden') this.hidden = false
  }
  matches() { return false }
  closest() { return null }
  contains() { return false }
  focus() {}
  replaceChildren(...children) {
    this.children = []
    this.append(...children)
  }
  /** The words of an element and of all in it. */
  get words() { return [this.textContent, ...this.children.map(({ words }) => words)].filter(Boolean).join(' ') }
  /** What of them is not hidden. */
  get shownWords() { return this.hidden ? '' : [this.textContent, ...this.children.map(({ shownWords }) => shownWords)].filter(Boolean).join(' ') }
}

/** Lets the page make such elements from now on. Returns its body. */
export function makeElements() {
  const body = new Element()
  const page = { createElement: () => new Element(), createElementNS: () => new Element(), activeElement: null, body }
  globalThis.document = Object.assign(globalThis.document ?? {}, page)
  return body
}
