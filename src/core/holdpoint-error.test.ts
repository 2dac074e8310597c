import { describe, expect, it } from 'vitest';
import { HoldpointError, HTTP_STATUS, httpStatusOf, invalidInput } from './index.ts';

describe('HoldpointError', () => {
  it('recognizes an error of another copy of the class by its brand', () => {
    const foreign = Object.assign(new Error('x'), {
      code: 'FORBIDDEN',
      [Symbol.for('holdpoint.error')]: true,
    });
    expect(HoldpointError.is(foreign)).toBe(true);
    expect(HoldpointError.is(foreign, 'FORBIDDEN')).toBe(true);
    expect(HoldpointError.is(foreign, 'INTERNAL')).toBe(false);
    expect(HoldpointError.is(new Error('x'))).toBe(false);
    expect(HoldpointError.is(null)).toBe(false);
    expect(HoldpointError.is('INTERNAL')).toBe(false);
  });

  it('keeps the cause, the issues and the details of an error', () => {
    const cause = new Error('underneath');
    const error = new HoldpointError('STORE_FAILED', 'No.', { cause, details: { retry: true } });
    expect(error).toMatchObject({
      code: 'STORE_FAILED',
      message: 'No.',
      cause,
      details: { retry: true },
      issues: [],
    });
    expect(error).toBeInstanceOf(Error);
  });

  it('names the first issue of an input and counts the rest', () => {
    const error = invalidInput('event', [
      { pointer: '/type', message: 'expected a string' },
      { pointer: '/delta', message: 'expected a string' },
    ]);
    expect(error.code).toBe('INPUT_INVALID');
    expect(error.message).toBe('Invalid event at /type: expected a string (and 1 more).');
    expect(error.issues).toHaveLength(2);
  });
});

describe('error codes', () => {
  it('maps each error code to the HTTP status of the contract', () => {
    expect(HTTP_STATUS).toMatchInlineSnapshot(`
      {
        "AGENT_UNKNOWN": 404,
        "ANSWER_CANCELLED": null,
        "ANSWER_FORBIDDEN": 403,
        "ANSWER_INVALID": 422,
        "FORBIDDEN": 403,
        "INPUT_INVALID": 400,
        "INTERNAL": null,
        "INTERRUPTS_PENDING": 409,
        "INTERRUPTS_UNANSWERED": 409,
        "INTERRUPT_CONFLICT": 409,
        "INTERRUPT_EXPIRED": 410,
        "INTERRUPT_UNKNOWN": 404,
        "JOURNAL_MISMATCH": 409,
        "MAX_TURNS": null,
        "MODEL_FAILED": null,
        "NOT_ACCEPTABLE": 406,
        "NOT_FOUND": 404,
        "PROTOCOL_UNSUPPORTED": 400,
        "RATE_LIMITED": 429,
        "RUN_CONFLICT": 409,
        "RUN_LOST": null,
        "STORE_FAILED": 503,
        "THREAD_UNKNOWN": 404,
        "TOOL_FAILED": null,
        "TOOL_UNKNOWN": 409,
        "TOO_LARGE": 413,
        "UNAUTHENTICATED": 401,
        "UNAVAILABLE": 503,
        "UNSUPPORTED_MEDIA": 415,
      }
    `);
  });

  it('maps error codes that only end runs to the status 500', () => {
    expect(httpStatusOf('RUN_LOST')).toBe(500);
    expect(httpStatusOf('ANSWER_INVALID')).toBe(422);
  });
});
