import { createHash } from 'node:crypto';
import { HoldpointError } from '../../core/index.ts';

export interface PostgresOptions {
  /** The PostgreSQL schema that holds everything; default `holdpoint`, made when it is not there. */
  readonly schema?: string;
}

/** The names that a schema gives to what is in it. */
export interface SchemaNames {
  /** As it was given. */
  readonly name: string;
  /** Quoted, to stand in SQL. */
  readonly quoted: string;
  /** What its commits are announced on. */
  readonly channel: string;
}

/** Throws `INPUT_INVALID` for a name that PostgreSQL would refuse, or cut off without a word. */
export function schemaNames({ schema = 'holdpoint' }: PostgresOptions): SchemaNames {
  if (schema === '' || schema.includes('\0') || Buffer.byteLength(schema) > 63) {
    throw new HoldpointError(
      'INPUT_INVALID',
      `A schema name has 1 to 63 bytes and no NUL, unlike ${JSON.stringify(schema)}.`,
    );
  }
  const digest = createHash('sha256').update(schema).digest('hex').slice(0, 32);
  return { name: schema, quoted: `"${schema.replaceAll('"', '""')}"`, channel: `holdpoint_${digest}` };
}
