const OBJECT = { type: 'object' } as const;
const APPROVAL_SCHEMA = {
  ...OBJECT,
  properties: { approved: { type: 'boolean' }, reason: { type: 'string' } },
  required: ['approved'],
};
const EMAIL = { functionName: 'sendEmail', functionArguments: { to: 'a@b.com', copies: 1 } };
const EDITED = {
  ...OBJECT,
  properties: { to: { type: 'string', format: 'email' }, copies: { type: 'integer', minimum: 1 } },
  required: ['to', 'copies'],
};

/** An interrupt, and the controls that its card has: buttons by their words, inputs by their type. */
export interface CardKind {
  readonly interrupt: Readonly<Record<string, unknown>> & { readonly reason: string };
  readonly controls: readonly string[];
}

const DECIDE = ['Approve', 'Reject', 'Cancel request'] as const;
const SEND = ['Send answer', 'Cancel question'] as const;

/** An interrupt of every kind, with and without a response schema. */
export const CARD_KINDS: Readonly<Record<string, CardKind>> = {
  'a tool call': {
    interrupt: {
      reason: 'tool_call',
      message: 'Shall this e-mail go out?',
      responseSchema: APPROVAL_SCHEMA,
      metadata: EMAIL,
    },
    controls: DECIDE,
  },
  'a tool call that can be edited': {
    interrupt: {
      reason: 'tool_call',
      responseSchema: {
        ...APPROVAL_SCHEMA,
        properties: { ...APPROVAL_SCHEMA.properties, editedArgs: EDITED },
      },
      metadata: EMAIL,
    },
    controls: ['Approve', 'Reject', 'Edit', 'Cancel request'],
  },
  'a tool call without a schema': {
    interrupt: { reason: 'tool_call', metadata: EMAIL },
    controls: DECIDE,
  },
  'a human approval without a schema': {
    interrupt: { reason: 'human_approval', message: 'Shall the contract be signed?' },
    controls: DECIDE,
  },
  'a confirmation': {
    interrupt: {
      reason: 'confirmation',
      message: 'Open the door?',
      responseSchema: {
        ...OBJECT,
        properties: { status: { enum: ['APPROVED', 'REJECTED'] } },
        required: ['status'],
      },
    },
    controls: DECIDE,
  },
  'a confirmation without a schema': {
    interrupt: { reason: 'confirmation', message: 'Open the door?' },
    controls: DECIDE,
  },
  'an input': {
    interrupt: {
      reason: 'input_required',
      message: 'Your e-mail address?',
      responseSchema: { type: 'string', format: 'email' },
    },
    controls: ['email', ...SEND],
  },
  'an input without a schema': {
    interrupt: { reason: 'input_required', message: 'What is your name?' },
    controls: ['text', ...SEND],
  },
  'a choice': {
    interrupt: {
      reason: 'input_required',
      message: 'Which colour?',
      responseSchema: { enum: ['red', 'green', 'blue'] },
    },
    controls: ['radio', 'radio', 'radio', ...SEND],
  },
  'an upload': {
    interrupt: {
      reason: 'upload_required',
      message: 'Upload the receipt.',
      responseSchema: { ...OBJECT, properties: { fileId: { type: 'string' } }, required: ['fileId'] },
      metadata: { accept: ['text/plain'], maxBytes: 1000 },
    },
    controls: ['file', ...SEND],
  },
  'an upload without a schema': {
    interrupt: { reason: 'upload_required', message: 'Upload the receipt.' },
    controls: ['file', ...SEND],
  },
  'a call that a policy holds': {
    interrupt: { reason: 'policy_hold', message: 'Held: more than $1,000.', metadata: EMAIL },
    controls: DECIDE,
  },
  'a change of a database': {
    interrupt: {
      reason: 'database_modification',
      message: 'Delete 42 users?',
      metadata: {
        destructive: true,
        payload: { query: 'DELETE FROM users', affectedRows: 42, riskLevel: 'high' },
      },
    },
    controls: ['textarea', ...DECIDE],
  },
  'a failed call': {
    interrupt: {
      reason: 'error_recovery',
      message: 'The service did not answer.',
      responseSchema: {
        ...OBJECT,
        properties: { action: { enum: ['retry', 'skip', 'abort'] } },
        required: ['action'],
      },
      metadata: { toolName: 'unreliable', toolInput: { what: 'vase' } },
    },
    controls: ['radio', 'radio', 'radio', 'Send decision', 'Cancel request'],
  },
  'a form of several pages': {
    interrupt: {
      reason: 'input_required',
      message: 'Plan your trip.',
      responseSchema: {
        ...OBJECT,
        properties: { from: { type: 'string' }, seats: { type: 'integer' } },
        required: ['from', 'seats'],
      },
      metadata: {
        pages: [
          { title: 'Where', properties: ['from'] },
          { title: 'How many', properties: ['seats'] },
        ],
      },
    },
    controls: ['text', 'Next', 'Cancel question'],
  },
  'an unknown reason': {
    interrupt: {
      reason: 'acme:sign_off',
      message: 'Sign the plan off?',
      responseSchema: { ...OBJECT, properties: { initials: { type: 'string' } }, required: ['initials'] },
      metadata: { department: 'Safety' },
    },
    controls: ['text', ...SEND],
  },
  'an unknown reason without a schema and a message': {
    interrupt: { reason: 'acme:sign_off', metadata: { payload: { plan: 'Bridge 7' } } },
    controls: ['textarea', ...SEND],
  },
};
