import { SERVICE_SCOPES, type ServiceScope } from '@junction/contracts';
import { buildText } from '@junction/telemetry';
import type { RequestHandler, Router } from 'express';
import type { RouteGroup } from '../http/index.js';

/** Stands before the paths that no gateway leads to. */
export const INTERNAL = '/internal';

/** Request handlers before the routes of operators. */
export interface OperatorGates {
  /** A user who is an operator, within the limit of requests, with a JSON body and an Idempotency-Key. */
  readonly forOperators: readonly RequestHandler[];
  /** A service account with the scope of the method, with a JSON body and an Idempotency-Key. */
  readonly forTools: readonly RequestHandler[];
}

/** Routers of a service for its operators. */
export interface OperatorRouters {
  /** Routes for operators in a browser, which service accounts use too. */
  readonly people: Router;
  /** Routes for service accounts alone. */
  readonly tools: Router;
}

/** Mounts the routes of operators: those of people twice, and those of service accounts where no gateway leads. */
export const operatorGroups = (
  { forOperators, forTools }: OperatorGates,
  { people, tools }: OperatorRouters,
): readonly RouteGroup[] => [
  { through: [...forOperators, tellVersion], router: people },
  { prefix: INTERNAL, through: [...forTools, tellVersion], router: people },
  { prefix: INTERNAL, through: [...forTools, tellVersion], router: tools },
];

/** Tells operators alone what the process was built of: others could look up what is known to be wrong with it. */
const tellVersion: RequestHandler = (_req, res, next) => {
  res.setHeader('junction-version', buildText());
  next();
};

/** Returns the scope of operators' routes: another one for each request that may change something. */
export const operatorScope = (method: string): ServiceScope =>
  method === 'GET' || method === 'HEAD' ? SERVICE_SCOPES.readOps : SERVICE_SCOPES.writeOps;
