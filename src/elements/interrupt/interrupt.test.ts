import { html } from 'lit';
import { describe, expect, it } from 'vitest';
import { HoldpointError } from '../../core/index.ts';
import { german } from '../base/german.ts';
import { setStrings } from '../base/strings.ts';
import { textWarnings, visibleText } from '../base/visible-text.ts';
import { wantedFiles } from '../form/file-rules.ts';
import { toField } from '../form/to-field.ts';
import { answerSchema } from './answer-body.ts';
import type { CardBody } from './card-context.ts';
import { cardFacts } from './card-facts.ts';
import { cardBodyFor, registerCard } from './card-registry.ts';
import { changesBetween } from './changes.ts';
import {
  answeredWords,
  answerWords,
  answerWordsAbout,
  decisionOf,
  recordWords,
  unsaidValues,
} from './decision.ts';
import type { CardDraft } from './drafts.ts';
import { errorSentence } from './error-sentence.ts';
import { waitingWords } from '../conversation/composer-element.ts';
import { givenAnswerOf } from '../conversation/given-answer.ts';
import { UNREAD_MS } from './press-by-key.ts';
import { reasonLabel } from './reason-label.ts';
import { limitProblem } from './remember.ts';
import { hasAllEntries } from './sent-entries.ts';
import { showValue } from './show-value.ts';
import { isQuestion } from './verdict-body.ts';

describe('cardFacts', () => {
  it('reads what the schema of the tool does to the arguments', () => {
    const of = (schemaEffect: unknown) =>
      cardFacts({
        id: 'i',
        reason: 'tool_call',
        metadata: { functionName: 'pay', functionArguments: { amount: 5, 'a/b': 'JPY' }, schemaEffect },
      });
    const dropped = { '/a~1b': 'JPY' };
    expect(of({ dropped })).toMatchObject({ args: { amount: 5 }, dropped, isConverted: false, details: {} });
    expect(of({ converted: true })).toMatchObject({ isConverted: true, offersExactly: false });
    expect(of('odd')).toMatchObject({ args: { amount: 5, 'a/b': 'JPY' }, offersExactly: true });
  });

  it('reads every fact of an approval', () => {
    const editedArgs = { type: 'object', properties: { to: { type: 'string' } } };
    const facts = cardFacts({
      id: 'i',
      reason: 'tool_call',
      message: 'Shall it go?',
      toolCallId: 'c',
      responseSchema: {
        type: 'object',
        properties: {
          approved: { type: 'boolean' },
          reason: { type: 'string' },
          editedArgs,
          note: { type: 'string' },
        },
        required: ['approved', 'note'],
      },
      metadata: {
        functionName: 'sendEmail',
        functionArguments: { to: 'a' },
        destructive: true,
        team: 'red',
        traceparent: 'x',
      },
    });
    expect(facts).toMatchObject({
      title: 'Send email',
      toolName: 'sendEmail',
      args: { to: 'a' },
      isApproval: true,
      isDestructive: true,
      editSchema: editedArgs,
      extras: { properties: { note: { type: 'string' } }, required: ['note'] },
      details: { team: 'red' },
    });
  });

  it('reads the request of an A2A agent without the members that only machines need', () => {
    const request = {
      type: 'a2a.input.request',
      requestId: 'r',
      title: 'Book it?',
      fields: [{ name: 'approved', type: 'boolean' }],
      metadata: { functionName: 'bookFlight', functionArguments: { to: 'Rome' }, team: 'red', schema: {} },
    };
    const task = { taskId: 't', contextId: 'c', request };
    const facts = cardFacts({
      id: 'i',
      reason: 'confirmation',
      message: 'Book it?',
      responseSchema: { type: 'object', properties: { approved: { type: 'boolean' } } },
      metadata: { ...task, repeats: 2, payload: { ...task, interruptId: 'i' } },
    });
    expect(facts).toMatchObject({ title: 'Book flight', args: { to: 'Rome' }, isApproval: true });
    expect(facts.details).toEqual({ team: 'red', repeats: 2 });
    const call = cardFacts({
      id: 'i',
      reason: 'confirmation',
      metadata: {
        taskId: 't',
        contextId: 'c',
        toolName: 'pay',
        toolInput: { amount: 5 },
        notDelivered: 'The agent cannot be reached.',
        request: { suspendPayload: {}, resumeSchema: '{}' },
        payload: { taskId: 't', contextId: 'c', interruptId: 'i' },
      },
    });
    expect(call).toMatchObject({ toolName: 'pay', args: { amount: 5 } });
    expect(call.details).toEqual({ notDelivered: 'The agent cannot be reached.' });
    const others = cardFacts({ id: 'i', reason: 'x', metadata: { taskId: 't', request: { type: 'other' } } });
    expect(others.details).toEqual({ taskId: 't', request: { type: 'other' } });
  });

  it('reads an interrupt with an unknown reason, and a tool call of the conversation', () => {
    expect(
      cardFacts({ id: 'i', reason: 'acme:sign_off', metadata: { payload: { prompt: 'Sign?' } } }),
    ).toMatchObject({
      title: 'Sign off',
      headline: 'Sign?',
      message: undefined,
      isApproval: false,
    });
    const call = { functionName: 'pay', functionArguments: { amount: 1 } };
    expect(cardFacts({ id: 'i', reason: 'tool_call', toolCallId: 'c' }, call)).toMatchObject({
      isApproval: true,
      args: { amount: 1 },
    });
    expect(reasonLabel('acme:sign_off').label).toBe('Sign off');
  });
});

