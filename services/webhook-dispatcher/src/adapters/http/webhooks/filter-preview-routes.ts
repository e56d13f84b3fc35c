import type { EventCatalogue } from '@junction/contracts';
import { callerOf, mount } from '@junction/service/http';
import { Router } from 'express';
import type { Application } from '../../../application/application.js';
import type { TriedEvent } from '../../../application/webhooks/preview-filter.js';
import * as answers from '../answers.js';
import { pageView } from '../views.js';
import { filterPreviewBody } from './webhook-schemas.js';

/** Makes the route that tries a filter with what came, before it is saved. */
export function filterPreviewRoutes(app: Application, catalogue: EventCatalogue): Router {
  const router = Router();
  mount(
    router,
    {
      id: 'previewFilter',
      method: 'post',
      path: '/api/webhooks/filter-preview',
      summary: 'Try a filter with the latest events',
      about:
        'With the latest 20 that were sent to a webhook of the caller, and the examples of the kinds that are not among them. Without `events` with every kind. Nothing is changed.',
      cost: 40,
      body: filterPreviewBody(catalogue),
      example: { filter: { path: 'categorized.important', gt: 0 }, events: ['inbox.organized'] },
      answer: answers.triedEvents,
    },
    async ({ res, body, signal }) => {
      const items = await app.reading(signal).previewFilter(callerOf(res).userId, body());
      return pageView({ items }, triedEventView);
    },
  );

  return router;
}

const triedEventView = ({ kind, came, passes }: TriedEvent) => ({
  message_id: came?.messageId ?? null,
  event_type: kind,
  received_at: came?.at ?? null,
  passes,
});
