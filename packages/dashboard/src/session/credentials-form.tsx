import {
  type FormEvent,
  type ReactNode,
  useEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react';
import { fieldErrors } from '../api/problem.js';
import { slowWaits } from '../api/waits.js';
import { FormProblem } from '../ui/form-problem.js';
import { useTitle } from '../ui/use-title.js';
import { EntryPage } from './entry-page.js';
import { Action, Field, Lines, PasswordLine, textOf } from './fields.js';
import type { Credentials } from './sign-in.js';
import { useAction } from './use-action.js';

const FIELDS = ['email', 'password'] as const;

type Wrong = Partial<Record<(typeof FIELDS)[number], string>>;

export interface CredentialsFormProps {
  readonly title: string;
  readonly action: string;
  /** Kind of password that a password manager should offer (HTML, autocomplete). */
  readonly password: 'current-password' | 'new-password';
  readonly hint?: string;
  /** Link to the other form, for users who have come to the wrong one. */
  readonly other: ReactNode;
  /** Notice above the form. */
  readonly notice?: ReactNode;
  /** Returns better words for a refusal; undefined: the usual ones say it. */
  readonly explained?: (error: unknown) => ReactNode;
  /** Help for users who cannot fill in the form. */
  readonly help?: ReactNode;
  readonly submit: (credentials: Credentials) => Promise<void>;
}

export function CredentialsForm(props: CredentialsFormProps) {
  const { title, action, password, hint, other, notice, explained, help, submit } = props;
  useTitle(title);
  const form = useRef<HTMLFormElement>(null);
  const isSlow = useSyncExternalStore(slowWaits.subscribe, slowWaits.current);
  const { run, isPending, error } = useAction(submit);
  const [missing, setMissing] = useState<Wrong>({});
  const wrong: Wrong = Object.keys(missing).length > 0 ? missing : fieldErrors(error);
  const first = FIELDS.find((field) => field in wrong);
  useEffect(() => {
    if (first && !isPending) form.current?.querySelector<HTMLElement>(`[name=${first}]`)?.focus();
  }, [first, isPending]);

  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const { currentTarget } = event;
    const [email = '', password = ''] = FIELDS.map((name) => textOf(currentTarget, name));
    const missing = missingIn({ email, password });
    setMissing(missing);
    if (Object.keys(missing).length === 0) void run({ email, password });
  };

  return (
    <EntryPage footer={other} hasPicture>
      <form ref={form} noValidate onSubmit={send} onInput={() => setMissing({})}>
        <Lines>
          <h1>{title}</h1>
          {error ? (explained?.(error) ?? <FormProblem error={error} fields={FIELDS} />) : notice}
          <Field
            label="E-mail"
            name="email"
            type="email"
            autoComplete="username"
            autoFocus
            wrong={wrong.email}
          />
          <PasswordLine autoComplete={password} description={hint} wrong={wrong.password} />
          <Action type="submit" isPending={isPending}>
            {action}
          </Action>
          <p role="status">{isSlow && SLOW}</p>
          {help}
        </Lines>
      </form>
    </EntryPage>
  );
}

const SLOW = 'This takes longer than usual. We are still waiting for an answer.';

const missingIn = ({ email, password }: Credentials): Wrong => ({
  ...(!/^\S+@\S+$/.test(email) && {
    email: 'Enter an e-mail address, such as you@example.com.',
  }),
  ...(password === '' && { password: 'Enter your password.' }),
});
