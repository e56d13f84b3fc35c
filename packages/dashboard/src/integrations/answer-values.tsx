import { CopyButton } from '../ui/copy-button.js';
import type { ProviderAnswer } from './callback.js';
import classes from './callback-page.module.css';

/** What the provider sent, as text and under the names that connect takes. */
export function AnswerValues({ answer }: { readonly answer: ProviderAnswer }) {
  const values =
    answer.kind === 'code'
      ? { auth_code: answer.code, state: answer.state, iss: answer.iss }
      : { error: answer.error, error_description: answer.description };
  return (
    <dl className={classes['values']}>
      {Object.entries(values).map(
        ([name, value]) =>
          value !== undefined && (
            <div key={name}>
              <dt>{name}</dt>
              <dd>
                <code>{value}</code>
                <CopyButton text={value} label={`Copy ${name}`} />
              </dd>
            </div>
          ),
      )}
    </dl>
  );
}
