import { Button } from '@mantine/core';
import { type ErrorComponentProps, useRouter } from '@tanstack/react-router';
import { wordsFor } from './form-problem.js';
import { IconAlertTriangle } from './icons.js';
import { MessagePage } from './message-page.js';
import { useTitle } from './use-title.js';

export function ErrorPage({ error, reset }: ErrorComponentProps) {
  useTitle('Something went wrong');
  const router = useRouter();

  const again = async () => {
    reset();
    await router.invalidate();
  };
  return (
    <MessagePage
      title="Something went wrong"
      icon={<IconAlertTriangle size={40} stroke={1.4} aria-hidden />}
      action={<Button onClick={() => void again()}>Try again</Button>}
    >
      {wordsFor(error)}
    </MessagePage>
  );
}
