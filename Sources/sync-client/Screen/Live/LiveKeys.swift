import CanvasCRDT
import TerminalCanvas

// The keyboard.

extension LiveCanvas {
  func take(_ event: TerminalEvent) {
    if prompt != nil, takePrompt(event) { return }
    switch event {
    case .key(let key, let modifiers):
      // Somebody is waiting at the keyboard, so the client connects at once.
      client.tryNow()
      if showsHelp {
        showsHelp = false
      } else {
        take(key, modifiers)
      }
    case .mouse(let mouse):
      showsHelp = showsHelp && mouse.action == .move
      if mouse.action == .press { stay() }
      take(mouse)
    case .background(let red, let green, let blue):
      theme = Color(red: red, green: green, blue: blue).luminance > 128 ? .light : .dark
      shapes.change()
    case .focus(false):
      letGo()
      pointer = nil
      tellPresence()
    case .focus, .paste: break
    }
  }

  private func take(_ key: Key, _ modifiers: Modifiers) {
    let isLeaving = key == .character("q") || key == .character("c") && modifiers == .control
    if !isLeaving { stay() }
    switch key {
    case .up, .down, .left, .right: takeArrow(key, modifiers)
    case .tab: selectNext(backwards: modifiers.contains(.shift))
    case .escape: escape()
    case .enter: beginRenaming()
    case .delete, .backspace: deleteSelection()
    case .pageUp: reorder(drawing.order.bringingForward(selection, using: &chance))
    case .pageDown: reorder(drawing.order.sendingBackward(selection, using: &chance))
    case .home: reorder(drawing.order.bringingToFront(selection, using: &chance))
    case .end: reorder(drawing.order.sendingToBack(selection, using: &chance))
    case .character(let scalar) where modifiers == .control: takeControl(scalar)
    case .character(let scalar) where modifiers.isSubset(of: .shift): take(scalar)
    default: break
    }
  }

  private func takeControl(_ scalar: Unicode.Scalar) {
    switch scalar {
    case "a": selectAll()
    case "c": leave()
    case "r", "y": redo()
    default: break
    }
  }

  private func take(_ scalar: Unicode.Scalar) {
    switch scalar {
    case "?": showsHelp = true
    case "q": leave()
    case "r": add(.rectangle)
    case "o": add(.roundedRectangle)
    case "e": add(.ellipse)
    case "p": add(.polygon)
    case "s": add(.star)
    case "a": addArrow()
    case "i": beginWriting()
    case "I": putTextBack()
    case "n": addSquares(1)
    case "3": addSquares(3)
    case "d": duplicate()
    case "x": deleteSelection()
    case "u": undo()
    case "U": redo()
    case "B": swallowEverything()
    default: takeLooking(scalar)
    }
  }

  private func takeLooking(_ scalar: Unicode.Scalar) {
    switch scalar {
    case "c": recolor(selection)
    case ",": changeOpacity(by: -1)
    case ".": changeOpacity(by: 1)
    case "w": changeOutline()
    case "v": toggleFill()
    case "h": toggleVisibility()
    case "k": toggleLock()
    case "G": toggleGroup()
    case "[": turn(by: -15)
    case "]": turn(by: 15)
    case "{": turn(by: -1)
    case "}": turn(by: 1)
    case "<": scale(by: 1 / 1.1)
    case ">": scale(by: 1.1)
    case "+", "=": zoom(by: 1.25)
    case "-", "_": zoom(by: 1 / 1.25)
    case "0":
      stopFollowing()
      showEverything()
    case "1":
      stopFollowing()
      view.zoom(toPercent: 100)
    case "f": followNext()
    case "g": wantsPanel.toggle()
    case "t":
      theme = theme == .dark ? .light : .dark
      shapes.change()
    default: break
    }
  }

  private func zoom(by factor: Double) {
    stopFollowing()
    view.zoom(by: factor)
  }

  /// The arrow keys move the selected shapes, or the view if nothing is selected.
  private func takeArrow(_ key: Key, _ modifiers: Modifiers) {
    let columns: Double = key == .left ? -1 : key == .right ? 1 : 0
    let rows: Double = key == .up ? -1 : key == .down ? 1 : 0
    if selection.isEmpty || modifiers.contains(.alt) || modifiers.contains(.control) {
      stopFollowing()
      view.pan(columns: columns * 4, rows: rows * 2)
      return
    }
    let step: Double = modifiers.contains(.shift) ? 1 : 10
    moveSelection(columns * step, rows * step)
  }

