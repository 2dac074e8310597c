import { HoldpointError, isRecord } from '../../core/index.ts';

/** The SQLSTATE of `commit_batches` for an isolation level that hides commits of others. */
export const WRONG_ISOLATION = 'HP001';

/** Whether PostgreSQL undid the transaction because of others, so that it may be repeated. */
function isRetryable(error: unknown): boolean {
  const code = codeOf(error);
  return code === '40001' || code === '40P01';
}

/** Whether PostgreSQL refused to write because it is a standby, as a node that was demoted. */
export function isReadOnly(error: unknown): boolean {
  return codeOf(error) === '25006';
}

/** Whether a server does not know a prepared statement, or knows it already: a pooler changes the connections behind it. */
export function isNameLost(error: unknown): boolean {
  const code = codeOf(error);
  return code === '26000' || code === '42P05';
}

/** Whether PostgreSQL returned an error and kept the connection, so that the transaction was undone. */
export function wasUndone(error: unknown): boolean {
  const code = codeOf(error);
  return code !== '' && !isConnectionCode(code);
}

/**
 * Whether the same work may succeed a moment later: there is no connection, it was lost, its result was that of another query, the server
 * is a standby, or others changed the same rows. Never for a commit with an unknown outcome.
 */
export function isPassing(error: unknown): boolean {
  if (HoldpointError.is(error)) return false;
  return !wasUndone(error) || isRetryable(error) || isReadOnly(error) || codeOf(error) === '53300';
}

/** A result that the query cannot have: a pooler gave that of another query. */
export class MalformedResult extends Error {
  override readonly name = 'MalformedResult';

  constructor() {
    super('it returned the result of another query');
  }
}

/**
 * `STORE_FAILED` with a sentence about the error of PostgreSQL or of the connection; a HoldpointError stays
 * unchanged.
 */
export function storeFailure(action: string, cause: unknown): HoldpointError {
  if (HoldpointError.is(cause)) return cause;
  return new HoldpointError('STORE_FAILED', `PostgreSQL could not ${action}: ${reasonOf(cause)}.`, { cause });
}

/** `STORE_FAILED` for a commit that was sent and not confirmed. */
export function unknownOutcome(cause: unknown): HoldpointError {
  return new HoldpointError(
    'STORE_FAILED',
    `PostgreSQL did not confirm a commit (${messageOf(cause)}): it is unknown whether it was made.`,
    { cause, details: { outcome: 'unknown' } },
  );
}

/** The SQLSTATE of PostgreSQL; empty for errors of Node or `pg`. */
function codeOf(error: unknown): string {
  // Only responses of the server have a severity; `EPIPE` has the form of a SQLSTATE.
  if (!isRecord(error) || typeof error['severity'] !== 'string') return '';
  return typeof error['code'] === 'string' ? error['code'] : '';
}

/** Class 08 and the shutdowns of 57P: the server ended the connection. */
function isConnectionCode(code: string): boolean {
  return code.startsWith('08') || code.startsWith('57P');
}

function reasonOf(error: unknown): string {
  const code = codeOf(error);
  if (code === WRONG_ISOLATION) {
    return 'its connections must use the isolation level "read committed" (default_transaction_isolation)';
  }
  if (code === '42501') return `permission was denied (${messageOf(error)})`;
  if (code === '28P01' || code === '28000') return `the login was refused (${messageOf(error)})`;
  if (isReadOnly(error)) return `the server is read-only, as a standby is (${messageOf(error)})`;
  if (isRetryable(error)) return `others changed the same rows each time it was tried (${messageOf(error)})`;
  if (error instanceof MalformedResult) return error.message;
  if (code === '' || isConnectionCode(code)) return `there is no connection (${messageOf(error)})`;
  return messageOf(error);
}

function messageOf(error: unknown): string {
  // Node puts the failures of several addresses into one error without a message.
  if (error instanceof AggregateError) return error.errors.map(messageOf).join('; ');
  return error instanceof Error ? error.message : String(error);
}
