import { HoldpointError } from '../../core/index.ts';
import { command } from './command/index.ts';
import type { Dialect, DialectName } from './dialect.ts';
import { draft } from './draft/index.ts';
import { snake } from './snake/index.ts';
import { v1 } from './v1/index.ts';

/** The four dialects by name. */
export const DIALECTS: ReadonlyMap<string, Dialect> = /* @__PURE__ */ new Map(
  [v1, draft, snake, command].map((dialect) => [dialect.name, dialect]),
);

/** Returns a dialect by name. Throws `PROTOCOL_UNSUPPORTED` for an unknown name. */
export function dialectNamed(name: DialectName | (string & {})): Dialect {
  const dialect = DIALECTS.get(name);
  if (dialect !== undefined) return dialect;
  const known = [...DIALECTS.keys()].join(', ');
  throw new HoldpointError(
    'PROTOCOL_UNSUPPORTED',
    `The AG-UI dialect ${name} is unknown. Known dialects: ${known}.`,
  );
}
