/// The tables of the schema `canvas`, and the steps that upgrade them from older versions.
enum PostgresSchema {
  static let oldestServer: Int32 = 140_000

  /// An upgrade from one version of the tables to the next.
  struct Step {
    /// The oldest server version that works with the tables after this step.
    let readableFrom: Int
    let text: String
  }

  /// Step `n` upgrades the tables from version `n` to `n + 1`. Version 0 has no tables. A released step never changes:
  /// later changes are new steps.
  ///
  /// Nodes are upgraded one by one. The first new node carries out the step, while older nodes still use the statements
  /// of the version before. So a step may only add something: a table, an index, or a column with a default.
  /// `readableFrom` then stays as it was.
  ///
  /// Removing a column would break older servers. It has to wait until no server in use names the column. Then
  /// `readableFrom` becomes the first version that did without it, and older servers refuse the database when they next
  /// connect.
  ///
  /// A step locks what it changes while it runs. So it must be quick even with many rows.
  ///
  /// Columns of `rooms` that appends change have no index, and pages are left half empty. So PostgreSQL can write a
  /// row's new version on the same page, without touching an index. A newer room of the same name gets another number,
  /// so the records of a deleted room can be deleted at any time.
  static let steps: [Step] = [
    Step(
      readableFrom: 1,
      text: """
        CREATE TABLE canvas.rooms(
          number int8 GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text COLLATE "C" NOT NULL UNIQUE, epoch int8 NOT NULL,
          last int8 NOT NULL, trimmed int8 NOT NULL, operations int8 NOT NULL, created int8 NOT NULL, changed int8 NOT NULL)
          WITH (fillfactor = 50);
        CREATE TABLE canvas.records(
          room int8 NOT NULL, position int8 NOT NULL, milliseconds int8 NOT NULL, operations int8 NOT NULL,
          writer int8 NOT NULL, append int8 NOT NULL, checksum int8 NOT NULL, bytes bytea NOT NULL,
          PRIMARY KEY(room, position));
        CREATE TABLE canvas.snapshots(
          room int8 NOT NULL, position int8 NOT NULL, milliseconds int8 NOT NULL, operations int8 NOT NULL,
          shapes int8 NOT NULL, checksum int8 NOT NULL, bytes bytea NOT NULL, PRIMARY KEY(room, position));
        ALTER TABLE canvas.snapshots ALTER COLUMN bytes SET STORAGE EXTERNAL;
        CREATE TABLE canvas.dropped(room int8 PRIMARY KEY);
        CREATE TABLE canvas.fence(number int8 NOT NULL);
        INSERT INTO canvas.fence VALUES(0);
        CREATE TABLE canvas.locks(room text COLLATE "C" PRIMARY KEY);
        CREATE TABLE canvas.secrets(name text PRIMARY KEY, bytes bytea NOT NULL);
        """
    )
  ]

  /// The newest version of the tables that this server knows.
  static var newest: Int { steps.count }

  /// Whether the schema `canvas` exists, and whether this program made it.
  static let presence = PostgresStatement(
    "presence",
    """
    SELECT EXISTS(SELECT FROM pg_namespace WHERE nspname = 'canvas'),
      EXISTS(SELECT FROM pg_tables WHERE schemaname = 'canvas' AND tablename = 'about')
    """
  )
  /// The version of the tables, and the oldest server version that works with them. If the database doesn't store the
  /// oldest server version, the version of the tables is used instead.
  static let version = PostgresStatement(
    "version",
    "SELECT version, coalesce((to_jsonb(about) ->> 'readable_from')::int4, version) FROM canvas.about"
  )

  /// Reads the settings that decide whether commits are durable, and the database's clock and timeline. It also applies
  /// the settings that a connection can make for itself.
  static let settings = PostgresStatement(
    "settings",
    """
    SELECT pg_is_in_recovery(), current_setting('fsync'), current_setting('synchronous_commit'),
      (SELECT system_identifier FROM pg_control_system()) || ' ' || current_database(),
      CASE WHEN pg_is_in_recovery() THEN '' ELSE pg_walfile_name(pg_current_wal_insert_lsn()) END,
      current_setting('full_page_writes'), current_setting('synchronous_standby_names'),
      (extract(epoch FROM clock_timestamp()) * 1000)::int8,
      -- A commit that doesn't wait for the standbys is known by a warning.
      set_config('client_min_messages', 'warning', false),
      set_config('tcp_keepalives_idle', '5', false), set_config('tcp_keepalives_interval', '2', false),
      set_config('tcp_keepalives_count', '3', false), set_config('tcp_user_timeout', '10000', false),
      set_config('client_connection_check_interval', '1000', false),
      -- The user's own timeouts would end what takes long, which would then begin anew, again and again. This node gives
      -- up connections that are silent for long.
      set_config('statement_timeout', '0', false), set_config('idle_session_timeout', '0', false),
      -- Locks of other programs must not stop this node. The time is long enough for `endSilent` to have its turn, and
      -- shorter than the time after which a silent connection is given up.
      set_config('lock_timeout',
        CASE WHEN current_setting('application_name') IN ('canvas writer', 'canvas helper') THEN '4s' ELSE '0' END, false)
    """
  )

  static let upgrade = upgrade(by: steps)

  /// Carries out the missing steps. If several nodes try it at once, one does it, and the others wait.
  static func upgrade(by steps: [Step]) -> PostgresStatement {
    PostgresStatement(
      "upgrade",
      """
      DO $canvas$ BEGIN
      PERFORM pg_advisory_xact_lock(\(lock));
      CREATE SCHEMA IF NOT EXISTS canvas;
      CREATE TABLE IF NOT EXISTS canvas.about(version int4 NOT NULL);
      INSERT INTO canvas.about SELECT 0 WHERE NOT EXISTS (SELECT FROM canvas.about);
      ALTER TABLE canvas.about ADD COLUMN IF NOT EXISTS readable_from int4 NOT NULL DEFAULT 1;
      \(steps.enumerated().map { number, step in
        """
        IF (SELECT version FROM canvas.about) = \(number) THEN
        \(step.text)
        UPDATE canvas.about SET version = \(number + 1), readable_from = \(step.readableFrom);
        END IF;
        """
      }.joined(separator: "\n"))
      END $canvas$
      """
    )
  }

  /// The advisory lock for upgrades. The letters `CANV` in its upper half make a clash with another program unlikely.
  private static let lock: Int64 = 0x4341_4E56_0000_0001
}
