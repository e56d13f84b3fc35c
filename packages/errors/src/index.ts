export { AppError, type AppErrorOptions, type ErrorKind, type FieldError } from './app-error.js';