describe('the texts of an approval', () => {
  const approval = (message: string, metadata: Readonly<Record<string, unknown>> = {}) =>
    cardFacts({
      id: 'i',
      reason: 'tool_call',
      message,
      metadata: { functionName: 'transferMoney', functionArguments: {}, ...metadata },
    });

  it.each([
    ['Send it?', { headline: 'Send it?', message: undefined }],
    ['May transferMoney go ahead?', { headline: 'Transfer money', message: undefined }],
    ['**Careful**\n\nSend it?', { headline: 'Transfer money', message: '**Careful**\n\nSend it?' }],
  ])('shows %j as the headline where it is one plain line of its own', (message, shown) => {
    expect(approval(message)).toMatchObject(shown);
  });

  it.each([
    [{ title: 'Send $1,000 to ABC123' }, 'Send $1,000'],
    [{ title: 'Send $1,000 to ABC123', verb: 'Pay' }, 'Pay'],
    [{ title: 'transferMoney' }, undefined],
    [{ title: 'Move everything that the customer has ever saved' }, undefined],
  ])('takes, from the metadata %j, the verb %s', (metadata, verb) => {
    expect(approval('Send it?', metadata).verb).toBe(verb);
  });
});

describe('an interrupt without a response schema', () => {
  it('an interrupt without a response schema gets a text field for an input, a file for an upload, and JSON for any other reason', () => {
    const kind = (reason: string) => {
      const interrupt = { id: 'i', reason };
      const schema = answerSchema(interrupt, false);
      return toField(schema, { name: '', required: true, root: schema, files: wantedFiles(interrupt) }).kind;
    };
    expect(['input_required', 'upload_required', 'acme:sign_off'].map(kind)).toEqual([
      'text',
      'file',
      'json',
    ]);
  });

  it('an interrupt without a response schema gets the input that its prompt names', () => {
    const payload = { prompt: 'Please provide your email address', inputType: 'email' };
    const interrupt = { id: 'input-456', reason: 'input_required', metadata: { payload } };
    const schema = answerSchema(interrupt, false);
    expect(toField(schema, { name: '', required: true, root: schema })).toMatchObject({
      kind: 'text',
      input: 'email',
    });
    expect(cardFacts(interrupt)).toMatchObject({ headline: payload.prompt, details: {} });
  });
});

