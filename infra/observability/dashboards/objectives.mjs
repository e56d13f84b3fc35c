import { graph } from './queries.mjs';

const LEGEND = '{{objective}} {{service}}';

export const objectives = {
  title: 'Junction: objectives',
  rows: {
    'Error budgets of thirty days': [
      graph('Budget that is left', 'percentunit', ['1 - junction:objective_burn:ratio30d', LEGEND]),
      graph('Speed of the last hour (14.4 pages)', 'short', [
        'junction:objective_burn:ratio1h',
        LEGEND,
      ]),
      graph('Speed of three days (1 is a ticket)', 'short', [
        'junction:objective_burn:ratio3d',
        LEGEND,
      ]),
    ],
    'Events and misses': [
      graph('Events', 'cps', ['junction:objective_events:rate5m', LEGEND]),
      graph('Misses', 'cps', ['junction:objective_misses:rate5m', LEGEND]),
    ],
  },
};
