/// A prepared statement. The database knows it by its name until the connection ends.
struct PostgresStatement: Sendable {
  let name: String
  let text: String

  init(_ name: String, _ text: String) {
    self.name = name
    self.text = text
  }
}

/// The log's SQL statements. All values are passed as parameters.
extension PostgresStatement {
  static let begin = PostgresStatement("begin", "BEGIN ISOLATION LEVEL READ COMMITTED")
  /// Makes this transaction wait only briefly for locks. Meanwhile other nodes may wait for the rooms that it has locked
  /// already.
  static let impatience = PostgresStatement("impatience", "SELECT set_config('lock_timeout', '250ms', true)")
  static let commit = PostgresStatement("commit", "COMMIT")
  static let rollback = PostgresStatement("rollback", "ROLLBACK")

  // MARK: Writing

  /// Creates a room if there is none of this name. If another node is just creating one, this waits for that node's
  /// commit.
  static let create = PostgresStatement(
    "create",
    """
    INSERT INTO canvas.rooms(name, epoch, last, trimmed, operations, created, changed)
    SELECT $1::text, $2::int8, 0, 0, 0, time, time FROM \(time("$3", isCopy: "$4"))
    ON CONFLICT (name) DO NOTHING
    """
  )

  /// Creates a room that is copied from another log. Returns no row if the name is taken.
  static let beginRoom = PostgresStatement(
    "begin_room",
    """
    INSERT INTO canvas.rooms(name, epoch, last, trimmed, operations, created, changed)
    VALUES($1::text, $2::int8, $3::int8, $3::int8, $4::int8, $5::int8, $5::int8)
    ON CONFLICT (name) DO NOTHING RETURNING number
    """
  )

  /// Appends records to a room. Returns no row if the room doesn't exist, or if another node has locked it and this one
  /// doesn't know yet. The room's row stays locked until the transaction ends, so positions have no gaps and become
  /// visible in order.
  static let append = PostgresStatement(
    "append",
    """
    WITH room AS (
      UPDATE canvas.rooms SET last = last + $4::int8, operations = operations + $5::int8, changed = greatest(changed, time)
      FROM \(time("$3", isCopy: "$12")) WHERE name = $1::text AND (epoch = $2::int8 OR $6::bool)
        AND ($13::bool OR NOT EXISTS(SELECT FROM canvas.locks WHERE locks.room = $1::text))
      RETURNING number, epoch, last - $4::int8 AS last, operations - $5::int8 AS operations, changed),
    new AS (
      SELECT ordinal, checksum, bytes, (sum(count) OVER (ORDER BY ordinal))::int8 AS operations
      FROM unnest($7::int8[], $8::int8[], $9::bytea[]) WITH ORDINALITY AS new(count, checksum, bytes, ordinal))
    INSERT INTO canvas.records(room, position, milliseconds, operations, writer, append, checksum, bytes)
    SELECT number, last + ordinal, changed, room.operations + new.operations, $10::int8, $11::int8, checksum, bytes
    FROM room, new
    RETURNING position, milliseconds, (SELECT epoch FROM room)
    """
  )

  /// The epoch of the room with this name. If an append stored nothing, it shows whether the room is gone, or another
  /// room has its name, or the room was locked.
  static let epoch = PostgresStatement("epoch", "SELECT epoch FROM canvas.rooms WHERE name = $1::text")

  /// Deletes a room, and returns its number. Returns no row if the room doesn't exist.
  static let delete = PostgresStatement(
    "delete",
    """
    WITH room AS (DELETE FROM canvas.rooms WHERE name = $1::text AND epoch = $2::int8 RETURNING number),
    dropped AS (INSERT INTO canvas.dropped(room) SELECT number FROM room)
    SELECT number FROM room
    """
  )

  /// Finds which of this writer's undecided appends are stored. In each room, only records after a given position are
  /// searched.
  static let settle = PostgresStatement(
    "settle",
    """
    SELECT append, rooms.name, epoch, position, milliseconds
    FROM unnest($1::text[], $2::int8[]) AS known(name, through) JOIN canvas.rooms ON rooms.name = known.name
    CROSS JOIN LATERAL (
      SELECT append, position, records.milliseconds FROM canvas.records
      WHERE room = number AND position > greatest(through, last - $5::int8)
        AND writer = $3::int8 AND append = ANY($4::int8[])
      OFFSET 0) AS stored
    ORDER BY append, position
    """
  )