describe('a text from outside', () => {
  it.each([
    ['to \u202E321CBA', 'to [U+202E]321CBA'],
    ['pay\u200Bpal \u0007', 'pay[U+200B]pal [U+0007]'],
    ['one\r\ntwo\tthree', 'one\ntwo\tthree'],
    ['👩\u200D💻 and می\u200Cخواهم', '👩\u200D💻 and می\u200Cخواهم'],
    ['a\u200Db', 'a[U+200D]b'],
  ])('shows each hidden character of %j by its code', (text, shown) => {
    expect(visibleText(text)).toBe(shown);
  });

  it('warns about hidden characters and about words in two alphabets, and not about other languages', () => {
    expect(textWarnings('to \u202E321CBA')).toEqual([expect.stringContaining('U+202E')]);
    expect(textWarnings('p\u0430ypal')).toEqual([expect.stringContaining('U+0430')]);
    expect(textWarnings('Привет мир, grüße, 👩\u200D💻')).toEqual([]);
  });

  it('warns about words whose letters all only look Latin, such as an account, and not about the words of a language', () => {
    expect(textWarnings('Send $1 to \u0410\u0412\u0421123')).toEqual([
      '“\u0410\u0412\u0421123” looks like Latin letters, but has none: \u0410 (U+0410), \u0412 (U+0412), \u0421 (U+0421).',
    ]);
    expect(textWarnings('to \u{1D5A0}\u{1D5A1}1')).toEqual([expect.stringContaining('U+1D5A0')]);
    expect(textWarnings('\u0420\u0430\u0443')).toHaveLength(1);
    expect(textWarnings('Да, оса и рост: ООО «Рога», Αθήνα, 12 000 €')).toEqual([]);
    expect(textWarnings('Счёт АВС123')).toHaveLength(1);
  });
});

describe('the first moment of a card', () => {
  it('outlasts a double click of 500 ms, the slowest that systems take by default', () => {
    expect(UNREAD_MS).toBeGreaterThan(500);
  });
});

describe('the entries of a card', () => {
  const edits = { to: 'b' };
  const yes = { approved: true };
  it.each<[all: boolean, draft: CardDraft, payload: unknown]>([
    [true, { edits, editing: true }, { ...yes, editedArgs: { to: 'b' } }],
    [false, { edits, editing: true }, { ...yes, editedArgs: { to: 'c' } }],
    [false, { edits, editing: true }, yes],
    [true, { reason: ' ok ' }, { ...yes, reason: 'ok' }],
    [false, { reason: 'ok' }, yes],
    [false, { reason: 'ok' }, undefined],
    [true, { rejection: 'late' }, { approved: false, reason: 'late' }],
    [false, { reason: 'ok', rejection: 'late' }, { approved: false, reason: 'late' }],
    [true, { form: edits }, { to: 'b', copies: 1 }],
    [false, { form: edits }, { to: 'c' }],
    [false, { form: edits }, null],
    [true, { extras: edits }, { ...yes, to: 'b' }],
    [false, { remember: 'tool-thread' }, yes],
    [true, { remember: 'tool-thread' }, { ...yes, remember: { what: 'tool', where: 'thread' } }],
    [true, { action: 'retry' }, { action: 'retry' }],
    [false, { phrase: 'delete' }, { approved: false }],
  ])('are %s in an answer: %j, %j', (all, draft, payload) => {
    expect(hasAllEntries(payload, draft, { current: () => edits, args: { to: 'a' } })).toBe(all);
  });
});

