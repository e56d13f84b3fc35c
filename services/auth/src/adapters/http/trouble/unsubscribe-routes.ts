import { mount } from '@junction/service/http';
import { Router } from 'express';
import type { Application } from '../../../application/application.js';
import { mailed } from '../credentials-schema.js';

/**
 * Open to everybody: the token of a mail is the proof itself, and all that it does is to stop such mails. Mail programs
 * send forms of several types whose content says nothing (RFC 8058, section 3.2), so no body is read.
 */
export function unsubscribeRoutes(
  app: Pick<Application, 'unsubscribe'>,
  publicUrl: string,
): Router {
  const router = Router();
  const path = '/api/auth/unsubscribe';

  mount(
    router,
    {
      id: 'unsubscribe',
      method: 'post',
      path,
      summary: 'Stop mails about webhooks and connections, by the token that came with one',
      about:
        'The url of List-Unsubscribe (RFC 8058). `PATCH /api/auth/me` turns the mails on again.',
      query: mailed,
      status: 204,
      problems: ['invalid_or_used_token'],
    },
    async ({ query }) => app.unsubscribe(query().token),
  );

  mount(
    router,
    {
      id: 'openUnsubscribePage',
      method: 'get',
      path,
      summary: 'Lead to the page that stops mails, for mail programs that open the url',
      about: 'Redirects to the page, which changes nothing before a person presses its button.',
      query: mailed,
      status: 303,
    },
    ({ res, query }) =>
      res.redirect(303, `${publicUrl}/unsubscribe#token=${encodeURIComponent(query().token)}`),
  );

  return router;
}
