import { NativeSelect } from '@mantine/core';
import { useState } from 'react';
import goReceiver from '../../../../docs/webhooks/verify/receive.go?raw';
// oxlint-disable-next-line import/default -- It comes as text.
import nodeReceiver from '../../../../docs/webhooks/verify/receive.mjs?raw';
import phpReceiver from '../../../../docs/webhooks/verify/receive.php?raw';
import pythonReceiver from '../../../../docs/webhooks/verify/receive.py?raw';
import rubyReceiver from '../../../../docs/webhooks/verify/receive.rb?raw';
import shellReceiver from '../../../../docs/webhooks/verify/receive.sh?raw';
import { CodeBlock } from '../ui/code-block.js';
import { CopyButton } from '../ui/copy-button.js';

/** The files that a test runs, each with nothing but its language. */
const RECEIVERS = {
  'Node.js': nodeReceiver,
  Python: pythonReceiver,
  Go: goReceiver,
  PHP: phpReceiver,
  Ruby: rubyReceiver,
  'sh, openssl': shellReceiver,
} as const;

type Language = keyof typeof RECEIVERS;

export interface ReceiversProps {
  /** The secret to start the receiver with; undefined: the reader has it. */
  readonly secret?: string | undefined;
}

/** The place of the secret in the line that starts a receiver. */
const SECRET = 'WEBHOOK_SECRET=…';

/** A receiver in the language that is chosen. */
export function Receivers({ secret }: ReceiversProps) {
  const [language, setLanguage] = useState<Language>('Node.js');
  const given = secret === undefined ? SECRET : `WEBHOOK_SECRET='${secret}'`;
  const code = RECEIVERS[language].replace(SECRET, given);
  return (
    <>
      <NativeSelect
        label="Language"
        data={Object.keys(RECEIVERS)}
        value={language}
        onChange={(event) => setLanguage(event.currentTarget.value as Language)}
      />
      <CodeBlock label={`Receiver in ${language}`}>{code}</CodeBlock>
      <div>
        <CopyButton wide text={code} label="Copy example" />
      </div>
    </>
  );
}
