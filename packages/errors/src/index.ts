export { AppError, type AppErrorOptions, type FieldError } from './app-error.js';
export { isOutage } from './is-outage.js';
export { type ProblemCode, problemAreas, problems } from './problems/index.js';
export type { ErrorKind, ProblemType } from './problems/problem-type.js';
export { tlsInWords } from './tls-words.js';
