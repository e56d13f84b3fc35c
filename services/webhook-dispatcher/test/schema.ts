/** The schema of this service. Its migrations are loaded by the one test file of a run that applies them. */
export const dispatcherSchema = {
  template: 'webhook-dispatcher',
  migrate: async (url: string): Promise<void> => {
    const { migrate } = await import('@junction/eventsourcing/postgres');
    const { migrations } = await import('../migrations/index.js');
    await migrate(url, migrations);
  },
};
