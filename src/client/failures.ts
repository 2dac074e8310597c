import { HoldpointError, onDemand } from '../core/basics/index.ts';

/** What reads the errors of a server; most runs have none. */
export const failures = onDemand(() => import('./later/failures.ts'));

/** Whether the server has no such route: our code, or the status of a server that has no codes of ours. */
export function isUnsupported(error: unknown): boolean {
  if (HoldpointError.is(error, 'NOT_FOUND')) return true;
  const status = HoldpointError.is(error) ? error.details?.['status'] : undefined;
  return status === 404 || status === 405 || status === 501;
}
