import Testing

@testable import CanvasCRDT

/// Other people write clients from docs/PROTOCOL.md. These tests compare its examples with our encoders.
@Suite("The protocol's page")
struct ProtocolDocumentTests {
  /// An example in the document: the lines between "```form name" and "```".
  private struct Block {
    var form: Substring
    var name: String
    var lines: [Substring]
  }

  private func blocks() throws -> [Block] {
    var blocks: [Block] = []
    var open: Block?
    for line in try GoldenFiles.project("docs/PROTOCOL.md").split(separator: "\n", omittingEmptySubsequences: false) {
      guard line.hasPrefix("```") else {
        open?.lines.append(line)
        continue
      }
      if let block = open {
        blocks.append(block)
        open = nil
      } else {
        let words = line.dropFirst(3).split(separator: " ")
        #expect(words.count == 2, "\(line)")
        open = Block(form: words[0], name: String(words.last ?? ""), lines: [])
      }
    }
    #expect(open == nil)
    return blocks
  }

  private func sample(_ name: String) -> (sender: String, json: [UInt8], binary: [UInt8])? {
    for sample in WireSamples.clientMessages where sample.name == name {
      return ("client", JSONEncoding.encode(sample.message), BinaryEncoding.encode(sample.message))
    }
    for sample in WireSamples.serverMessages + WireSamples.stateMessages where sample.name == name {
      return ("server", JSONEncoding.encode(sample.message), BinaryEncoding.encode(sample.message))
    }
    return nil
  }

  @Test("J5: each example of JSON is what the encoder writes, and there is one for every type")
  func json() throws {
    var types: Set<String> = []
    for block in try blocks() where block.form == "json" {
      let known = try #require(sample(block.name), "\(block.name)")
      #expect(block.lines.joined(separator: "\n") == String(decoding: known.json, as: UTF8.self), "\(block.name)")
      types.insert(known.sender + block.lines[0].prefix { $0 != "," && $0 != "}" })
    }
    let clients = ClientMessageKind.allCases.map { #"client{"type":"\#($0.wireName)""# }
    let servers = ServerMessageKind.allCases.map { #"server{"type":"\#($0.wireName)""# }
    #expect(types == Set(clients + servers))
  }

  @Test("B1: each test vector is what the encoder writes, and there is one for every kind")
  func vectors() throws {
    var kinds: Set<UInt8> = []
    for block in try blocks() where block.form == "vector" {
      let known = try #require(sample(block.name), "\(block.name)")
      var bytes: [UInt8] = []
      for line in block.lines {
        // Each line has its bytes in the first 37 columns, and then an explanation.
        for digits in line.prefix(37).split(separator: " ") {
          bytes.append(try #require(UInt8(digits, radix: 16), "\(block.name): \(line)"))
        }
      }
      #expect(bytes == known.binary, "\(block.name)")
      kinds.insert(bytes.first ?? 0)
    }
    #expect(kinds == Set(ClientMessageKind.allCases.map(\.rawValue) + ServerMessageKind.allCases.map(\.rawValue)))
  }

  @Test("no two rules have one number")
  func rules() throws {
    var rules: Set<Substring> = []
    for line in try GoldenFiles.project("docs/PROTOCOL.md").split(separator: "\n") where line.hasPrefix("- **") {
      let rule = line.dropFirst(4).prefix { $0 != "*" }
      #expect(rules.insert(rule).inserted, "\(rule)")
    }
    #expect(rules.count > 40)
  }
}
