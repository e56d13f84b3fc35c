import { Alert } from '@mantine/core';
import { IconCloudOff } from './icons.js';
import { useOutage } from './outage.js';
import classes from './outage-banner.module.css';

const WORDS = {
  offline: {
    title: 'You are offline',
    text: 'Nothing can be saved now, and the page may be out of date. What you typed stays, and the page goes on when you are back online.',
  },
  unavailable: {
    title: 'Part of Junction is not answering',
    text: 'We keep trying, and this page recovers by itself. Nothing you set up is lost, and what you typed stays.',
  },
  slow: {
    title: 'This takes longer than usual',
    text: 'The connection or Junction is slow. We are still waiting for an answer, and what you typed stays.',
  },
};

/** Stays in sight at the lower edge, so that neither the page nor its frame is moved by it. */
export function OutageBanner() {
  const outage = useOutage();
  return (
    <div role="status" className={classes['banner']}>
      {outage && (
        <Alert color="orange" icon={<IconCloudOff />} title={WORDS[outage].title}>
          {WORDS[outage].text}
        </Alert>
      )}
    </div>
  );
}
