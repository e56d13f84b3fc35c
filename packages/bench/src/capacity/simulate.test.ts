import { describe, expect, it } from '@jest/globals';
import { type Demands, simulate } from './simulate.js';

const demands = (some: Partial<Demands>): Demands => ({
  sending: 1e-4,
  helping: 0,
  postgres: 0,
  kafka: 0,
  receiving: 0,
  ...some,
});

describe('the simulation of replicas on one machine', () => {
  it.each<[string, Partial<Demands>, number, number, number]>([
    ['one thread sends as fast as it can', {}, 1, 2, 10_000],
    ['two replicas send twice as much where there are cores for both', {}, 2, 2, 20_000],
    ['four replicas share two cores', {}, 4, 2, 20_000],
    ['what all take of the cores is the bound', { postgres: 5e-5, kafka: 5e-5 }, 4, 2, 10_000],
    ['cores to spare are of no use to one replica', { postgres: 5e-5 }, 1, 16, 10_000],
    ['endpoints on one thread are a bound too', { receiving: 2e-4 }, 4, 16, 5_000],
    ['a replica writes through one connection', { postgres: 4e-4 }, 2, 16, 5_000],
    ['nothing is sent while garbage is collected', { helping: 1e-4 }, 1, 16, 5_000],
  ])('%s', (_, some, replicas, cores, perS) => {
    const simulated = simulate(demands(some), { cores, replicas, crowding: 0 });
    expect(simulated / perS).toBeGreaterThan(0.97);
    expect(simulated / perS).toBeLessThan(1.03);
  });

  it('makes deliveries dearer by each replica beyond the cores', () => {
    const simulated = simulate(demands({}), { cores: 2, replicas: 4, crowding: 0.5 });
    expect(simulated / 10_000).toBeGreaterThan(0.97);
    expect(simulated / 10_000).toBeLessThan(1.03);
  });
});
