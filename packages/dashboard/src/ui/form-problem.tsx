import { type ReactNode, useEffect, useRef } from 'react';
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
  const words = wordsFor(error);
  return (
    <Alert key={words} title="This did not work">
      {words}
    </Alert>
  );
}

interface AlertProps {
  readonly title: string;
  readonly children: ReactNode;
}

/**
 * A refusal, which is scrolled to and has the focus once it appears, and which screen readers announce. The pages
 * before the app show it, so it does without Mantine.
 */
export function Alert({ title, children }: AlertProps) {
  const alert = useRef<HTMLDivElement>(null);
  useEffect(() => alert.current?.focus(), []);
  return (
    <div ref={alert} role="alert" tabIndex={-1} className={classes['alert']}>
      <strong>{title}</strong>
      <div>{children}</div>
    </div>
  );
}

/** Tells a person what happened and what to do. */
export function wordsFor(error: unknown): string {
  if (!(error instanceof Error)) return 'Something went wrong. Try again.';
  if (error instanceof ProblemError && error.problem.status >= 500 && error.problem.request_id) {
    return `${error.message} If it happens again, report the request ${error.problem.request_id}.`;
  }
  return error.message;
}
