/// The tables, in a schema of their own, and the steps by which earlier versions of the tables become the newest.
enum PostgresSchema {
  static let oldestServer: Int32 = 140_000

  /// A step from one version of the tables to the next.
  struct Step {
    /// The oldest server version that still works with the tables after this step.
    let readableFrom: Int
    let text: String
  }

  /// Step `n` brings version `n` to version `n + 1`; version 0 has no tables. A step never changes once it has been in
  /// use: later changes are new steps.
  ///
  /// Nodes are upgraded one after the other. The first newer node carries out the step, while all others go on with the
  /// statements of the version before. So a step only adds something: a table, an index, a column that has a default.
  /// Such a step leaves `readableFrom` as it was. A change that breaks the statements of older servers, such as
  /// removing a column, has to wait for a release in which no server in use names that column. Then `readableFrom` is
  /// the first version that did without the column. From then on, older servers refuse the database when they next
  /// connect. A step locks what it changes for as long as it takes, so it must be quick even with many rows.
  ///
  /// Columns of `rooms` that change with an append have no index, and pages are left half empty. So a row's new version
  /// fits beside the old one, and no index is touched. A later room of the same name gets another number, so the
  /// records of a deleted room can be cleared away at any time.
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

  /// The newest version that this server knows.
  static var newest: Int { steps.count }

  /// Whether there is a schema of this name, and whether this program made it.
  static let presence = PostgresStatement(
    "presence",
    """
    SELECT EXISTS(SELECT FROM pg_namespace WHERE nspname = 'canvas'),
      EXISTS(SELECT FROM pg_tables WHERE schemaname = 'canvas' AND tablename = 'about')
    """
  )
  /// The version of the tables, and the oldest server version that works with them. If a database doesn't say which
  /// version is the oldest, only servers of the tables' own version work with them.
  static let version = PostgresStatement(
    "version",
    "SELECT version, coalesce((to_jsonb(about) ->> 'readable_from')::int4, version) FROM canvas.about"
  )

  /// The settings that a database needs so that acknowledged commits last. Settings that a connection can change are
  /// made by each node itself.
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
      set_config('client_connection_check_interval', '1000', false)
    """
  )

  static let upgrade = upgrade(by: steps)

  /// Carries out the steps that the database lacks. If several nodes try that at once, only one does it.
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

  /// The number of the lock that the upgrade takes. `CANV` in its upper half makes it unlikely that another program
  /// uses the number.
  private static let lock: Int64 = 0x4341_4E56_0000_0001
}
