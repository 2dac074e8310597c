import { appendFileSync, existsSync, readFileSync } from 'node:fs';

/** What tools did outside the database: one line of a file for each effect. No rollback and no restore removes a line. */
export interface Effects {
  add(effect: string): void;
  readonly lines: readonly string[];
}

export function openEffects(path: string): Effects {
  return {
    add: (effect) => appendFileSync(path, `${effect}\n`),
    get lines() {
      return existsSync(path) ? readFileSync(path, 'utf8').split('\n').slice(0, -1) : [];
    },
  };
}
