import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { call } from '../api/client.js';
import { FormProblem } from '../ui/form-problem.js';
import { saveText } from '../ui/save-file.js';
import { Section } from './section.js';

const FILE = 'junction-account.json';

export function ExportSection() {
  const { mutate, isPending, error } = useMutation({
    gcTime: 0,
    mutationFn: async () => save(await call('get', '/api/auth/export')),
  });
  return (
    <Section
      title="Your data"
      hint="Your account, its sessions, the names of its API keys and its history. Secrets are not included."
      action={
        <Button variant="default" loading={isPending} onClick={() => mutate()}>
          Export as JSON
        </Button>
      }
    >
      <FormProblem error={error} fields={[]} />
    </Section>
  );
}

/** Through a call, so that an access token that ran out is renewed as for any other. */
const save = (content: object): void =>
  saveText(FILE, 'application/json', JSON.stringify(content, null, 2));
