import { Alert } from '@mantine/core';
import { IconCloudOff } from './icons.js';
import { useOutage } from './outage.js';

const WORDS = {
  offline: {
    title: 'You are offline',
    text: 'What you see may be out of date. It updates when you are back online.',
  },
  unavailable: {
    title: 'Part of Junction is not answering',
    text: 'We keep trying, and this page recovers by itself. Nothing you set up is lost.',
  },
};

export function OutageBanner() {
  const outage = useOutage();
  return (
    <div role="status">
      {outage && (
        <Alert color="orange" radius={0} icon={<IconCloudOff />} title={WORDS[outage].title}>
          {WORDS[outage].text}
        </Alert>
      )}
    </div>
  );
}