describe('texts on a card', () => {
  it('describes an answer in a few words', () => {
    const answer = { status: 'resolved', by: 'ana', you: true, payload: { approved: true } };
    const dropped = givenAnswerOf({ status: 'cancelled', threadDeleted: { by: 'bob' }, answer }) ?? {};
    expect(answeredWords(dropped, 0)).toBe('Approved by you · did not run');
    const kept = givenAnswerOf({ status: 'resolved', threadDeleted: { by: 'bob' }, answer }) ?? {};
    expect(answeredWords(kept, 0)).toBe('Approved by you');
    expect(answerWords({ status: 'resolved', payload: { approved: false, reason: 'no' } })).toBe(
      'Rejected: no',
    );
    expect(answerWords({ status: 'resolved', payload: { approved: true, editedArgs: {} } })).toBe(
      'Approved with changes',
    );
    const edited = { approved: true, reason: 'ok', editedArgs: { to: 'b', copies: 1 } };
    expect(answerWords({ status: 'resolved', payload: edited }, { args: { to: 'a', copies: 1 } })).toBe(
      'Approved with 1 change: To: b · Reason: ok',
    );
    expect(answerWords({ status: 'resolved', payload: { status: 'REJECTED' } })).toBe('Rejected');
    const withdrawal = { status: 'cancelled', withdrawn: true, reason: 'Not final', by: 'ana', you: true };
    const withdrawn = givenAnswerOf({ status: 'cancelled', answer: withdrawal }) ?? {};
    expect(answerWords(withdrawn)).toBe('Withdrawn: Not final');
    expect(recordWords(withdrawn, {})).toBe('You withdrew it: Not final');
    expect(answerWords({ status: 'cancelled' })).toBe('Cancelled');
    expect(answerWords({ status: 'resolved', payload: 'red' })).toBe('Answered “red”');
    expect(answerWords({ status: 'resolved', payload: false })).toBe('Answered “No”');
  });

  it('keeps the values of an answer that the words of its decision do not say', () => {
    const beside = (payload: unknown, via = 'inbox') => unsaidValues({ status: 'resolved', payload, via });
    expect(beside({ status: 'APPROVED', reason: 'ok', note: 'x' })).toEqual({ note: 'x' });
    expect(beside({ approved: true, editedArgs: {}, action: 'refund' })).toEqual({ action: 'refund' });
    expect(beside({ action: 'skip' })).toEqual({});
    expect(beside({ status: 'open', reason: 'late' })).toEqual({ status: 'open', reason: 'late' });
    expect(beside('red')).toBe('red');
    // "Expired" does not say how a rule answered.
    expect(beside({ approved: true, reason: 'Late' }, 'expiry')).toEqual({ approved: true });
  });

  it('tells an approved trial run from an approval', () => {
    const trial = { approved: true, modifications: { dryRun: true } };
    expect(answerWords({ status: 'resolved', payload: trial })).toBe('Approved as a trial run');
    const small = { approved: true, modifications: { dryRun: true, batchSize: 7 }, reason: 'ok' };
    expect(answerWords({ status: 'resolved', payload: small })).toBe(
      'Approved as a trial run: Batch size: 7 · Reason: ok',
    );
    expect(recordWords({ status: 'resolved', payload: small, you: true }, {}, '14:02')).toBe(
      'You approved as a trial run: Batch size: 7 · Reason: ok · 14:02',
    );
    const changed = { approved: true, editedArgs: { to: 'b' }, reason: 'paid' };
    expect(recordWords({ status: 'resolved', payload: changed, you: true }, { to: 'a' })).toBe(
      'You approved with 1 change · Reason: paid',
    );
    expect(answerWords({ status: 'resolved', payload: changed })).toBe('Approved with changes: Reason: paid');
    const secret = { approved: true, code: { $secret: 'id' }, confirmation: 'DELETE' };
    expect(answerWords({ status: 'resolved', payload: secret })).toBe('Approved: Code: ••••••');
    const edited = { approved: true, editedArgs: { dry_run: true } };
    expect(recordWords({ status: 'resolved', payload: edited, you: true }, { dry_run: false })).toBe(
      'You approved with 1 change as a trial run',
    );
    const approval = { status: 'resolved', payload: { approved: true } } as const;
    expect(answerWords(approval, { isTrial: true })).toBe('Approved as a trial run');
    const rejection = { status: 'resolved', payload: { approved: false, dryRun: true } } as const;
    expect(answerWords(rejection, { isTrial: true })).toBe('Rejected');
  });

  it('takes an argument for a trial run only if the schema of the arguments declares it', () => {
    const calling = (properties: object | undefined) =>
      cardFacts({
        id: 'a',
        reason: 'tool_call',
        responseSchema: {
          type: 'object',
          properties: {
            approved: { type: 'boolean' },
            ...(properties && { editedArgs: { type: 'object', properties } }),
          },
        },
        metadata: { functionName: 'wipe', functionArguments: { dryRun: true } },
      }).isTrial;
    expect(calling({ dryRun: { type: 'boolean' } })).toBe(true);
    expect([calling({ table: { type: 'string' } }), calling(undefined)]).toEqual([false, false]);
  });

  it('names the person first in a record, and counts the changes', () => {
    const payload = { approved: true, editedArgs: { to: 'b', n: 2 } };
    const given = { status: 'resolved', payload, by: 'Ana' } as const;
    expect(recordWords(given, { to: 'a', n: 1 })).toBe('Ana approved with 2 changes');
    expect(recordWords({ ...given, you: true }, { to: 'a', n: 2 })).toBe('You approved with 1 change');
    expect(recordWords({ status: 'cancelled', by: 'anonymous' }, {})).toBe('Cancelled');
    expect(recordWords({ status: 'resolved', via: 'expiry', by: 'host' }, {})).toBe(
      'Expired without an answer',
    );
  });

  it('shows yes and no in an element, because a box without elements is hidden', () => {
    expect(showValue(true).strings.join('')).toMatch(/^<span/);
  });

  it('says in a record that an approval allows further calls', () => {
    const payload = { approved: true, remember: { what: 'tool', where: 'thread' } };
    const given = { status: 'resolved', payload, you: true } as const;
    expect(recordWords(given, {}, '14:02')).toBe(
      'You approved · 14:02 · also allowed: this tool in this conversation',
    );
    const limited = { ...payload, remember: { ...payload.remember, maxUses: 2 } };
    expect(recordWords({ ...given, payload: limited }, {}, '14:02')).toBe(
      'You approved · 14:02 · also allowed: this tool in this conversation, at most 2 uses',
    );
  });

  it('names the file of an answer, without its id', () => {
    const payload = { id: '01a1', name: 'contract.pdf', type: 'application/pdf', size: 9 };
    const responseSchema = { type: 'object', properties: { id: { type: 'string' } } };
    expect(answerWords({ status: 'resolved', payload }, { responseSchema })).toBe('Answered: contract.pdf');
    const other = { status: 'resolved', payload: { fileId: '01a1', name: 'contract.pdf' } } as const;
    expect(answerWordsAbout('Please upload the contract.', other, { responseSchema })).toBe(
      'Answered: Please upload the contract · contract.pdf',
    );
  });

  it('says that an expired request was asked again, and names no person', () => {
    const expiry = { status: 'cancelled', via: 'expiry', by: 'holdpoint', at: '2026-01-31T12:00:00Z' };
    const given = givenAnswerOf({ status: 'cancelled', supersededBy: 'q2', answer: expiry }) ?? {};
    expect(decisionOf(given)).toBe('expired');
    expect(answerWords(given)).toBe('Expired, asked again');
    expect(answeredWords(given, given.at ?? 0)).toBe('Expired just now, asked again');
    expect(recordWords(given, {}, '14:02')).toBe('Expired without an answer · 14:02, asked again');
    expect(answerWords(givenAnswerOf({ answer: expiry }) ?? {})).toBe('Expired');
  });

  it('names how a person continues after a failed call, which is no approval and no rejection', () => {
    const responseSchema = { type: 'object', properties: { action: { enum: ['retry', 'abort'] } } };
    const words = (action: string) =>
      answerWords({ status: 'resolved', payload: { action } }, { responseSchema });
    expect(['retry', 'abort'].map(words)).toEqual(['Answered “Do it again”', 'Answered “Stop”']);
    expect(decisionOf({ status: 'resolved', payload: { verdict: 'abort' } })).toBe('rejected');
  });

  it('gives a sentence for each error code and hides other error messages', () => {
    expect(errorSentence(new HoldpointError('INTERRUPT_CONFLICT', 'x'))).toContain('Another answer');
    const invalid = (pointer: string, message: string) =>
      errorSentence(new HoldpointError('ANSWER_INVALID', 'x', { issues: [{ pointer, message }] }));
    const form = 'The answer does not have the requested form';
    expect(invalid('/editedArgs/homeAddress/city', 'No such city.')).toBe(
      `${form}: Home address › City: No such city.`,
    );
    expect(invalid('', 'expected text')).toBe(`${form}: expected text.`);
    expect(errorSentence(new Error('secret'))).not.toContain('secret');
    const lost = new HoldpointError('RUN_LOST', 'x');
    expect(errorSentence(lost)).toBe('The server could not be reached. Try again.');
    expect(errorSentence(lost, { hasInput: true })).toContain('What you entered is kept');
    const unknown = new HoldpointError('INTERRUPT_UNKNOWN', 'x');
    expect(errorSentence(unknown)).toContain('you may not see it');
    expect(errorSentence(unknown, { isAnswer: true })).toContain('Reload the page');
  });

  it('lists the changed values member by member', () => {
    const before = { to: 'a', more: { n: 1, list: [1] } };
    expect(changesBetween(before, { to: 'b', more: { n: 1, list: [1, 2] }, extra: true })).toEqual([
      { pointer: '/to', before: 'a', after: 'b' },
      { pointer: '/more/list', before: [1], after: [1, 2] },
      { pointer: '/extra', before: undefined, after: true },
    ]);
    expect(changesBetween(before, structuredClone(before))).toEqual([]);
  });
});