  /// Takes a lock that a writer's connection holds as long as the connection lasts. A connection that gets the lock is
  /// the writer's only one.
  static let lock = PostgresStatement("lock", "SELECT pg_try_advisory_lock($1::int8)")
  /// A pause before the next try to get the lock. A connection that is being ended needs this time to release the lock.
  static let pause = PostgresStatement("pause", "SELECT pg_sleep(0.02)")
  /// Ends this writer's earlier connections if they wait for their client or for a lock. A connection that waits for
  /// the disk or for the standbys might be in a commit. Ending it would make the commit visible before a standby has
  /// it.
  static let evict = PostgresStatement(
    "evict",
    """
    SELECT count(pg_terminate_backend(pid)) FROM pg_locks JOIN pg_stat_activity USING (pid)
    WHERE locktype = 'advisory' AND granted AND pid <> pg_backend_pid() AND wait_event_type IN ('Client', 'Lock')
    AND classid = (($1::int8 >> 32) & 4294967295)::oid AND objid = ($1::int8 & 4294967295)::oid AND objsubid = 1
    """
  )
  /// Waits until no other transaction keeps a whole table locked against writing.
  static let tables = PostgresStatement(
    "tables",
    """
    WITH rooms AS (UPDATE canvas.rooms SET last = last WHERE false),
    records AS (UPDATE canvas.records SET bytes = bytes WHERE false) SELECT
    """
  )
  /// Which of some rooms are locked by other transactions, and whether that is a transaction of another node that goes
  /// on: it waits neither for a lock nor for its client. Then whether that is a commit that waits for the standbys.
  /// Locks the other rooms until the transaction ends.
  static let locked = PostgresStatement(
    "locked",
    """
    WITH free AS (
      SELECT name FROM canvas.rooms WHERE name = ANY($1::text[]) FOR NO KEY UPDATE SKIP LOCKED)
    SELECT name, EXISTS(
      SELECT FROM pg_locks JOIN pg_stat_activity USING (pid)
      WHERE \(holdsRow) AND application_name IN (\(names)) AND coalesce(wait_event_type, '') NOT IN ('Lock', 'Client')),
      EXISTS(SELECT FROM pg_locks JOIN pg_stat_activity USING (pid) WHERE \(holdsRow) AND wait_event = 'SyncRep')
    FROM canvas.rooms WHERE name = ANY($1::text[]) AND name NOT IN (SELECT name FROM free)
    """
  )
  /// The connections whose locks this writer waits for.
  static let endSilent = PostgresStatement("end_silent", ending("SELECT unnest(pg_blocking_pids($1::int8::int4))"))
  /// The connections that keep these rooms locked, or that this writer waits for. Nobody sees the row of a room that is
  /// being created, so this also has all connections of nodes that have written something and haven't committed it.
  static let endHolders = PostgresStatement(
    "end_holders",
    ending(
      """
      SELECT coalesce(pid, 0) FROM canvas.rooms, pg_locks WHERE name = ANY($1::text[]) AND \(holdsRow)
      UNION SELECT pid FROM pg_stat_activity
      WHERE datname = current_database() AND application_name IN (\(names)) AND backend_xid IS NOT NULL
      UNION SELECT unnest(pg_blocking_pids($3::int8::int4))
      """
    )
  )

