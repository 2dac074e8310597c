/** dialects: the ways in which A2A agents ask for input, each a reader of the question and a writer of the answer. */
export type { AskedRequest, RequestAnswer, RequestDialect } from './request-dialect.ts';
export { dialectCalled, readRequests } from './read-requests.ts';
