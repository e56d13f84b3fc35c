import { describe, expect, it } from '@jest/globals';
import { webhookSearch } from './tabs.js';

describe('the address of a webhook’s page', () => {
  it('leads to the overview, or to the tab that it names', () => {
    expect(webhookSearch({})).toEqual({});
    expect(webhookSearch({ tab: 'settings' })).toEqual({ tab: 'settings' });
    expect(webhookSearch({ tab: 'toString' })).toEqual({});
  });

  it('leads to the deliveries with a filter alone', () => {
    expect(webhookSearch({ status: 'held' })).toEqual({ tab: 'deliveries', status: 'held' });
  });
});
