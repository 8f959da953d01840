/// The table of properties: one row for each property, with everything about it except its storage.
///
/// The encodings, the checks, the page, the terminal and docs/PROTOCOL.md use the rows. So a new property is a row here
/// and a field of `Properties`. After a change here, run `make table`, which writes the files that are generated from
/// the table.
public struct PropertyRow: Sendable {
  /// The property's name in JSON.
  public let wireName: StaticString

  public let form: PropertyForm

  /// Whether the property affects the shape's outline, or decides whether the shape has one.
  public let decidesOutline: Bool

  /// The property's description for docs/PROTOCOL.md. The form and the range are added there automatically.
  public let meaning: StaticString

  /// The sentence with which the terminal reports a change of the property. `{shape}` stands for the shape's name,
  /// `{shape’s}` for the name's genitive, and `{value}` for the new value.
  public let told: StaticString

  public let inspector: InspectorField?

  init(
    _ wireName: StaticString,
    _ form: PropertyForm,
    decidesOutline: Bool = false,
    meaning: StaticString,
    told: StaticString,
    inspector: InspectorField? = nil
  ) {
    self.wireName = wireName
    self.form = form
    self.decidesOutline = decidesOutline
    self.meaning = meaning
    self.told = told
    self.inspector = inspector
  }
}

/// The kind of value that a property has. It decides how the value is stored, encoded and checked.
public enum PropertyForm: Sendable {
  /// Only the value `true`, which erases the shape.
  case erasure
  case kind
  case name
  case orderKey
  /// A text that may have line breaks.
  case text
  /// One word out of a fixed list of words.
  case choice(Properties.ChoiceField)
  /// An identifier or nothing.
  case identifier(Properties.IdentifierField)
  /// Points in the shape's box.
  case path
  /// A place in another shape's box, or nothing.
  case tie(Properties.TieField)
  case flag(Properties.FlagField)
  case color(Properties.ColorField)
  /// An integer that takes one byte on the wire.
  case integer(Properties.IntegerField, ClosedRange<Int16>, unit: PropertyUnit = .none)
  case number(Properties.NumberField, ClosedRange<Double>, unit: PropertyUnit = .none)
  case pair(Properties.PairField, ClosedRange<Double>)
}

/// The unit in which a number is shown to people.
public enum PropertyUnit: Sendable {
  case none
  case degrees
  /// In tenths: 7 is shown as 70 %.
  case tenths
  /// As a fraction: 0.5 is shown with two decimals or as 50 %.
  case ratio
}

/// How the page's inspector shows a property. The property's form decides how its value is typed or picked.
public struct InspectorField: Sendable {
  public enum Group: Sendable {
    case who
    case place
    case color
    case form
    case text
  }

  public let label: StaticString
  public let group: Group
  /// The range of the field's slider, which can be smaller than the allowed range. Without a slider, the number is
  /// typed.
  public let slider: ClosedRange<Double>?
  public let step: Double
  /// The kinds of shapes that use the property.
  public let kinds: ShapeKinds

  init(
    _ label: StaticString,
    in group: Group,
    slider: ClosedRange<Double>? = nil,
    step: Double = 1,
    of kinds: ShapeKinds = .all
  ) {
    self.label = label
    self.group = group
    self.slider = slider
    self.step = step
    self.kinds = kinds
  }
}

