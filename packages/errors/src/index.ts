export { AppError, type AppErrorOptions, type ErrorKind, type FieldError } from './app-error.js';
export { isOutage } from './is-outage.js';
