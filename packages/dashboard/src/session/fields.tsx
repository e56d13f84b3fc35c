// Fields and buttons of the pages that are seen before the app is loaded. Those of Mantine would weigh as much as all
// the rest of such a page; these look like them.
import { type ComponentProps, type ReactNode, useId, useState } from 'react';
import classes from './fields.module.css';

export interface FieldProps extends ComponentProps<'input'> {
  readonly label: string;
  readonly description?: string | undefined;
  /** The reason why the value was refused. */
  readonly wrong?: string | undefined;
  /** Stands at the end of the line. */
  readonly end?: ReactNode;
}

export function Field({ label, description, wrong, end, ...input }: FieldProps) {
  const id = useId();
  return (
    <div className={classes['field']}>
      <label htmlFor={id}>
        {label}
        <span aria-hidden> *</span>
      </label>
      {description && <p id={`${id}-hint`}>{description}</p>}
      <div className={classes['line']}>
        <input
          id={id}
          required
          aria-invalid={wrong ? true : undefined}
          aria-describedby={`${id}-hint ${id}-wrong`}
          {...input}
        />
        {end}
      </div>
      <p id={`${id}-wrong`} className={classes['wrong']}>
        {wrong}
      </p>
    </div>
  );
}

/** A password, which can be made visible. */
export function PasswordLine(props: Partial<FieldProps>) {
  const [isShown, setShown] = useState(false);
  return (
    <Field
      label="Password"
      name="password"
      type={isShown ? 'text' : 'password'}
      end={
        <button type="button" onClick={() => setShown(!isShown)}>
          {isShown ? 'Hide' : 'Show'}
        </button>
      }
      {...props}
    />
  );
}

export interface ActionProps extends ComponentProps<'button'> {
  /** `filled`: the main action of its form. */
  readonly look?: 'filled' | 'outlined' | 'plain';
  readonly isPending?: boolean;
}

export const Action = ({ look = 'filled', isPending = false, ...button }: ActionProps) => (
  <button
    type="button"
    disabled={isPending}
    aria-busy={isPending}
    className={`${classes['action']} ${classes[look]}`}
    {...button}
  />
);

/** A link that looks like an outlined button. */
export const ActionLink = (props: ComponentProps<'a'>) => (
  <a className={`${classes['action']} ${classes['outlined']}`} {...props} />
);

/** Text that was typed into the field of this name. */
export function textOf(form: HTMLFormElement, name: string): string {
  const typed = new FormData(form).get(name);
  return typeof typed === 'string' ? typed : '';
}

export const Lines = ({ children }: { readonly children: ReactNode }) => (
  <div className={classes['lines']}>{children}</div>
);
