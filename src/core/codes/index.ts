/** codes: the HTTP status of each error code. A separate entry, which a page loads with its first error. */
export { HTTP_STATUS, httpStatusOf } from '../error-codes.ts';
