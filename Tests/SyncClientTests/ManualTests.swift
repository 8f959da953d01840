import CommandWords
import Testing

/// What shells and `man` get of a program's words.
@Suite struct ManualTests {
  private let manual = Manual(
    program: "draw-it",
    summary: "drawings",
    synopsis: ["COMMAND", ".hidden"],
    description: ["It draws.", "'Tis so: a\\b."],
    groups: [
      .init(
        "Everywhere",
        [
          .init("--config", "FILE", "where it's set"), .init("--port", "NUMBER", "a port"),
          .init("--loud", nil, "more: words"),
        ]
      )
    ],
    optionsFollow: true,
    commands: [
      .init(
        "log",
        usage: "log ROOM",
        summary: "what was done",
        details: ["All of it."],
        options: [.init("--at", "TIME", "when")],
        examples: ["log demo"]
      ),
      .init("log verify", usage: "log verify", summary: "whether it is whole", options: []),
    ],
    exitCodes: "0 done."
  )

  private func text(_ words: String...) -> String {
    guard case .text(let text)? = manual.answer(to: words) else { return "" }
    return text
  }

  @Test func `bash completes commands, their options, and files where one is meant`() {
    let script = text("--completion", "bash")
    #expect(script.hasPrefix("# Completion of draw-it for bash.\n_draw_it() {"))
    #expect(script.hasSuffix("complete -o default -F _draw_it draw-it\n"))
    for line in [
      "    --config) compopt -o filenames;", "    --at|--port) return ;;",
      #"      log|log\ verify) command=${command:+$command }$each ;;"#,
      "    '') words='log --config --port --loud' ;;", "    'log') words='verify --at --config --port --loud' ;;",
      "    'log verify') words='--config --port --loud' ;;",
    ] {
      #expect(script.contains(line), "\(line)")
    }
  }

  @Test func `zsh also says what each means`() {
    let script = text("--completion", "zsh")
    #expect(script.hasPrefix("#compdef draw-it\n") && script.hasSuffix("_draw_it \"$@\"\n"))
    for line in [
      "    (--config) _files; return ;;", "    (--at|--port) _message value; return ;;",
      "    ('log') next=('verify:whether it is whole') options=('--at:when' '--config:where it’s set' '--port:a port' '--loud:more: words') ;;",
    ] {
      #expect(script.contains(line), "\(line)")
    }
  }

  @Test func `fish has a line for each word, with where it may stand`() {
    #expect(
      text("--completion", "fish") == """
        # Completion of draw-it for fish.
        complete -c draw-it -l config -r -F -d 'where it’s set'
        complete -c draw-it -l port -x -d 'a port'
        complete -c draw-it -l loud -d 'more: words'
        complete -c draw-it -f -n __fish_use_subcommand -a log -d 'what was done'
        complete -c draw-it -f -n '__fish_seen_subcommand_from log' -a verify -d 'whether it is whole'
        complete -c draw-it -n '__fish_seen_subcommand_from log' -l at -x -d 'when'

        """
    )
  }

  @Test func `The manual page has all words, and troff obeys none of them`() {
    let lines = text("--manual").split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    #expect(lines[0].hasPrefix(#".TH DRAW-IT 1 "" "CanvasSync "#))
    #expect(
      lines.dropFirst().joined(separator: "\n") == #"""
        .SH NAME
        draw\-it \- drawings
        .SH SYNOPSIS
        .PP
        .nf
        .RS
        draw\-it COMMAND
        draw\-it .hidden
        .RE
        .fi
        .SH DESCRIPTION
        .PP
        It draws.
        .PP
        \&'Tis so: a\eb.
        .SH EVERYWHERE
        .TP
        \fB\-\-config\fR \fIFILE\fR
        where it's set
        .TP
        \fB\-\-port\fR \fINUMBER\fR
        a port
        .TP
        \fB\-\-loud\fR
        more: words
        .SH COMMANDS
        .SS log ROOM
        What was done.
        .PP
        All of it.
        .TP
        \fB\-\-at\fR \fITIME\fR
        when
        .PP
        .nf
        .RS
        draw\-it log demo
        .RE
        .fi
        .SS log verify
        Whether it is whole.
        .SH EXIT STATUS
        0 done.
        """#
    )
  }

  @Test func `Other words are no question about the program`() {
    for words in [[], ["log"], ["log", "--manual"]] { #expect(manual.answer(to: words) == nil) }
    for (words, fault) in [
      (["--completion"], "--completion : bash, zsh or fish"),
      (["--completion", "tcsh"], "--completion tcsh: bash, zsh or fish"),
    ] {
      guard case .fault(let told)? = manual.answer(to: words) else {
        Issue.record("\(words)")
        continue
      }
      #expect(told == fault)
    }
  }

  @Test func `A word is meant that has one letter in three wrong, or only an end that is missing`() {
    for (word, meant) in [
      ("verifi", "verify"), ("VERIFY", nil), ("vrfy", nil), ("ve", "verify"), ("v", nil), ("lg", "log"), ("xyz", nil),
      ("lgo", "log"), ("look", "log"), ("l", nil),
    ] {
      #expect(
        Suggestion.nearest(to: word, among: ["log", "verify", "unlock"], meaning: ["look": "log"]) == meant,
        "\(word)"
      )
    }
    #expect(Suggestion.nearest(to: "LOOK", among: ["log"], meaning: ["look": "log"]) == "log")
    #expect(
      Suggestion.question("lgo", among: ["log"]) == " Did you mean log?"
        && Suggestion.question("dance", among: ["log"]) == ""
    )
    for (word, meant) in [("abcdefghiXYZ", "abcdefghijkl"), ("abcdefghWXYZ", nil)] {
      #expect(Suggestion.nearest(to: word, among: ["abcdefghijkl"]) == meant, "three at most, however long it is")
    }
    // An end that is missing in two ways says nothing.
    #expect(Suggestion.nearest(to: "unre", among: ["unreadable", "unresolved"]) == nil)
  }
}
