import { AppError } from '@junction/errors';
import { rateLimit } from '@junction/service/http';
import type { RequestHandler } from 'express';

const PER_SECOND = 20;
const CODES = { events: 'too_many_events', questions: 'too_many_questions' } as const;

/** Limits work that anybody can cause to a number for each network and second. `what` is in the plural. */
export const fewASecond = (what: keyof typeof CODES): RequestHandler =>
  rateLimit({
    name: what,
    limit: PER_SECOND,
    windowS: 1,
    refusal: (retryAfterS) =>
      new AppError(
        CODES[what],
        `Too many ${what} from this network: ${PER_SECOND} a second are taken.`,
        { retryAfterS },
      ),
  });
