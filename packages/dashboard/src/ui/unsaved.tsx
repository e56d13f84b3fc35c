import { Button, Group, Stack, Text } from '@mantine/core';
import { useBlocker } from '@tanstack/react-router';
import { Dialog } from './dialog.js';

/**
 * Asks before a form that was changed is left, by a link, by Back, or by closing the tab. Whoever leaves because the
 * form is saved navigates with `ignoreBlocker`.
 */
export function Unsaved({ isDirty }: { readonly isDirty: boolean }) {
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: ({ current, next }) =>
      isDirty && (current.pathname !== next.pathname || tabOf(current) !== tabOf(next)),
    // A page that is hidden because its session has ended leaves at once.
    enableBeforeUnload: () => isDirty && !document.body.hidden,
    withResolver: true,
  });
  return <LeaveQuestion opened={status === 'blocked'} onStay={reset} onLeave={proceed} />;
}

/** Tab of a page, which is left like a page. */
const tabOf = ({ search }: { readonly search: object }): unknown =>
  'tab' in search ? search.tab : undefined;

export interface LeaveQuestionProps {
  readonly opened: boolean;
  readonly onStay: (() => void) | undefined;
  readonly onLeave: (() => void) | undefined;
}

export const LeaveQuestion = ({ opened, onStay, onLeave }: LeaveQuestionProps) => (
  <Dialog title="Leave without saving?" opened={opened} onClose={() => onStay?.()}>
    <Stack>
      <Text size="sm">What you changed here is not saved yet.</Text>
      <Group justify="flex-end">
        <Button variant="default" onClick={() => onLeave?.()}>
          Leave without saving
        </Button>
        <Button data-autofocus onClick={() => onStay?.()}>
          Stay
        </Button>
      </Group>
    </Stack>
  </Dialog>
);