  /// SQL for the connections that a query finds. Those of other nodes that have been silent for some time within a
  /// transaction are ended, and their transactions rolled back. Connections whose commit waits for the standbys are
  /// spared. A transaction that is prepared for a two-phase commit has process 0.
  private static func ending(_ query: String) -> String {
    """
    SELECT pid::int8, coalesce(application_name, ''), coalesce(usename, ''),
      CASE WHEN coalesce(application_name, '') NOT IN (\(names)) THEN false
        WHEN wait_event = 'ClientRead' AND state_change < clock_timestamp() - $2::int8 * interval '1 microsecond'
        THEN pg_terminate_backend(pid) ELSE true END
    FROM (\(query)) AS blocking(pid) LEFT JOIN pg_stat_activity USING (pid)
    """
  }
  /// SQL for the names of the connections that write.
  private static let names = "'canvas writer', 'canvas helper'"
  /// The SQL condition that a row of `pg_locks` is of the transaction that keeps others from changing a room's row.
  /// `xmax` has its number or, if `keep` has locked the row too, that of a list of transactions (a MultiXact). SQL can't
  /// tell the two apart. So a number that a list has is looked up as both.
  private static let holdsRow = """
    locktype = 'transactionid' AND granted AND transactionid IN (SELECT rooms.xmax UNION ALL
      SELECT xid FROM pg_get_multixact_members(CASE WHEN mxid_age(rooms.xmax) BETWEEN 1 AND
        (SELECT max(mxid_age(datminmxid)) FROM pg_database) THEN rooms.xmax END) AS member WHERE member.mode <> 'keysh')
    """

  /// A small commit that waits for the standbys. When it is done, everything that was read before it is on the standbys
  /// too.
  static let fence = PostgresStatement("fence", "UPDATE canvas.fence SET number = number + 1")

  /// Stores a secret if none is stored. So all nodes get the secret of the first one.
  static let offerSecret = PostgresStatement(
    "offer_secret",
    "INSERT INTO canvas.secrets(name, bytes) VALUES('actors', $1::bytea) ON CONFLICT DO NOTHING"
  )
  static let secret = PostgresStatement("secret", "SELECT bytes FROM canvas.secrets WHERE name = 'actors'")

  // MARK: Following

  /// A room's row, and its records after a position, until they reach a size. Both are read at one moment, so that no
  /// record is missed between them.
  static let newer = PostgresStatement(
    "newer",
    """
    SELECT rooms.epoch, last, trimmed, position, milliseconds, writer, append, checksum, bytes
    FROM canvas.rooms LEFT JOIN LATERAL (
      SELECT * FROM (
        SELECT position, milliseconds, writer, append, checksum, bytes,
          sum(octet_length(bytes)) OVER (ORDER BY position) - octet_length(bytes) AS before
        FROM (
          SELECT position, milliseconds, writer, append, checksum, bytes FROM canvas.records
          WHERE room = number AND position > $2::int8 ORDER BY position LIMIT $3::int8) AS near) AS measured
      WHERE before < $4::int8) AS newer ON true
    WHERE name = $1::text ORDER BY position
    """
  )
  /// The epochs and last positions of rooms.
  static let look = PostgresStatement(
    "look",
    "SELECT name, epoch, last FROM canvas.rooms WHERE name = ANY($1::text[])"
  )
  /// Does nothing. It tests whether the database still answers.
  static let probe = PostgresStatement("probe", "SELECT 1")
  static let listen = PostgresStatement("listen", "LISTEN canvas")
  static let listenToNodes = PostgresStatement("listen_to_nodes", "LISTEN canvas_nodes")
  static let tell = PostgresStatement("tell", "SELECT pg_notify('canvas_nodes', $1::text)")
  static let notify = PostgresStatement("notify", "SELECT pg_notify('canvas', $1::text)")

  // MARK: Reading

  /// Makes the other statements of the same request one read-only transaction, which sees the database at one moment
  /// (postgresql.org/docs/15/protocol-flow.html#PROTOCOL-FLOW-PIPELINING).
  static let readAtOnce = PostgresStatement(
    "read_at_once",
    """
    SELECT set_config('default_transaction_isolation', 'repeatable read', false),
      set_config('default_transaction_read_only', 'on', false)
    """
  )

