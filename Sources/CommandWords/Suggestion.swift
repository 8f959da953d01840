/// Finds the word that a user who mistyped it probably meant.
public enum Suggestion {
  /// The word in `words` that is most similar to `word`: at most one letter in three is wrong and three in all, or only
  /// the end is missing. `nil` if no word is that similar.
  /// - Parameter meaning: other words that people try, mapped to the word in `words` with the same meaning.
  public static func nearest(to word: String, among words: [String], meaning: [String: String] = [:]) -> String? {
    if let meant = meaning[word.lowercased()] { return meant }
    let near = words.map { (word: $0, distance: distance(from: Array(word), to: Array($0))) }
    let mistakesMax = max(1, min(3, word.count / 3))
    if let best = near.min(by: { $0.distance < $1.distance }), best.distance <= mistakesMax { return best.word }
    let completions = words.filter { word.count > 1 && $0.hasPrefix(word) }
    return completions.count == 1 ? completions[0] : nil
  }

  /// ` Did you mean watch?`, for the end of an error message. Empty if no word is similar enough.
  public static func question(_ word: String, among words: [String], meaning: [String: String] = [:]) -> String {
    nearest(to: word, among: words, meaning: meaning).map { " Did you mean \($0)?" } ?? ""
  }

  /// The edit distance: how many letters have to be inserted, removed, replaced or swapped with a neighbour.
  private static func distance(from word: [Character], to other: [Character]) -> Int {
    var beforeLast: [Int] = []
    var last = Array(0...other.count)
    for row in word.indices {
      var current = [row + 1]
      for column in other.indices {
        let isSame = word[row] == other[column]
        var least = min(last[column] + (isSame ? 0 : 1), last[column + 1] + 1, current[column] + 1)
        if row > 0, column > 0, word[row] == other[column - 1], word[row - 1] == other[column] {
          least = min(least, beforeLast[column - 1] + 1)
        }
        current.append(least)
      }
      (beforeLast, last) = (last, current)
    }
    return last[other.count]
  }
}