extension Property {
  /// The row of a property. It is inlined, so that code that uses one column of the table is compiled without the other
  /// columns.
  @inline(__always)
  public var row: PropertyRow {
    switch self {
    case .position:
      PropertyRow(
        "position",
        .pair(.position, PropertyRules.coordinates),
        decidesOutline: true,
        meaning: "the top left corner of the unrotated box; y grows downwards",
        told: "moved {shape} to {value}",
        inspector: InspectorField("Position", in: .place)
      )
    case .size:
      PropertyRow(
        "size",
        .pair(.size, PropertyRules.sides),
        decidesOutline: true,
        meaning: "the sides of the unrotated box",
        told: "resized {shape} to {value}",
        inspector: InspectorField("Size", in: .place)
      )
    case .rotation:
      PropertyRow(
        "rotation",
        .number(.rotation, PropertyRules.turns, unit: .degrees),
        decidesOutline: true,
        meaning: "degrees clockwise around the box's centre",
        told: "turned {shape} to {value}",
        inspector: InspectorField("Rotation", in: .place)
      )
    case .fill:
      PropertyRow(
        "fill",
        .color(.fill),
        meaning: "the colour of the shape's area",
        told: "coloured {shape} {value}",
        inspector: InspectorField("Fill", in: .color, of: .filled)
      )
    case .alpha:
      PropertyRow(
        "alpha",
        .integer(.alpha, PropertyRules.alphas, unit: .tenths),
        meaning: "10 is opaque",
        told: "made {shape} {value} opaque",
        inspector: InspectorField("Opacity", in: .color)
      )
    case .visible:
      PropertyRow(
        "visible",
        .flag(.visible),
        decidesOutline: true,
        meaning: "a hidden shape is not drawn and overlaps nothing",
        told: "{showed|hid} {shape}",
        inspector: InspectorField("Visible", in: .place)
      )
    case .deleted:
      PropertyRow("deleted", .erasure, meaning: "the shape is deleted (M4)", told: "deleted {shape}")
    case .kind:
      PropertyRow(
        "kind",
        .kind,
        decidesOutline: true,
        meaning: "what the shape is; without it there is no shape (M5)",
        told: "made {shape} {value}",
        inspector: InspectorField("Shape", in: .who)
      )
    case .name:
      PropertyRow(
        "name",
        .name,
        meaning: "what the shape is called",
        told: "named {shape} {value}",
        inspector: InspectorField("Name", in: .who)
      )
    case .z:
      PropertyRow("z", .orderKey, meaning: "the place in the drawing order (S5)", told: "restacked {shape}")
    case .stroke:
      PropertyRow(
        "stroke",
        .color(.stroke),
        meaning: "the colour of the line around the shape",
        told: "outlined {shape} in {value}",
        inspector: InspectorField("Outline", in: .color, of: .stroked)
      )
    case .strokeWidth:
      PropertyRow(
        "strokeWidth",
        .number(.strokeWidth, 0...1_000),
        meaning: "0 is no stroke",
        told: "outlined {shape} {value} wide",
        inspector: InspectorField("Outline width", in: .color, slider: 0...40, step: 0.5, of: .stroked)
      )
    case .cornerRadius:
      PropertyRow(
        "cornerRadius",
        .number(.cornerRadius, PropertyRules.cornerRadii),
        decidesOutline: true,
        meaning: "the radius of rounded corners; drawn as at most half the smaller side",
        told: "rounded {shape’s} corners to {value}",
        inspector: InspectorField("Corner radius", in: .form, slider: 0...200, of: .roundedRectangle)
      )
    case .points:
      PropertyRow(
        "points",
        .integer(.points, PropertyRules.points),
        decidesOutline: true,
        meaning: "the number of a polygon's corners, or of a star's tips",
        told: "gave {shape} {value} points",
        inspector: InspectorField("Points", in: .form, of: [.polygon, .star])
      )
    case .innerRatio:
      PropertyRow(
        "innerRatio",
        .number(.innerRatio, PropertyRules.innerRatios, unit: .ratio),
        decidesOutline: true,
        meaning: "a star's inner radius, divided by its outer radius",
        told: "gave {shape} an inner ratio of {value}",
        inspector: InspectorField("Inner radius", in: .form, slider: 0.05...1, step: 0.01, of: .star)
      )
    case .text:
      PropertyRow(
        "text",
        .text,
        meaning: "the text in the shape (S9)",
        told: "wrote {value} in {shape}"
      )
    case .textSize:
      PropertyRow(
        "textSize",
        .number(.textSize, PropertyRules.textSizes),
        meaning: "the height of the text's letters",
        told: "set {shape’s} text in size {value}",
        inspector: InspectorField("Text size", in: .text, slider: 8...96, of: [.filled, .line])
      )
    case .textAlign:
      PropertyRow(
        "textAlign",
        .choice(.textAlign),
        meaning: "how the lines of the text are aligned in the box",
        told: "set {shape’s} text {value}",
        inspector: InspectorField("Alignment", in: .text, of: .filled)
      )
    case .textPlace:
      PropertyRow(
        "textPlace",
        .choice(.textPlace),
        meaning: "where the text stands in the box, from top to bottom",
        told: "set {shape’s} text at the {value}",
        inspector: InspectorField("Vertical", in: .text, of: .filled)
      )
    case .dash:
      PropertyRow(
        "dash",
        .choice(.dash),
        meaning: "whether the stroke is solid, dashed or dotted (S11)",
        told: "made {shape’s} stroke {value}",
        inspector: InspectorField("Line", in: .color, of: .stroked)
      )
    case .filled:
      PropertyRow(
        "filled",
        .flag(.filled),
        meaning: "whether the shape's area is painted (S11)",
        told: "{filled|emptied} {shape}",
        inspector: InspectorField("Filled", in: .color, of: .areas)
      )
    case .locked:
      PropertyRow(
        "locked",
        .flag(.locked),
        meaning: "whether clients let nobody change the shape, except to unlock it (S12)",
        told: "{locked|unlocked} {shape}",
        inspector: InspectorField("Locked", in: .place)
      )
    case .group:
      PropertyRow(
        "group",
        .identifier(.group),
        meaning: "the group: all of its shapes are moved, scaled, turned and deleted together (S13)",
        told: "put {shape} into {value}"
      )
    case .path:
      PropertyRow(
        "path",
        .path,
        meaning: "the points of a line or of a stroke of ink, within the box (S14, S15)",
        told: "drew {shape} through {value}"
      )
    case .from:
      PropertyRow(
        "from",
        .tie(.from),
        meaning: "what the beginning of a line is tied to (S14)",
        told: "tied {shape’s} beginning to {value}"
      )
    case .to:
      PropertyRow(
        "to",
        .tie(.to),
        meaning: "what the end of a line is tied to (S14)",
        told: "tied {shape’s} end to {value}"
      )
    case .fromEnd:
      PropertyRow(
        "fromEnd",
        .choice(.fromEnd),
        meaning: "how the beginning of a line is drawn (S14)",
        told: "made {shape’s} beginning {value}",
        inspector: InspectorField("Begins", in: .form, of: .line)
      )
    case .toEnd:
      PropertyRow(
        "toEnd",
        .choice(.toEnd),
        meaning: "how the end of a line is drawn (S14)",
        told: "made {shape’s} end {value}",
        inspector: InspectorField("Ends", in: .form, of: .line)
      )
    case .route:
      PropertyRow(
        "route",
        .choice(.route),
        meaning: "how a line leads from point to point (S17)",
        told: "made {shape} {value}",
        inspector: InspectorField("Route", in: .form, of: .line)
      )
    }
  }

  /// The properties in the order of docs/PROTOCOL.md and of JSON: those that matter most to people come first.
  public static let inOrder: ForEachProperty<Property> = [
    .kind, .name, .position, .size, .rotation, .fill, .stroke, .strokeWidth, .alpha, .visible, .z, .cornerRadius,
    .points, .innerRatio, .text, .textSize, .textAlign, .textPlace, .dash, .filled,
    .locked, .group, .path, .from, .to, .fromEnd, .toEnd, .route, .deleted,
  ]

  public var wireName: StaticString { row.wireName }

  /// The property's form. It is inlined, so that a switch over it is one jump.
  @inline(__always)
  public var form: PropertyForm { row.form }
}
