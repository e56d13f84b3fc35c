/** The tabs of this browser share one session, so they tell each other when it begins and ends. */
const channel = new BroadcastChannel('junction.session');

/** Tells all other tabs whose session this browser has; null: none any more. */
export const tellTabs = (userId: string | null): void => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- A channel reaches its own origin alone.
  channel.postMessage(userId);
};

export const hearTabs = (heard: (userId: string | null) => void): void =>
  channel.addEventListener('message', ({ data }: MessageEvent<string | null>) => heard(data));
