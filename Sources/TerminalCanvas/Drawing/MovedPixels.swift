import CanvasCRDT

extension Pixels {
  /// What was painted for one view, at the place and in the size that it has in another.
  ///
  /// - Parameter paper: the colour of what was not in the first view.
  public func moved(from old: CanvasView, to new: CanvasView, paper: Color) -> Pixels {
    guard old != new else { return self }
    /// For each pixel along a side of the new view, the old one that was painted where its middle is.
    func places(_ cells: Int, within count: Int, cell: (Double) -> Double) -> [Int?] {
      (0..<2 * cells).map { index in
        let place = 2 * cell((Double(index) + 0.5) / 2)
        return place >= 0 && place < Double(count) ? Int(place) : nil
      }
    }
    return taken(
      rows: places(new.rows, within: height) { old.cell(of: new.point(atColumn: 0, row: $0)).y },
      columns: places(new.columns, within: width) { old.cell(of: new.point(atColumn: $0, row: 0)).x },
      otherwise: paper
    )
  }
}
