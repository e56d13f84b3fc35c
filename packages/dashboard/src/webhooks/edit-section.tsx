import { useState } from 'react';
import { isConflict } from '../api/problem.js';
import type { Schemas } from '../api/types.js';
import type { VersionedWebhook } from '../model/webhook-queries.js';
import { Disclosure } from '../ui/disclosure.js';
import { Quiet } from '../ui/text.js';
import { changedElsewhere } from './form/conflict.js';
import { ConflictNotice } from './form/conflict-notice.js';
import { PARTS, type Part } from './form/parts.js';
import { WebhookForm } from './form/webhook-form.js';
import { WebhookSecretDialog } from './secret-dialog.js';
import { useEdit } from './use-edit.js';

export interface EditSectionProps {
  readonly title: string;
  readonly parts: readonly Part[];
  readonly webhook: VersionedWebhook;
  readonly catalogue: readonly Schemas['EventType'][];
}

/** Settings that belong together, which are saved without the others. */
export function EditSection({ title, parts, webhook: current, catalogue }: EditSectionProps) {
  const names = parts.flatMap((part) => [...PARTS[part].names]);
  const { opened, conflict, takeSaved, mutate, isPending, error, saved } = useEdit(current, names);
  const [seen, setSeen] = useState<string>();
  const { webhook, values, takes } = opened;
  const generated = saved?.generated === seen ? undefined : saved?.generated;
  return (
    <Disclosure summary={title}>
      <WebhookForm
        key={takes}
        catalogue={catalogue}
        initial={values}
        hasSecret={webhook.has_secret}
        events={current.events}
        parts={parts}
        action={conflict ? 'Save my version' : 'Save'}
        pending={isPending}
        error={isConflict(error) ? undefined : error}
        notice={
          conflict ? (
            <ConflictNotice
              changes={changedElsewhere(webhook, conflict.saved, conflict.mine)}
              onTakeSaved={takeSaved}
            />
          ) : (
            <Quiet role="status">{saved && 'Your changes are saved, and in effect.'}</Quiet>
          )
        }
        onSubmit={mutate}
      />
      <WebhookSecretDialog secret={generated} onDone={() => setSeen(saved?.generated)} />
    </Disclosure>
  );
}
