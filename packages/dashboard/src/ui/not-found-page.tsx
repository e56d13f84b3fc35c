import { IconMapOff } from './icons.js';
import { LinkButton } from './links.js';
import { MessagePage } from './message-page.js';
import { useTitle } from './use-title.js';

export function NotFoundPage() {
  useTitle('Not found');
  return (
    <MessagePage
      title="There is nothing here"
      icon={<IconMapOff size={40} stroke={1.4} aria-hidden />}
      action={<LinkButton to="/">Go to the start page</LinkButton>}
    >
      The address may be mistyped, or what was here was deleted.
    </MessagePage>
  );
}
