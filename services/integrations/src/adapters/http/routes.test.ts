import { expect, it } from '@jest/globals';
import type { Gates, Reading } from '@junction/service';
import { type EventStreams, routesOf } from '@junction/service/http';
import type { Application } from '../../application/application.js';
import { routes } from './routes.js';

const gates = { forUsers: [], forServices: () => [] } as unknown as Gates;

it.each([
  [false, ['/internal']],
  [true, ['', '/internal']],
])('workers ask for tokens through the gateway too: %s', (tokensThroughGateway, places) => {
  const groups = routes({} as Application, {} as EventStreams, {} as Reading, {
    tokensThroughGateway,
  })(gates);
  const ofWorkers = groups.filter(({ router }) =>
    routesOf(router).some(({ path }) => path === '/api/integrations/tokens'),
  );
  expect(ofWorkers.map(({ prefix = '' }) => prefix)).toEqual(places);
});
