import { ChannelCredentials, Metadata, type ServiceError, status } from '@grpc/grpc-js';
import { clientCredentials, withServiceToken } from '@junction/client-credentials';
import {
  type GetAccessTokenResponse,
  IntegrationsServiceClient,
  type ReportUnauthorizedRequest,
  type ReportUnauthorizedResponse,
} from '@junction/contracts';
import { refusalIn } from './token-refused-error.js';

export interface TokensOptions {
  /** `host:port` of integrations; `dns:///host:port` spreads calls over all addresses of a name. */
  readonly address: string;
  /** Token endpoint, `https://…/oauth/token`. */
  readonly tokenUrl: string;
  /** A client with the scope tokens:read for integrations. */
  readonly clientId: string;
  readonly clientSecret: string;
  /** Certificates as PEM; `true` trusts those of Node; `false`, in clear text, on a development machine only. */
  readonly tls: boolean | { readonly ca?: Buffer; readonly cert?: Buffer; readonly key?: Buffer };
  /** Milliseconds for a call, retries included. Default 15 s: a refresh waits for the provider. */
  readonly deadlineMs?: number;
  /** Times that a call is made while integrations or the provider does not answer. Default 5. */
  readonly attemptsMax?: number;
}

/** The account whose token is asked for, and what the token must be able to do. */
export interface TokenRequest {
  readonly userId: string;
  /** `mailbox` or `calendar`. */
  readonly provider: string;
  /** An account of several. Absent: the primary one of the provider. */
  readonly integrationId?: string;
  /** Scopes in Junction's names, such as `mailbox.readonly`, that the token must carry. Absent: any. */
  readonly scopes?: readonly string[];
  /** Seconds that the token must still live. Absent: it has not expired. */
  readonly minLifetimeS?: number;
}

const DEADLINE_MS = 15_000;
const ATTEMPTS_MAX = 5;

/** Makes the calls of a worker: each with its service token, a deadline, and attempts until somebody answers. */
export function integrationsCalls(options: TokensOptions) {
  const { address, tokenUrl, clientId, clientSecret, deadlineMs = DEADLINE_MS } = options;
  const client = new IntegrationsServiceClient(address, channelOf(options), {
    'grpc.service_config': JSON.stringify(serviceConfig(options.attemptsMax ?? ATTEMPTS_MAX)),
    'grpc.service_config_disable_resolution': 1,
    'grpc.keepalive_time_ms': 30_000,
    'grpc.max_reconnect_backoff_ms': 1_000,
  });
  const own = clientCredentials({
    tokenUrl,
    clientId,
    credential: { secret: clientSecret },
    audience: 'integrations',
    scope: 'tokens:read',
  });
  const call = async <T>(make: (...how: How<T>) => unknown): Promise<T> => {
    const deadline = Date.now() + deadlineMs;
    const attempt = async (bearer: string): Promise<T> => {
      const metadata = new Metadata();
      metadata.set('authorization', `Bearer ${bearer}`);
      return new Promise((resolve, reject) => {
        make(metadata, { deadline }, (error, answer) => (error ? reject(error) : resolve(answer)));
      });
    };
    return withServiceToken(own, attempt, isUnauthenticated).catch((error: unknown) => {
      throw refusalIn(error);
    });
  };

  return {
    ask: async ({ integrationId = '', scopes = [], minLifetimeS = 0, ...who }: TokenRequest) => {
      const whole = { ...who, integrationId, scopes: [...scopes], minLifetimeS };
      return call<GetAccessTokenResponse>((...how) => client.getAccessToken(whole, ...how));
    },
    report: async (refused: ReportUnauthorizedRequest) =>
      call<ReportUnauthorizedResponse>((...how) => client.reportUnauthorized(refused, ...how)),
    close: () => client.close(),
  };
}

type How<T> = [Metadata, { deadline: number }, (error: ServiceError | null, answer: T) => void];

const isUnauthenticated = (error: unknown): boolean =>
  (error as Partial<ServiceError>).code === status.UNAUTHENTICATED;

function channelOf({ tls }: TokensOptions): ChannelCredentials {
  if (tls === false) return ChannelCredentials.createInsecure();
  const { ca, cert, key } = tls === true ? {} : tls;
  return ChannelCredentials.createSsl(ca, key, cert);
}

function serviceConfig(maxAttempts: number) {
  const retryPolicy = {
    maxAttempts,
    initialBackoff: '0.2s',
    maxBackoff: '2s',
    backoffMultiplier: 2,
    retryableStatusCodes: ['UNAVAILABLE'],
  };
  const name = [{ service: 'junction.integrations.v1.IntegrationsService' }];
  return {
    loadBalancingConfig: [{ round_robin: {} }],
    methodConfig: maxAttempts > 1 ? [{ name, retryPolicy }] : [],
  };
}