  static let room = PostgresStatement(
    "room",
    "SELECT number, epoch, last, trimmed, operations, created, changed FROM canvas.rooms WHERE name = $1::text"
  )
  /// Rooms whose names come after a given one, in the order of names.
  static let rooms = PostgresStatement(
    "rooms",
    """
    SELECT number, epoch, last, trimmed, operations, created, changed, name,
      position, milliseconds, snapshot_operations, shapes, length
    FROM canvas.rooms LEFT JOIN LATERAL (
      SELECT position, milliseconds, operations AS snapshot_operations, shapes, octet_length(bytes) AS length
      FROM canvas.snapshots WHERE room = number ORDER BY position DESC LIMIT 1) AS newest ON true
    WHERE name > $1::text COLLATE "C" ORDER BY name LIMIT $2::int8
    """
  )
  static let roomAfter = PostgresStatement(
    "room_after",
    """
    SELECT number, name, epoch, last, trimmed FROM canvas.rooms
    WHERE number > $1::int8 AND number <= $2::int8 ORDER BY number LIMIT 1
    """
  )
  static let lastRoom = PostgresStatement("last_room", "SELECT max(number) FROM canvas.rooms")
  static let count = PostgresStatement("count", "SELECT count(*) FROM canvas.rooms")
  /// A room's snapshots, without their bytes.
  static let places = PostgresStatement(
    "places",
    """
    SELECT position, milliseconds, snapshots.operations, shapes, octet_length(bytes)
    FROM canvas.snapshots JOIN canvas.rooms ON number = room WHERE name = $1::text ORDER BY position
    """
  )
  /// The newest snapshot at or before a bound.
  static let snapshot = PostgresStatement(
    "snapshot",
    """
    SELECT position, milliseconds, snapshots.operations, shapes, octet_length(bytes), checksum, bytes
    FROM canvas.snapshots JOIN canvas.rooms ON number = room
    WHERE name = $1::text AND position <= $2::int8 AND milliseconds <= $3::int8 ORDER BY position DESC LIMIT 1
    """
  )
  /// A page of records after a position, up to a size. The query also gets the greatest possible last position. Without
  /// it, PostgreSQL would sort all later records of the room for each page.
  static let page = PostgresStatement(
    "page",
    """
    SELECT position, milliseconds, checksum, bytes, next FROM (
      SELECT position, milliseconds, checksum, bytes, lead(position) OVER places AS next,
        sum(octet_length(bytes)) OVER places - octet_length(bytes) AS before, row_number() OVER places AS row
      FROM (
        SELECT position, records.milliseconds, checksum, bytes FROM canvas.records JOIN canvas.rooms ON number = room
        WHERE name = $1::text AND position > greatest($2::int8, trimmed) AND position <= $3::int8
          AND position <= greatest(least($2::int8, last), trimmed) + $6::int8 + 1 AND milliseconds <= $4::int8) AS near
      WINDOW places AS (ORDER BY position)) AS measured
    WHERE before < $5::int8 AND row <= $6::int8 ORDER BY position
    """
  )

  // MARK: Chores

