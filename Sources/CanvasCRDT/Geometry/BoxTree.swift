/// Finds boxes of any size by their position: a balanced binary tree of bounding boxes in one flat array.
///
/// Sizes range over six powers of ten, so no grid fits all boxes. The heights of two siblings never differ by more than
/// one, in whatever order boxes are inserted. So inserting, removing and finding one leaf take O(log n). Boxes are
/// stored as `Float`s rounded outwards, so that two nodes fit in a cache line. Because of the rounding, the tree only
/// finds candidates, and the caller must check each of them exactly.
///
/// If some shapes are thin and slanted, branches also have a rotated box (`TurnedBox`).
struct BoxTree {
  struct Node {
    var minX: Float
    var minY: Float
    var maxX: Float
    var maxY: Float
    var parent: Int32
    /// In a leaf, the payload. In a branch, the first child.
    var left: Int32
    /// In a branch, the second child. In a leaf, `none`. In an unused node, the index of the next unused node.
    var right: Int32
    /// The number of levels below the node, which is 0 in a leaf.
    var height: Int32
  }

  static let none: Int32 = -1

  private(set) var nodes: [Node] = []
  /// The turned box of each node, by the node's index. Empty until the first slanted leaf is inserted.
  private var turned: [TurnedBox] = []
  private(set) var root = BoxTree.none
  private var firstUnused = BoxTree.none

  init() {}

  /// A box that contains all boxes. It may be a little larger than necessary.
  var bounds: Box? { root == BoxTree.none ? nil : nodes[Int(root)].box }
}

// MARK: - Boxes of nodes

extension BoxTree.Node {
  fileprivate init(leaf payload: Int32, box: Box) {
    minX = Float(below: box.minX)
    minY = Float(below: box.minY)
    maxX = Float(above: box.maxX)
    maxY = Float(above: box.maxY)
    parent = BoxTree.none
    left = payload
    right = BoxTree.none
    height = 0
  }

  fileprivate var isLeaf: Bool { height == 0 }

  fileprivate var box: Box {
    Box(minX: Double(minX), minY: Double(minY), maxX: Double(maxX), maxY: Double(maxY))
  }

  fileprivate func contains(_ other: BoxTree.Node) -> Bool {
    minX <= other.minX && minY <= other.minY && maxX >= other.maxX && maxY >= other.maxY
  }

  fileprivate func touches(_ other: BoxTree.Node) -> Bool {
    minX <= other.maxX && other.minX <= maxX && minY <= other.maxY && other.minY <= maxY
  }

  @inline(__always)
  fileprivate func mayTouch(_ extent: TurnedExtent) -> Bool {
    extent.mayTouch(minX: Double(minX), minY: Double(minY), maxX: Double(maxX), maxY: Double(maxY))
  }

  /// Half the perimeter, as a measure of how likely a query is to visit this node.
  fileprivate var spread: Float { (maxX - minX) + (maxY - minY) }

  /// By how much half of this node's perimeter grows if its box is extended to contain `other`.
  fileprivate func growth(takingIn other: BoxTree.Node) -> Float {
    (Swift.max(maxX, other.maxX) - Swift.min(minX, other.minX))
      + (Swift.max(maxY, other.maxY) - Swift.min(minY, other.minY)) - spread
  }

  /// Sets this node's box to the smallest box around two children.
  fileprivate mutating func enclose(_ first: BoxTree.Node, _ second: BoxTree.Node) {
    minX = Swift.min(first.minX, second.minX)
    minY = Swift.min(first.minY, second.minY)
    maxX = Swift.max(first.maxX, second.maxX)
    maxY = Swift.max(first.maxY, second.maxY)
    height = Swift.max(first.height, second.height) + 1
  }
}

// MARK: - Changes

extension BoxTree {
  /// The margin of a stored box, as a fraction of its longer side. Moves within the margin don't change the tree.
  private static let marginPart = 0.125

  private static func widened(_ box: Box) -> Box {
    let margin = Swift.max(box.maxX - box.minX, box.maxY - box.minY) * marginPart
    return Box(minX: box.minX - margin, minY: box.minY - margin, maxX: box.maxX + margin, maxY: box.maxY + margin)
  }

  /// Adds a box. Returns its leaf, which is needed to move or remove it.
  mutating func insert(_ box: Box, turned: TurnedBox = .none, payload: Int32) -> Int32 {
    let leaf = add(Node(leaf: payload, box: BoxTree.widened(box)))
    turn(leaf, to: turned)
    link(leaf)
    return leaf
  }

  private mutating func turn(_ leaf: Int32, to box: TurnedBox) {
    if turned.isEmpty {
      if box.isNone { return }
      turned = Array(repeating: .none, count: nodes.count)
    }
    turned[Int(leaf)] = box
  }

  mutating func remove(_ leaf: Int32) {
    unlink(leaf)
    discard(leaf)
  }

