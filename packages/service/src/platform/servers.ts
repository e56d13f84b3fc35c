import type { Event } from '@junction/eventsourcing';
import {
  authenticateIfShown,
  authenticateService,
  authenticateUser,
  CALLERS_WINDOW_S,
  idempotency,
  limitCallers,
  operatorsOnly,
  PORTAL_AUDIENCE,
  type RefusedRequest,
  refuseIfEnded,
  sharedUse,
  type TokenVerifierOptions,
  tellRefusals,
  tokenVerifier,
  type VerifyToken,
  withForeignIssuers,
} from '../callers/index.js';
import { closeGrpc, drainGrpc, grpcServer } from '../grpc/index.js';
import { httpApp, jsonBody, requestTurns } from '../http/index.js';
import type { Runtime } from '../process/index.js';
import { type OperatorGates, operatorGroups, operatorScope } from './operator-groups.js';
import type { Platform, PlatformConfig } from './platform.js';
import { poolSizes } from './postgres/pool-sizes.js';
import type { Gates, OpenedService, ServiceDefinition, ServiceParts } from './service.js';

const SECOND_MS = 1_000;
const WORTH_TELLING_SHARE = 20;

interface Opened<Config, E extends Event> extends OpenedService<Config, E> {
  readonly runtime: Runtime;
}

/** Opens the servers last, once everything behind them is ready. Closing in reverse shuts them first. */
export async function openServers<Config extends PlatformConfig, E extends Event>(
  service: ServiceDefinition<Config, E>,
  parts: ServiceParts,
  opened: Opened<Config, E>,
): Promise<void> {
  const { platform, measures, runtime } = opened;
  const { name, config, log, closing, health } = platform;
  const trust = { keys: parts.callers.keys, issuer: config.publicUrl };

  const { routers, refused } = service.operations.open(service, opened);
  const verifyService = tokenVerifier({ ...trust, audience: name, kind: 'service' });
  const grpc = await grpcServer({
    log,
    metrics: measures,
    ...config.grpc,
    security: config.grpcSecurity,
    reflection: config.grpcReflection,
    verify: verifyService,
    services: parts.grpc,
  });
  closing.add('grpc', grpc, closeGrpc, { announce: drainGrpc, atOnce: true });
  const gates = gatesOf(parts, platform, { trust, verifyService, refused });
  const operators = [routers, parts.operators].filter((one) => one !== undefined);
  await runtime.listen(
    httpApp({
      log,
      health,
      metrics: measures,
      routes: [
        ...parts.routes(gates),
        ...operators.flatMap((routers) => operatorGroups(gates, routers)),
      ],
      trustedProxies: config.trustedProxies,
    }),
  );
}

interface Trust {
  readonly trust: Pick<TokenVerifierOptions, 'keys' | 'issuer'>;
  readonly verifyService: VerifyToken;
  readonly refused: (refusal: RefusedRequest) => void;
}

function gatesOf<Config extends PlatformConfig, E extends Event>(
  { callers }: ServiceParts,
  platform: Platform<Config, E>,
  { trust, verifyService, refused }: Trust,
): Gates & OperatorGates {
  const { config, pool, sealing, log } = platform;
  const verify = tokenVerifier({ ...trust, audience: 'junction-api', kind: 'user' });
  const authenticate = authenticateUser({
    ...callers,
    verify: withForeignIssuers(verify, platform.foreignIssuers),
    verifyPortal: tokenVerifier({ ...trust, audience: PORTAL_AUDIENCE, kind: 'portal' }),
    publicUrl: config.publicUrl,
  });
  const turns = requestTurns(poolSizes(config.databasePoolMax).dear);
  const limited = limitCallers(() => config.apiLimitPerCaller, apiUse(platform), turns);
  const body = [jsonBody, refuseIfEnded(callers)];
  const known = [limited.before, authenticate, limited.behind, ...body];
  const recordRefusals = tellRefusals(refused);
  const idempotent = idempotency({ pool, sealing, log });
  return {
    verify,
    idempotent,
    known,
    perhapsKnown: [authenticateIfShown(authenticate), ...body],
    forOperators: [recordRefusals, ...known, operatorsOnly, idempotent],
    forUsers: [...known, idempotent],
    forServices: (scope) => [authenticateService(verifyService, () => scope), jsonBody],
    forTools: [
      recordRefusals,
      authenticateService(verifyService, operatorScope),
      jsonBody,
      idempotent,
    ],
  };
}

/**
 * Creates the counts of callers' use, merged each second. The use of a caller below a twentieth of the limit is counted
 * by each replica alone.
 */
function apiUse<Config extends PlatformConfig, E extends Event>({
  pool,
  config,
  job,
}: Platform<Config, E>) {
  const use = sharedUse({
    pool,
    windowMs: CALLERS_WINDOW_S * SECOND_MS,
    get worthTelling() {
      return Math.max(1, Math.floor(config.apiLimitPerCaller / WORTH_TELLING_SHARE));
    },
  });
  job('api use', SECOND_MS, use.merge);
  return use;
}