  /// Stores a snapshot. Returns no row if the room has no record at the snapshot's position. The room can't be deleted
  /// before this is committed. Otherwise the snapshot could outlast its room, and nothing would ever delete it.
  static let keep = PostgresStatement(
    "keep",
    """
    INSERT INTO canvas.snapshots(room, position, milliseconds, operations, shapes, checksum, bytes)
    SELECT number, $3::int8, coalesce(record.milliseconds, earlier.milliseconds, $7::int8),
      coalesce(record.operations, earlier.operations, $8::int8), $4::int8, $5::int8, $6::bytea
    FROM canvas.rooms
    LEFT JOIN canvas.records AS record ON record.room = number AND record.position = $3::int8
    LEFT JOIN canvas.snapshots AS earlier ON earlier.room = number AND earlier.position = $3::int8
    WHERE name = $1::text AND rooms.epoch = $2::int8 AND last >= $3::int8 AND trimmed <= $3::int8
    FOR KEY SHARE OF rooms
    ON CONFLICT (room, position) DO UPDATE
      SET shapes = excluded.shapes, checksum = excluded.checksum, bytes = excluded.bytes
    RETURNING position
    """
  )
  /// Locks the room's row. `forget` or `trim` follows in the same transaction, and so sees what another node has just
  /// done to the room.
  static let hold = PostgresStatement(
    "hold",
    "SELECT FROM canvas.rooms WHERE name = $1::text AND epoch = $2::int8 FOR NO KEY UPDATE"
  )
  /// Deletes snapshots, but never the one to which the room is trimmed. The room couldn't be opened without that one.
  static let forget = PostgresStatement(
    "forget",
    """
    DELETE FROM canvas.snapshots USING canvas.rooms
    WHERE number = room AND name = $1::text AND epoch = $2::int8 AND position = ANY($3::int8[]) AND position <> trimmed
    """
  )
  /// Trims a room to one of its snapshots, and deletes those before that one. Returns no row if there is no such
  /// snapshot.
  static let trim = PostgresStatement(
    "trim",
    """
    WITH trimmed_room AS (
      UPDATE canvas.rooms SET trimmed = greatest(trimmed, $3::int8)
      WHERE name = $1::text AND epoch = $2::int8 AND last >= $3::int8
        AND EXISTS(SELECT FROM canvas.snapshots WHERE room = number AND position = $3::int8)
      RETURNING number, trimmed),
    forgotten AS (DELETE FROM canvas.snapshots USING trimmed_room WHERE room = number AND position < trimmed)
    SELECT trimmed FROM trimmed_room
    """
  )
  /// Deletes the rows of some records, up to the position to which the room is trimmed.
  static let clear = PostgresStatement(
    "clear",
    """
    WITH one AS (SELECT number, trimmed FROM canvas.rooms WHERE name = $1::text)
    DELETE FROM canvas.records WHERE (room, position) IN (
      \(slice("room = (SELECT number FROM one) AND position <= (SELECT trimmed FROM one)", "$2", "$3")))
    """
  )
  /// Deletes some of the rows of the first deleted room above a number.
  static let clearDropped = PostgresStatement(
    "clear_dropped",
    """
    WITH one AS (
      SELECT room FROM canvas.dropped WHERE room > $3::int8 ORDER BY room LIMIT 1 FOR UPDATE SKIP LOCKED),
    slice AS (\(slice("room = (SELECT room FROM one)", "$1", "$2"))),
    snapshots AS (DELETE FROM canvas.snapshots WHERE room = (SELECT room FROM one)),
    cleared AS (
      DELETE FROM canvas.records USING slice
      WHERE records.room = slice.room AND records.position = slice.position RETURNING 1),
    ended AS (DELETE FROM canvas.dropped WHERE room IN (SELECT room FROM one) AND NOT EXISTS (SELECT FROM slice))
    SELECT (SELECT count(*) FROM cleared), (SELECT count(*) FROM one)
    """
  )
  static let firstDropped = PostgresStatement(
    "first_dropped",
    "SELECT room FROM canvas.dropped WHERE room > $1::int8 ORDER BY room LIMIT 1"
  )
  /// Of rooms whose names come after a given one, in the order of names: whether they still have trimmed records,
  /// because a node ended before it had deleted them, and the newest snapshot to which they can be trimmed by age. Each
  /// room is looked up by itself, so that PostgreSQL reads few index entries for it.
  static let retained = PostgresStatement(
    "retained",
    """
    SELECT name, epoch,
      (SELECT true FROM canvas.records WHERE room = number AND position <= trimmed ORDER BY position LIMIT 1),
      (SELECT max(position) FROM canvas.snapshots
        WHERE room = number AND milliseconds <= time - $2::int8 AND position > trimmed)
    FROM \(time("$1")), (
      SELECT name, epoch, number, trimmed FROM canvas.rooms
      WHERE name > $3::text COLLATE "C" ORDER BY name LIMIT $4::int8) AS page
    ORDER BY name
    """
  )

  /// SQL for the first records of a room, until they reach a count or a size. PostgreSQL is silent while it deletes
  /// them, and a connection that is silent for long is given up.
  private static func slice(_ condition: String, _ count: String, _ bytes: String) -> String {
    """
    SELECT room, position FROM (
      SELECT room, position, sum(length) OVER (ORDER BY position) - length AS before
      FROM (
        SELECT room, position, octet_length(bytes) AS length FROM canvas.records WHERE \(condition)
        ORDER BY position LIMIT \(count)::int8) AS near) AS measured
    WHERE before < \(bytes)::int8
    """
  }

  /// SQL for the time that a node has sent, limited to one second after the database's own time. Of what isn't a copy, it
  /// is also limited to one minute before that. So a node whose clock is days behind makes no records that count as old.
  private static func time(_ milliseconds: String, isCopy: String = "true") -> String {
    """
    (SELECT greatest(least(\(milliseconds)::int8, now + 1000), CASE WHEN \(isCopy)::bool THEN 0 ELSE now - 60000 END) AS time
    FROM (SELECT (extract(epoch FROM clock_timestamp()) * 1000)::int8 AS now) AS clock) AS given
    """
  }
}
