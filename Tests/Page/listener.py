"""What a screen reader would read out: what has the focus, by the browser's own accessibility tree, and what live
regions say."""

RECORD = """
  window.heard = []
  const live = '[aria-live=polite], [aria-live=assertive], [role=status], [role=alert], [role=log]'
  new MutationObserver((records) => {
    const spoken = new Set()
    for (const { target, addedNodes } of records) {
      const region = (target instanceof Element ? target : target.parentElement)?.closest(live)
      if (!region || region.closest('[hidden]')) continue
      // A log tells what is added; another region tells what it holds.
      const texts = region.matches('[role=log]') ? [...addedNodes].map((node) => node.textContent) : [region.textContent]
      for (const text of texts) if (text.trim()) spoken.add(text.trim().replace(/\\s+/g, ' '))
    }
    window.heard.push(...spoken)
  }).observe(document, { subtree: true, childList: true, characterData: true })
"""


class Listener:
    def __init__(self, person):
        self.person = person
        self.tree = person.context.new_cdp_session(person.page)
        self.tree.send("Accessibility.enable")
        person.page.evaluate(f"() => {{ {RECORD} }}")

    def heard(self):
        """What the live regions have said so far."""
        return self.person.page.evaluate("window.heard")

    def hear(self, words, after=0):
        """Waits until a live region says these words, later than its first `after` sentences."""
        self.person.wait("window.heard.slice(value.after).includes(value.words)", f"“{words}” read out", {"words": words, "after": after})

    def nodes(self):
        return self.tree.send("Accessibility.getFullAXTree")["nodes"]

    def focus(self):
        """The focused element: its role, its name and its states."""
        for node in reversed(self.nodes()):
            states = {each["name"]: each["value"].get("value") for each in node.get("properties", [])}
            if states.get("focused") and not node.get("ignored"):
                words = [node["role"]["value"], node.get("name", {}).get("value", "")]
                if states.get("pressed") in ("true", True):
                    words.append("pressed")
                if "expanded" in states:
                    words.append("expanded" if states["expanded"] else "collapsed")
                return ", ".join(word for word in words if word)
        return None
