/// The caption of a line (S16): its text, which stands in the middle of the line, in a gap of the line.
public enum Caption {
  /// The width at which a caption's lines break, as a multiple of the text's size.
  public static let widthMax = 12.0
  /// The distance between a caption and the line around it.
  public static let margin = 4.0

  /// An upper bound on how far a caption extends from its middle, for programs that don't measure letters. Letters are
  /// taken to be no wider than they are high, and the head of an item takes less than half of a line (S18). So of two
  /// consecutive lines that were broken, more than six bytes fill at least one.
  static func reach(of properties: Properties) -> Double {
    var lines = 1
    properties.text.withBytes { bytes in
      lines += bytes.count / 3
      for byte in bytes where byte == PropertyRules.lineFeed { lines += 1 }
    }
    return max(widthMax, Double(lines) * PropertyRules.textLineHeight) * properties.textSize / 2 + margin
  }
}

extension Shape {
  /// Whether the shape is a line with a caption.
  public var hasCaption: Bool { properties.kind == .line && !properties.text.isEmpty }

  /// How far the shape's stroke extends beyond its outline.
  public var strokeReach: Double {
    let width = properties.strokeWidth
    return properties.kind.isStroke ? DrawnLine.reach(width) : width / 2
  }

  /// An upper bound on how far all that is drawn of the shape extends beyond its outline.
  public var reach: Double { hasCaption ? max(strokeReach, Caption.reach(of: properties)) : strokeReach }

  /// The point halfway along the line through the shape's points, as fractions of its box's sides. A line that is tied
  /// to shapes must be passed as `Canvas.drawn` returns it.
  public var halfwayShare: Point {
    let size = properties.size
    let shares = pathShares
    let lengths = zip(shares, shares.dropFirst()).map { from, to in
      Point(x: from.x * size.width, y: from.y * size.height)
        .distance(to: Point(x: to.x * size.width, y: to.y * size.height))
    }
    var rest = lengths.reduce(0, +) / 2
    for (index, length) in lengths.enumerated() {
      if rest <= length { return share(after: index, part: length > 0 ? rest / length : 0, among: shares) }
      rest -= length
    }
    return shares[shares.count - 1]
  }

  /// The point of the line between two of its points. On a curve, it is as far along as on the straight way.
  private func share(after index: Int, part: Double, among shares: [Point]) -> Point {
    guard properties.route == .curved, shares.count > 2 else {
      return shares[index].blended(shares[index + 1], part)
    }
    let (first, second) = CurvedRoute(points: shares).pieces(from: index)
    return part < 0.5 ? first.point(at: 2 * part) : second.point(at: 2 * part - 1)
  }

  /// The point halfway along the line, on the canvas.
  public var halfway: Point { point(atShare: halfwayShare) }
}

extension DrawnLine {
  /// Leaves a gap in a line where its caption stands. The line's ends at the gap are round, so they begin
  /// earlier by half the line's width.
  public mutating func leaveGap(_ gap: Rect) {
    pieces = pieces.flatMap { piece in piece.sharesOutside(of: gap).map { piece.part($0) } }
  }
}

extension DrawnLine.Piece {
  /// How many straight steps replace a curve to find where it enters and leaves a box.
  private static let steps = 16

  /// The parts that lie outside of a box, as fractions of the piece.
  fileprivate func sharesOutside(of box: Rect) -> [Range<Double>] {
    guard control != nil else { return straightSharesOutside(of: box) }
    guard mayReach(into: box) else { return [0..<1] }
    let points = points(steps: DrawnLine.Piece.steps)
    let count = Double(DrawnLine.Piece.steps)
    var shares: [Range<Double>] = []
    for step in 0..<DrawnLine.Piece.steps {
      let straight = DrawnLine.Piece(from: points[step], control: nil, to: points[step + 1], width: width)
      for share in straight.straightSharesOutside(of: box) {
        let lower = (Double(step) + share.lowerBound) / count
        let upper = (Double(step) + share.upperBound) / count
        // Steps that follow each other stay one curve. A piece for each step would make a picture of many such lines
        // several times as large.
        if let last = shares.last, last.upperBound == lower {
          shares[shares.count - 1] = last.lowerBound..<upper
        } else {
          shares.append(lower..<upper)
        }
      }
    }
    return shares
  }

  /// Whether a curve may reach into a box.
  private func mayReach(into box: Rect) -> Bool {
    var bounds = Box.empty
    for point in [from, control ?? from, to] { bounds.extend(to: point) }
    return bounds.minX <= box.maxX + width && box.minX - width <= bounds.maxX && bounds.minY <= box.maxY + width
      && box.minY - width <= bounds.maxY
  }

  /// The parts of a straight piece that lie outside of a box, at most two.
  private func straightSharesOutside(of box: Rect) -> [Range<Double>] {
    // The part within the box, as fractions of the piece: from where the last side is entered to where the first one
    // is left.
    var (enters, leaves) = (0.0, 1.0)
    for (start, way, low, high) in [
      (from.x, to.x - from.x, box.minX - width / 2, box.maxX + width / 2),
      (from.y, to.y - from.y, box.minY - width / 2, box.maxY + width / 2),
    ] {
      if way == 0 {
        if start <= low || start >= high { return [0..<1] }
        continue
      }
      let (one, other) = ((low - start) / way, (high - start) / way)
      enters = Swift.max(enters, Swift.min(one, other))
      leaves = Swift.min(leaves, Swift.max(one, other))
    }
    guard enters < leaves else { return [0..<1] }
    return (enters > 0 ? [0..<enters] : []) + (leaves < 1 ? [leaves..<1] : [])
  }

  /// A part of the piece. A part of a curve is itself a quadratic curve.
  fileprivate func part(_ share: Range<Double>) -> DrawnLine.Piece {
    let (lower, upper) = (share.lowerBound, share.upperBound)
    func point(_ one: Double, _ other: Double) -> Point {
      guard let control else { return from.blended(to, one) }
      return from.blended(control, one).blended(control.blended(to, one), other)
    }
    return DrawnLine.Piece(
      from: lower == 0 ? from : point(lower, lower),
      control: control == nil || share == 0..<1 ? control : point(lower, upper),
      to: upper == 1 ? to : point(upper, upper),
      width: width
    )
  }
}
