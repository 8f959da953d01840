import WebSocketLoop

extension Route {
  /// All routes. docs/PROTOCOL.md says what each answers, and docs/SECURITY.md what each may cost. At any other path
  /// outside of `/v1` are the page's files.
  static var table: [Route] {
    [
      Route("GET", "/", .anyone) { $0.page("index.html", $1.request) },
      Route("GET", "/r/{room}", .anyone) { $0.page("room.html", $1.request) },
      Route("GET", "/page.json", .anyone) { $0.files.listing(for: $1.request, at: $0.now.monotonicMilliseconds) },
      Route("GET", "/healthz", .everybody) { _, _ in .text("ok\n") },
      Route("GET", "/readyz", .everybody) { service, _ in service.readiness() },
      Route("GET", "/metrics", .holders(.operator)) { $0.metrics($1.request) },

      Route("GET", "/v1/rooms", .holders(.viewer)) { await $0.roomList($1.request, $1.grant) },
      Route(reading: "/v1/rooms/{room}", .viewer, ["at", "stamps"]) { await $0.drawing($1, $2.request) },
      Route(reading: "/v1/rooms/{room}/history", .viewer, ["steps"]) { await $0.spanDocument($1, $2.request) },
      Route(reading: "/v1/rooms/{room}/overlaps", .viewer, ["at", "box"]) { await $0.overlaps($1, $2.request) },
      Route(reading: "/v1/rooms/{room}/free", .viewer, ["size", "near"]) { await $0.freePlace($1, $2.request) },
      Route(reading: "/v1/rooms/{room}/picture.svg", .viewer, ["at"]) { await $0.picture($1, $2.request) },
      Route("GET", .sync, .holders(.viewer)) { _, _ in
        .error(400, code: "bad_request", message: "this address is for WebSockets; send an upgrade request")
      },

      Route("POST", "/v1/rooms/{room}/ops", .holders(.editor), taking: { $0.isJSON }) {
        await $0.operations($1.request, $1.body, $1.room, $1.grant)
      },
      Route("POST", .layout, .holders(.editor), taking: { $0.isLayout }) {
        await $0.layout($1.request, $1.body, $1.room, $1.grant)
      },

      Route("DELETE", "/v1/rooms/{room}", .holders(.operator)) { await $0.deletion(of: $1.room, by: $1.request) },
      Route("GET", "/v1/rooms/{room}/peers", .holders(.operator)) { $0.peopleDocument($1.room) },
      Route("DELETE", "/v1/rooms/{room}/peers/{actor}", .holders(.operator)) {
        await $0.removal(of: $1.actor, from: $1.room, by: $1.request)
      },
      Route("PUT", "/v1/rooms/{room}/lock", .holders(.operator)) { await $0.locking($1.room, by: $1.request) },
      Route("DELETE", "/v1/rooms/{room}/lock", .holders(.operator)) {
        await $0.setting(lockOf: $1.room, to: false, by: $1.request)
      },
      Route(reading: "/v1/rooms/{room}/erasures", .operator) { $0.memoryDocument($1, $2.room) },
      Route("DELETE", "/v1/rooms/{room}/erasures", .holders(.operator), ["before"]) {
        await $0.forgetting($1.request, $1.room, $1.grant)
      },
      Route("DELETE", "/v1/rooms/{room}/writing/{actor}", .holders(.operator)) {
        await $0.takingBack($1.actor, in: $1.room, $1.request, $1.grant)
      },
    ]
  }

  /// Answers from a room that somebody has written to.
  private init(
    reading path: RoutePath,
    _ level: Grant.Level,
    _ parameters: Set<String> = [],
    answer: @escaping @Sendable (isolated Service, Service.OpenedRoom, RoutedRequest) async -> Response
  ) {
    self.init("GET", path, .holders(level), parameters) { service, routed in
      await service.reading(routed.room, routed.request) { await answer(service, $0, routed) }
    }
  }
}
