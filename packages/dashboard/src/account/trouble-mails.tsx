import { Switch } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '../api/client.js';
import type { User } from '../api/types.js';
import { sessionQuery } from '../session/session.js';
import { FormProblem } from '../ui/form-problem.js';

/** Turns the mails about webhooks and connections on and off. */
export function TroubleMails({ user }: { readonly user: User }) {
  const queries = useQueryClient();
  const choosing = useMutation({
    mutationFn: (wanted: boolean) =>
      call('patch', '/api/auth/me', { body: { trouble_mails: wanted } }),
    onSuccess: (answer) => queries.setQueryData(sessionQuery.queryKey, answer.user),
  });
  return (
    <>
      <FormProblem error={choosing.error} fields={[]} />
      <Switch
        label="E-mail me when a webhook or a connected account needs me"
        description="When it happens, then once a day while it lasts, for a week. Only to a verified address."
        checked={choosing.isPending ? choosing.variables : user.trouble_mails}
        disabled={choosing.isPending}
        onChange={({ currentTarget }) => choosing.mutate(currentTarget.checked)}
      />
    </>
  );
}
