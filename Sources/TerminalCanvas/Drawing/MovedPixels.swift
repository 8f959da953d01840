import CanvasCRDT

extension Pixels {
  /// The pixels of one view, moved and scaled to where they are in another view.
  ///
  /// - Parameter paper: the colour of the parts that were not visible in the first view.
  public func moved(from old: CanvasView, to new: CanvasView, paper: Color) -> Pixels {
    guard old != new else { return self }
    /// For each row or column of the new view's pixels, the row or column of the old view that contains its middle.
    /// `nil` if none does.
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