  /// Gives a leaf a new box. The leaf keeps its index. A small move doesn't change the tree, unless the box is slanted.
  mutating func move(_ leaf: Int32, to box: Box, turned turnedBox: TurnedBox = .none) {
    let payload = nodes[Int(leaf)].left
    let held = nodes[Int(leaf)]
    let wanted = Node(leaf: payload, box: BoxTree.widened(box))
    // The stored box stays if it still contains the new box and is at most twice as large. A larger box would also be
    // found by queries far from the real box.
    if held.contains(Node(leaf: payload, box: box)), held.spread <= 2 * wanted.spread {
      if turnedBox.isNone, turned.isEmpty || turned[Int(leaf)].isNone { return }
      turn(leaf, to: turnedBox)
      var above = held.parent
      while above != BoxTree.none {
        encloseTurned(above)
        above = nodes[Int(above)].parent
      }
      return
    }
    unlink(leaf)
    nodes[Int(leaf)] = wanted
    turn(leaf, to: turnedBox)
    link(leaf)
  }

  /// Computes a node's box from its children.
  private mutating func enclose(_ index: Int32) {
    nodes[Int(index)].enclose(nodes[Int(nodes[Int(index)].left)], nodes[Int(nodes[Int(index)].right)])
    encloseTurned(index)
  }

  private mutating func encloseTurned(_ index: Int32) {
    if turned.isEmpty { return }
    let left = Int(nodes[Int(index)].left)
    let right = Int(nodes[Int(index)].right)
    if turned[left].isNone, turned[right].isNone {
      turned[Int(index)] = .none
    } else {
      turned[Int(index)] = TurnedBox(
        around: turned[left],
        nodes[left].box,
        turned[right],
        nodes[right].box,
        upright: nodes[Int(index)].box
      )
    }
  }

  private mutating func add(_ node: Node) -> Int32 {
    guard firstUnused != BoxTree.none else {
      nodes.append(node)
      if !turned.isEmpty { turned.append(.none) }
      return Int32(nodes.count - 1)
    }
    let index = firstUnused
    firstUnused = nodes[Int(index)].right
    nodes[Int(index)] = node
    if !turned.isEmpty { turned[Int(index)] = .none }
    return index
  }

  private mutating func discard(_ index: Int32) {
    nodes[Int(index)].right = firstUnused
    firstUnused = index
  }

  /// Inserts a leaf beside another leaf, found by always descending to the child whose box grows least.
  private mutating func link(_ leaf: Int32) {
    guard root != BoxTree.none else {
      root = leaf
      nodes[Int(leaf)].parent = BoxTree.none
      return
    }
    let added = nodes[Int(leaf)]
    var sibling = root
    while !nodes[Int(sibling)].isLeaf {
      let left = nodes[Int(sibling)].left
      let right = nodes[Int(sibling)].right
      let leftGrowth = nodes[Int(left)].growth(takingIn: added)
      let rightGrowth = nodes[Int(right)].growth(takingIn: added)
      if leftGrowth == rightGrowth {
        sibling = nodes[Int(left)].height <= nodes[Int(right)].height ? left : right
      } else {
        sibling = leftGrowth < rightGrowth ? left : right
      }
    }
    let above = nodes[Int(sibling)].parent
    let parent = add(Node(leaf: sibling, box: .empty))
    nodes[Int(parent)].left = sibling
    nodes[Int(parent)].right = leaf
    nodes[Int(sibling)].parent = parent
    nodes[Int(leaf)].parent = parent
    replaceChild(of: above, sibling, with: parent)
    settle(from: parent)
  }

  /// Removes a leaf, and puts its sibling in the place of their parent.
  private mutating func unlink(_ leaf: Int32) {
    let parent = nodes[Int(leaf)].parent
    guard parent != BoxTree.none else {
      root = BoxTree.none
      return
    }
    let left = nodes[Int(parent)].left
    let sibling = left == leaf ? nodes[Int(parent)].right : left
    let above = nodes[Int(parent)].parent
    replaceChild(of: above, parent, with: sibling)
    discard(parent)
    settle(from: above)
  }

  private mutating func replaceChild(of above: Int32, _ child: Int32, with other: Int32) {
    nodes[Int(other)].parent = above
    if above == BoxTree.none {
      root = other
    } else if nodes[Int(above)].left == child {
      nodes[Int(above)].left = other
    } else {
      nodes[Int(above)].right = other
    }
  }

  /// Restores the boxes, the heights and the balance of a node and all its ancestors.
  private mutating func settle(from start: Int32) {
    var index = start
    while index != BoxTree.none {
      index = balance(index)
      index = nodes[Int(index)].parent
    }
  }