  /// Ends one thing: a drag, following, the selection, or what is said of lost texts.
  private func escape() {
    if !grip.isNone {
      letGo()
    } else if followed != nil {
      follow(nil)
    } else if !selection.isEmpty {
      select([])
    } else {
      lostTexts.hide()
    }
  }

  /// The user goes on, although they wanted to leave.
  private func stay() {
    guard leaving != .no else { return }
    leaving = .no
    notice = nil
  }

  /// Leaves at once if all changes are saved. Otherwise it waits until they are saved. It first warns the user if the server
  /// can't be reached, so that changes would be lost, or if a lost text has not been put back.
  func leave() {
    if leaving == .no, lostTexts.words != nil {
      leaving = .warnedOfText
      return say("I puts back the text that you have written. q again to leave without it.", .warning)
    }
    let unsent = client.replica.unsentCount
    let isLive = client.replica.state == .live
    guard unsent > 0, [.no, .warnedOfText].contains(leaving) || leaving == .onceSaved && !isLive else {
      host.end()
      return
    }
    leaving = isLive ? .onceSaved : .warned
    let changes = unsent == 1 ? "1 change is" : "\(unsent) changes are"
    say(
      isLive
        ? "Leaving as soon as \(changes) saved. q again to leave now."
        : "\(changes) not saved and would be lost. q again to leave.",
      .warning
    )
  }

  // MARK: - Names

  private func beginRenaming() {
    guard selection.count == 1, canvas[selection[0]] != nil else {
      say("Select one shape to rename it.")
      return
    }
    guard !isViewOnly else {
      say("You can look but not edit here.", .warning)
      return
    }
    guard !refusesLocked(selection) else { return }
    let line = LineEditor(drawing.name(of: selection[0]), bytesMax: PropertyRules.nameBytesMax)
    prompt = (selection[0], RoomFrame.Prompt(label: "Name:", line: line))
  }

  /// - Returns: whether the prompt has handled the event.
  private func takePrompt(_ event: TerminalEvent) -> Bool {
    switch event {
    case .key, .paste: break
    default: return false
    }
    guard var prompt else { return false }
    let isText = prompt.prompt.label == LiveCanvas.textLabel
    var event = event
    // Line breaks and backslashes in a pasted text are escaped, as if the user had typed the escapes.
    if isText, case .paste(let pasted) = event {
      event = .paste(TextWords.typed(Text(TextWords.withLineFeeds(pasted))))
    }
    switch prompt.prompt.line.take(event) {
    case .editing: self.prompt = prompt
    case .full:
      self.prompt = prompt
      say("There is no room for more: the end was left out.", .warning)
    case .cancelled:
      self.prompt = nil
      if isText { cancelWriting(prompt.prompt) }
    case .accepted:
      self.prompt = prompt
      writeOpenField()
    }
    return true
  }

  /// Writes what is typed in the open field, if there is one, and closes it. If that can't be written now, the field stays
  /// open, so that it isn't lost.
  func writeOpenField() {
    guard let (shape, field) = prompt else { return }
    let isText = field.label == LiveCanvas.textLabel
    let typed = field.line.text
    guard !isText || PropertyRules.allowsText(Text(TextWords.written(typed))) else {
      return say("A text has at most 4,096 bytes.", .warning)
    }
    // Without a change by the user, nothing is written. The old text would undo what others have written meanwhile. Nor
    // is an empty name written.
    guard typed != field.beginning, isText || !typed.isEmpty else {
      prompt = nil
      return
    }
    // Somebody may have locked the shape meanwhile.
    if canvas[shape]?.properties.isLocked == true {
      return say("\(drawing.name(of: shape)) was locked meanwhile, so nothing can be written in it now.", .warning)
    }
    if isText {
      prompt = nil
      write(Text(TextWords.written(typed)), in: shape)
    } else if rename(shape, to: typed) {
      prompt = nil
    }
  }

  /// What the user has typed and the drawing doesn't have: lost texts, and what is in the open field.
  var unwritten: [String] { lostTexts.typed + typed }

  /// What is in the open field, if the user has changed it.
  var typed: [String] {
    guard let field = prompt?.prompt, field.line.text != field.beginning else { return [] }
    return [field.line.text]
  }
}
