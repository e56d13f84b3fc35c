import type { Mistake } from './unsafe.js';
import { isDevelopment } from './variables.js';

type Environment = Readonly<Record<string, string | undefined>>;

const LOGIN = ['KAFKA_SASL_MECHANISM', 'KAFKA_SASL_USERNAME', 'KAFKA_SASL_PASSWORD'];
const CERTIFICATE = ['KAFKA_SSL_CERT_FILE', 'KAFKA_SSL_KEY_FILE'];

/** Returns what is missing for a login at Kafka. */
export const kafkaMistakes = (env: Environment): readonly Mistake[] => [
  ...together(env, LOGIN),
  ...together(env, CERTIFICATE),
  ...tokenMistakes(env),
];

/** Returns a mistake for each missing variable when some of the variables are set: they go together. */
function together(env: Environment, variables: readonly string[]): readonly Mistake[] {
  const missing = variables.filter((variable) => env[variable] === undefined);
  if (missing.length === variables.length) return [];
  const message = `is missing: ${variables.join(', ')} go together`;
  return missing.map((variable) => ({ variable, message }));
}

function tokenMistakes(env: Environment): readonly Mistake[] {
  const variable = 'KAFKA_SASL_TOKEN_URL';
  const url = env[variable];
  const wantsToken = env['KAFKA_SASL_MECHANISM'] === 'oauthbearer';
  if (url === undefined) {
    return wantsToken ? [{ variable, message: 'is missing: oauthbearer needs it' }] : [];
  }
  if (!wantsToken) {
    return [
      { variable, message: 'is for KAFKA_SASL_MECHANISM=oauthbearer: remove it, or set that' },
    ];
  }
  if (!url.startsWith('http://') || isDevelopment(env)) return [];
  return [{ variable, message: 'must be https:// (http:// needs JUNCTION_ENV=development)' }];
}
