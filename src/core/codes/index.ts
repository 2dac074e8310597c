/** codes: what each code of an error means in HTTP; a door of its own for a page that has met an error. */
export { HTTP_STATUS, httpStatusOf } from '../error-codes.ts';
