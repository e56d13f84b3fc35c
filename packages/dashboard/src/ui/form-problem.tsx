import type { ReactNode } from 'react';
import { fieldErrors, ProblemError } from '../api/problem.js';
import classes from './form-problem.module.css';

export interface FormProblemProps {
  readonly error: unknown;
  /** Fields of the form: what is said at one of them is not said again here. */
  readonly fields: readonly string[];
}

/** The reason why a form was refused, unless its fields show it. */
export function FormProblem({ error, fields }: FormProblemProps) {
  if (!error) return null;
  const wrong = Object.keys(fieldErrors(error));
  if (wrong.length > 0 && wrong.every((field) => fields.includes(field))) return null;
  return <Alert title="This did not work">{wordsFor(error)}</Alert>;
}

interface AlertProps {
  readonly title: string;
  readonly children: ReactNode;
}

/** A refusal, which screen readers announce. The pages before the app show it, so it does without Mantine. */
export const Alert = ({ title, children }: AlertProps) => (
  <div role="alert" className={classes['alert']}>
    <strong>{title}</strong>
    <div>{children}</div>
  </div>
);

/** Tells a person what happened and what to do. */
export function wordsFor(error: unknown): string {
  if (!(error instanceof Error)) return 'Something went wrong. Try again.';
  if (error instanceof ProblemError && error.problem.status >= 500 && error.problem.request_id) {
    return `${error.message} If it happens again, report the request ${error.problem.request_id}.`;
  }
  return error.message;
}
