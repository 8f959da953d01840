/// The shells for which completions can be made.
enum Shell: String {
  case bash, zsh, fish
}

extension Manual {
  func completion(for shell: Shell) -> String {
    switch shell {
    case .bash: bash
    case .zsh: zsh
    case .fish: fish
    }
  }

  /// What may come next on the command line: options, and longer commands that begin with `command`.
  private struct Step {
    let command: String
    let next: [Command]
    let options: [Option]
  }

  private var everywhere: [Option] { groups.flatMap { $0.options } }

  /// What may come next after each command. The first element is for a command line without a command.
  private var steps: [Step] {
    [Step(command: "", next: commands.filter { !$0.name.contains(" ") }, options: everywhere)]
      + commands.map { command in
        let next = commands.filter { $0.name.hasPrefix(command.name + " ") }
        return Step(command: command.name, next: next, options: command.options + (optionsFollow ? everywhere : []))
      }
  }

  private var allOptions: [Option] { everywhere + commands.flatMap { $0.options } }

  /// The names of the options with a value, separated by `|`.
  /// - Parameter takingFile: whether the value is a file name.
  private func names(takingFile: Bool) -> String {
    let names = allOptions.filter { $0.value != nil && $0.takesFile == takingFile }.map { $0.name }
    return Set(names).sorted().joined(separator: "|")
  }

  private var function: String { "_" + program.replacing("-", with: "_") }

  private func patterns(_ separator: String) -> String {
    commands.map { $0.name.replacing(" ", with: separator) }.joined(separator: "|")
  }

  private var bash: String {
    let rows = steps.map { step in
      let words = step.next.map { $0.lastWord } + step.options.map { $0.name }
      return "    '\(step.command)') words='\(words.joined(separator: " "))' ;;"
    }
    return """
      # Completion of \(program) for bash.
      \(function)() {
        local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command= each words=
        case $before in
          \(names(takingFile: true))) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$word"); return ;;
          \(names(takingFile: false))) return ;;
        esac
        for each in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
          case ${command:+$command }$each in
            \(patterns("\\ "))) command=${command:+$command }$each ;;
          esac
        done
        case $command in
      \(rows.joined(separator: "\n"))
        esac
        mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
      }
      complete -o default -F \(function) \(program)

      """
  }

  private var zsh: String {
    func described(_ name: String, _ words: String) -> String {
      Manual.quoted(name.replacing(":", with: "\\:") + ":" + words)
    }
    let rows = steps.map { step in
      let next = step.next.map { described($0.lastWord, $0.summary) }.joined(separator: " ")
      let options = step.options.map { described($0.name, $0.words) }.joined(separator: " ")
      return "    ('\(step.command)') next=(\(next)) options=(\(options)) ;;"
    }
    return """
      #compdef \(program)
      # Completion of \(program) for zsh.
      \(function)() {
        local command= each
        local -a next options
        case $words[CURRENT-1] in
          (\(names(takingFile: true))) _files; return ;;
          (\(names(takingFile: false))) _message value; return ;;
        esac
        for each in "${(@)words[2,CURRENT-1]}"; do
          case ${command:+$command }$each in
            (\(patterns("\\ "))) command=${command:+$command }$each ;;
          esac
        done
        case $command in
      \(rows.joined(separator: "\n"))
        esac
        if (( $#next )); then _describe command next; else _files; fi
        _describe -o option options
      }
      \(function) "$@"

      """
  }

  private var fish: String {
    var lines = ["# Completion of \(program) for fish."]
    func add(_ option: Option, _ condition: String) {
      let value = option.value == nil ? "" : option.takesFile ? " -r -F" : " -x"
      lines.append(
        "complete -c \(program)\(condition) -l \(option.name.dropFirst(2))\(value) -d \(Manual.quoted(option.words))"
      )
    }
    for option in everywhere { add(option, optionsFollow ? "" : " -n __fish_use_subcommand") }
    for command in steps[0].next { add(command, " -n __fish_use_subcommand") }
    for command in commands {
      let seen = command.name.split(separator: " ").map { "__fish_seen_subcommand_from \($0)" }.joined(
        separator: "; and "
      )
      for next in commands where next.name.hasPrefix(command.name + " ") { add(next, " -n '\(seen)'") }
      for option in command.options { add(option, " -n '\(seen)'") }
    }
    return lines.joined(separator: "\n") + "\n"

    func add(_ command: Command, _ condition: String) {
      lines.append("complete -c \(program) -f\(condition) -a \(command.lastWord) -d \(Manual.quoted(command.summary))")
    }
  }

  /// A word in single quotes. An apostrophe in it is replaced, because shells don't agree on how to escape one.
  private static func quoted(_ words: String) -> String { "'" + words.replacing("'", with: "’") + "'" }
}

extension Manual.Command {
  fileprivate var lastWord: String { String(name.split(separator: " ").last ?? "") }
}
