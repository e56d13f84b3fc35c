import { createPrivateKey, X509Certificate } from 'node:crypto';
import { clientCredentials } from '@junction/client-credentials';
import { currentFile } from './current-file.js';
import {
  type KafkaOptions,
  kafkaClient,
  type PasswordLogin,
  type TlsOptions,
  type TokenLogin,
} from './kafka-client.js';
import type { KafkaPort } from './kafka-port.js';
import type { Log } from './log.js';

/** Connection settings of the cluster, as configured. */
export interface KafkaSettings extends Pick<KafkaOptions, 'brokers'> {
  /** True: no TLS. Only a developer's machine may be configured so. */
  readonly plaintext: boolean;
  /** Authorities to trust instead of the system's, PEM. */
  readonly caFile: string | undefined;
  /** The certificate that brokers are shown, and its key, PEM. */
  readonly certFile?: string | undefined;
  readonly keyFile?: string | undefined;
  readonly sasl: PasswordLogin | ClientLogin | undefined;
  /** File that the password of `sasl` was read from. */
  readonly saslPasswordFile?: string | undefined;
}

/** A client of an authorization server, which gives it a token for the brokers (RFC 6749, section 4.4). */
export interface ClientLogin {
  readonly mechanism: 'oauthbearer';
  /** The client id, and its secret. */
  readonly username: string;
  readonly password: string;
  readonly tokenUrl: string;
  readonly scope?: string | undefined;
  readonly audience?: string | undefined;
}

/**
 * Connects only when first used. Each new connection trusts the authorities and uses the certificate and the password
 * that their files hold at that time.
 *
 * @throws when one of the files cannot be used
 */
export async function connectKafka(
  settings: KafkaSettings,
  clientId: string,
  log: Log,
): Promise<KafkaPort> {
  const { brokers, plaintext, sasl, saslPasswordFile } = settings;
  // The files are read without TLS too: a wrong path fails when it is set, not when TLS is turned on.
  const ssl = tls(settings, log);
  return kafkaClient({
    brokers,
    clientId,
    log,
    ...(!plaintext && { ssl }),
    ...(sasl && { sasl: login(sasl, passwordOf(sasl, saslPasswordFile, log)) }),
  });
}

function tls({ caFile, certFile, keyFile }: KafkaSettings, log: Log): true | TlsOptions {
  if (caFile === undefined && certFile === undefined) return true;
  // Given an empty text, TLS would trust the system's authorities.
  const ca = caFile && currentFile(caFile, log, (text) => new X509Certificate(text));
  const cert = certFile && currentFile(certFile, log, (text) => new X509Certificate(text));
  const key = keyFile && currentFile(keyFile, log, (text) => createPrivateKey(text));
  return {
    get ca() {
      return ca ? ca() : undefined;
    },
    get cert() {
      return cert ? cert() : undefined;
    },
    get key() {
      return key ? key() : undefined;
    },
  };
}

function passwordOf(
  { password }: PasswordLogin | ClientLogin,
  file: string | undefined,
  log: Log,
): () => string {
  return file === undefined ? () => password : currentFile(file, log);
}

function login(
  sasl: PasswordLogin | ClientLogin,
  password: () => string,
): PasswordLogin | TokenLogin {
  if (sasl.mechanism === 'oauthbearer') {
    return { mechanism: 'oauthbearer', token: tokensOf(sasl, password) };
  }
  return {
    mechanism: sasl.mechanism,
    username: sasl.username,
    get password() {
      return password();
    },
  };
}

/** Keeps a token until it is nearly spent, or the secret has changed. */
function tokensOf(sasl: ClientLogin, password: () => string): TokenLogin['token'] {
  const { tokenUrl, username: clientId, scope, audience } = sasl;
  let secret: string | undefined;
  let token: TokenLogin['token'];
  return async () => {
    const current = password();
    if (current !== secret) {
      secret = current;
      token = clientCredentials({ tokenUrl, clientId, credential: { secret }, scope, audience });
    }
    return token();
  };
}
