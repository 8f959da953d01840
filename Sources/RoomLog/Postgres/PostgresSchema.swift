/// The tables, in a schema of their own, and how a database of an earlier version gets them.
enum PostgresSchema {
  static let oldestServer: Int32 = 140_000

  /// Step `n` brings version `n` to version `n + 1`; version 0 has no tables. A step never changes once it has been in use:
  /// later changes are new steps.
  ///
  /// Nothing that changes with an append is indexed in `rooms`, and its pages are left half empty: so the new version of a
  /// row fits beside the old one, and no index is touched. A later room of the same name gets another number, so a
  /// deleted room's records can be cleared away at any time.
  static let steps: [String] = [
    """
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
  ]

  /// Whether there is a schema of this name, and whether it is ours.
  static let presence = PostgresStatement(
    "presence",
    """
    SELECT EXISTS(SELECT FROM pg_namespace WHERE nspname = 'canvas'),
      EXISTS(SELECT FROM pg_tables WHERE schemaname = 'canvas' AND tablename = 'about')
    """
  )
  static let version = PostgresStatement("version", "SELECT version FROM canvas.about")

  /// What the database has to be for what it acknowledges to last.
  static let settings = PostgresStatement(
    "settings",
    """
    SELECT pg_is_in_recovery(), current_setting('fsync'), current_setting('synchronous_commit'),
      (SELECT system_identifier FROM pg_control_system()) || ' ' || current_database(),
      CASE WHEN pg_is_in_recovery() THEN '' ELSE pg_walfile_name(pg_current_wal_insert_lsn()) END,
      set_config('tcp_keepalives_idle', '5', false), set_config('tcp_keepalives_interval', '2', false),
      set_config('tcp_keepalives_count', '3', false), set_config('tcp_user_timeout', '10000', false),
      set_config('client_connection_check_interval', '1000', false)
    """
  )

  /// Brings the database to the newest version, one node at a time.
  static let upgrade = PostgresStatement(
    "upgrade",
    """
    DO $canvas$ BEGIN
    PERFORM pg_advisory_xact_lock(\(lock));
    CREATE SCHEMA IF NOT EXISTS canvas;
    CREATE TABLE IF NOT EXISTS canvas.about(version int4 NOT NULL);
    INSERT INTO canvas.about SELECT 0 WHERE NOT EXISTS (SELECT FROM canvas.about);
    \(steps.enumerated().map { number, step in
      """
      IF (SELECT version FROM canvas.about) = \(number) THEN
      \(step)
      UPDATE canvas.about SET version = \(number + 1);
      END IF;
      """
    }.joined(separator: "\n"))
    END $canvas$
    """
  )

  /// A number that no other program's lock is likely to have: `CANV` in its upper half.
  private static let lock: Int64 = 0x4341_4E56_0000_0001
}