  /// Computes a node's box from its children. If one child is higher than the other by two, the higher child takes the
  /// node's place in the tree.
  private mutating func balance(_ index: Int32) -> Int32 {
    let left = nodes[Int(index)].left
    let right = nodes[Int(index)].right
    let difference = nodes[Int(right)].height - nodes[Int(left)].height
    guard difference < -1 || difference > 1 else {
      enclose(index)
      return index
    }
    let higher = difference > 0 ? right : left
    let first = nodes[Int(higher)].left
    let second = nodes[Int(higher)].right
    let firstIsHigher = nodes[Int(first)].height > nodes[Int(second)].height
    let kept = firstIsHigher ? first : second
    let handed = firstIsHigher ? second : first
    replaceChild(of: nodes[Int(index)].parent, index, with: higher)
    nodes[Int(higher)].left = index
    nodes[Int(higher)].right = kept
    nodes[Int(index)].parent = higher
    nodes[Int(handed)].parent = index
    if difference > 0 { nodes[Int(index)].right = handed } else { nodes[Int(index)].left = handed }
    enclose(index)
    enclose(higher)
    return higher
  }
}

// MARK: - Bulk loading

extension BoxTree {
  /// Builds a tree from boxes. Boxes that are neighbours in the list should also be near each other on the canvas. A
  /// box's index is both its payload and its leaf.
  /// - Parameter turned: the turned boxes, if at least one box is slanted.
  init(ordered boxes: [Box], turned turnedBoxes: [TurnedBox] = [], widened: Bool) {
    guard !boxes.isEmpty else { return }
    nodes.reserveCapacity(2 * boxes.count)
    for (offset, box) in boxes.enumerated() {
      nodes.append(Node(leaf: Int32(offset), box: widened ? BoxTree.widened(box) : box))
    }
    root = 0
    var open: [(range: Range<Int>, parent: Int32, isLeft: Bool)] = [(0..<boxes.count, BoxTree.none, false)]
    while let (range, parent, isLeft) = open.popLast() {
      var index = Int32(range.lowerBound)
      if range.count > 1 {
        index = Int32(nodes.count)
        nodes.append(Node(leaf: 0, box: .empty))
        let middle = range.lowerBound + range.count / 2
        open.append((middle..<range.upperBound, index, false))
        open.append((range.lowerBound..<middle, index, true))
      }
      nodes[Int(index)].parent = parent
      if parent == BoxTree.none {
        root = index
      } else if isLeft {
        nodes[Int(parent)].left = index
      } else {
        nodes[Int(parent)].right = index
      }
    }
    if !turnedBoxes.isEmpty {
      turned = turnedBoxes
      turned.append(contentsOf: repeatElement(.none, count: nodes.count - boxes.count))
    }
    // In the array, children come after their parents. So a backward loop finishes a node's children before the node.
    var index = nodes.count - 1
    while index >= boxes.count {
      enclose(Int32(index))
      index -= 1
    }
  }
}

// MARK: - Questions

extension BoxTree {
  /// The size of the stack of a search. It is large enough: a tree of 2³¹ leaves has a height of at most 45.
  private static let heightMax = 64

  /// Whether `isWanted` is true for the payload of any leaf whose box might touch `box`.
  func contains(touching box: Box, where isWanted: (Int32) -> Bool) -> Bool {
    guard root != BoxTree.none else { return false }
    let asked = Node(leaf: 0, box: box)
    return nodes.withUnsafeBufferPointer { nodes in
      withUnsafeTemporaryAllocation(of: Int32.self, capacity: BoxTree.heightMax) { open in
        open.initialize(repeating: 0)
        open[0] = root
        var count = 1
        while count > 0 {
          count -= 1
          let node = nodes[Int(open[count])]
          guard node.touches(asked) else { continue }
          if node.isLeaf {
            if isWanted(node.left) { return true }
          } else {
            open[count] = node.right
            open[count + 1] = node.left
            count += 2
          }
        }
        return false
      }
    }
  }

  /// Appends the payloads of all leaves whose boxes might touch `box`, in no particular order.
  func collect(touching box: Box, into payloads: inout [Int32]) {
    _ = contains(touching: box) { payload in
      payloads.append(payload)
      return false
    }
  }

  /// Appends the payloads of all leaves whose boxes might touch a turned extent. Most leaves that touch only the
  /// extent's bounding box are left out.
  /// - Returns: how many boxes were compared with the extent.
  func collect(touching extent: TurnedExtent, into payloads: inout [Int32]) -> Int {
    guard root != BoxTree.none else { return 0 }
    let asked = Node(leaf: 0, box: extent.box)
    let isSlanted = extent.isSlanted
    var compared = 0
    nodes.withUnsafeBufferPointer { nodes in
      turned.withUnsafeBufferPointer { turned in
        withUnsafeTemporaryAllocation(of: Int32.self, capacity: BoxTree.heightMax) { open in
          open.initialize(repeating: 0)
          open[0] = root
          var count = 1
          while count > 0 {
            count -= 1
            compared += 1
            let index = Int(open[count])
            let node = nodes[index]
            guard node.touches(asked) else { continue }
            if isSlanted, !node.mayTouch(extent) { continue }
            if !turned.isEmpty, !turned[index].isNone, !extent.mayTouch(turned[index]) { continue }
            if node.isLeaf {
              payloads.append(node.left)
            } else {
              open[count] = node.right
              open[count + 1] = node.left
              count += 2
            }
          }
        }
      }
    }
    return compared
  }
}