describe('the limits of a remembered decision', () => {
  it('refuses a total that would be sent as another number', () => {
    const problem = (maxTotal: string) => limitProblem({ draft: { remember: 'tool-thread', maxTotal } });
    expect(problem('9007199254740993')).toEqual({
      name: 'maxTotal',
      text: expect.stringContaining('9007199254740992'),
    });
    expect(problem('100.50')).toBe(undefined);
  });
});

describe('registerCard', () => {
  it('chooses the body of the tool, then of the reason, then the default', () => {
    const body = (name: string): CardBody => Object.assign(() => html`${name}`, { title: name });
    const [ofTool, ofReason] = [body('tool'), body('reason')];
    const usual = cardBodyFor('test:sign_off', 'signOff');
    registerCard('test:sign_off', ofReason);
    expect(cardBodyFor('test:sign_off', 'signOff')).toBe(ofReason);
    registerCard({ tool: 'signOff' }, ofTool);
    expect(cardBodyFor('test:sign_off', 'signOff')).toBe(ofTool);
    expect(cardBodyFor('test:sign_off', undefined)).toBe(ofReason);
    expect(cardBodyFor('test:other', 'other')).toBe(usual);
  });
});

describe('waitingWords', () => {
  const verdict = {
    type: 'object',
    properties: { status: { enum: ['APPROVED', 'REJECTED'] } },
    required: ['status'],
  };
  const approval = { id: 'a', reason: 'human_approval' };
  const confirmation = { id: 'c', reason: 'confirmation', responseSchema: verdict };
  const question = { id: 'q', reason: 'input_required', responseSchema: { enum: ['red', 'green'] } };
  const upload = { id: 'u', reason: 'upload_required' };

  it.each([
    [[approval], '1 request is waiting for you.', '1 Anfrage wartet auf Sie.'],
    [[approval, confirmation], '2 requests are waiting for you.', '2 Anfragen warten auf Sie.'],
    [[question], '1 question is waiting for you.', '1 Frage wartet auf Sie.'],
    [[question, upload], '2 questions are waiting for you.', '2 Fragen warten auf Sie.'],
    [
      [approval, question],
      '1 request and 1 question are waiting for you.',
      '1 Anfrage und 1 Frage warten auf Sie.',
    ],
  ])('names what %o asks for, in English and German', (interrupts, english, other) => {
    const words = () => waitingWords(interrupts.length, interrupts.filter(isQuestion).length);
    expect(words()).toBe(english);
    setStrings(german, 'de');
    expect(words()).toBe(other);
    setStrings({});
  });
});
