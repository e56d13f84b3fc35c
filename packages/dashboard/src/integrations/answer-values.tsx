import type { Client } from '../api/types.js';
import { CopyButton } from '../ui/copy-button.js';
import type { ProviderAnswer } from './callback.js';
import classes from './callback-page.module.css';

export interface AnswerValuesProps {
  readonly answer: ProviderAnswer;
  /** The client whose redirect URI received the answer; given when the reader has to connect with it. */
  readonly client?: Client;
}

/** The provider's answer as text, under the names that connect takes. */
export function AnswerValues({ answer, client }: AnswerValuesProps) {
  const values =
    answer.kind === 'code'
      ? {
          auth_code: answer.code,
          state: answer.state,
          iss: answer.iss,
          identity_provider: client?.identityProvider,
        }
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
