/** Transactions that wrote something, and the bytes of the server's write-ahead log. */
export async function walOfPostgres(pool, work) {
  const before = await position(pool);
  await work();
  const after = await position(pool);
  // To ask for a transaction's number takes one.
  return { commits: after.transactions - before.transactions - 1, walBytes: after.wal - before.wal };
}

async function position(pool) {
  const { rows } = await pool.query(
    `SELECT pg_current_xact_id()::text AS transactions, pg_current_wal_insert_lsn() - '0/0' AS wal`,
  );
  return { transactions: Number(rows[0].transactions), wal: Number(rows[0].wal) };
}

/** Counts by triggers what is inserted, updated or deleted, and the bytes of the columns of what is written. */
export async function rowsOfPostgres(pool, work) {
  const { rows: columns } = await pool.query(
    `SELECT table_schema, table_name, column_name, data_type FROM information_schema.columns
     JOIN information_schema.tables USING (table_schema, table_name)
     WHERE table_type = 'BASE TABLE' AND table_schema NOT IN ('pg_catalog', 'information_schema')`,
  );
  await pool.query('CREATE SCHEMA bench; CREATE TABLE bench.writes (bytes bigint)');
  const tables = Map.groupBy(columns, ({ table_schema, table_name }) => `"${table_schema}"."${table_name}"`);
  let number = 0;
  for (const [table, own] of tables) {
    number += 1;
    const bytes = own.map(sizeOf).join(' + ');
    await pool.query(`
      CREATE FUNCTION bench.count_${number}() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        INSERT INTO bench.writes SELECT CASE WHEN TG_OP = 'DELETE' THEN 0 ELSE ${bytes} END;
        RETURN NULL;
      END $$;
      CREATE TRIGGER bench_count AFTER INSERT OR UPDATE OR DELETE ON ${table}
        FOR EACH ROW EXECUTE FUNCTION bench.count_${number}()`);
  }
  await work();
  const { rows } = await pool.query(
    'SELECT count(*)::int AS rows, coalesce(sum(bytes), 0)::int AS bytes FROM bench.writes',
  );
  return rows[0];
}

function sizeOf({ column_name, data_type }) {
  const value = data_type === 'bytea' ? `NEW."${column_name}"` : `NEW."${column_name}"::text`;
  return `coalesce(octet_length(${value}), 0)`;
}
