import { randomBytes } from 'node:crypto';

export type Service = 'auth' | 'integrations' | 'webhook-dispatcher';
export type Settings = Readonly<Record<string, string>>;

/** Parts beside those of the product that deployments of the table stand on. */
export interface Ground {
  /** Database of the dispatcher that nobody uses, as its owner. */
  readonly ownerUrl: string;
  readonly emptyUrl: string;
  /** Settings of a cluster in which the topic of auth's events forgets, and has too few partitions. */
  readonly forgetfulKafka: Settings;
  /** Files by name: certificates, their keys, and others. */
  readonly file: (name: string) => string;
}

/** A finding: its check, and what its two sentences have to say. */
type Expected = readonly [check: string, found: RegExp, remedy: RegExp];

export interface Broken {
  readonly what: string;
  readonly service: Service;
  /** Settings in place of those of a product in which all is well. */
  readonly settings?: (env: Settings, ground: Ground) => Settings;
  /** Statements of a superuser that break the dispatcher's unused database, and mend it. OWNER stands for its owner. */
  readonly database?: readonly [breaking: string, mending: string];
  /** All problems that are found, and no other. */
  readonly problems?: readonly Expected[];
  /** Mistake of the settings for which the doctor looks at nothing: what standard error says. */
  readonly refused?: RegExp;
  /** Warnings among those that are found. */
  readonly warnings?: readonly Expected[];
}

const NOWHERE = '127.0.0.1:2';
const ASK_AGAIN = /^Mend that one, then ask again\.$/;
const secret = () => randomBytes(32).toString('base64url');
const url = (text: string | undefined, change: Partial<URL>): string =>
  Object.assign(new URL(text ?? ''), change).href;

const OF_DATABASE: Expected = [
  'not looked at',
  /^disk, clock, connections, owner, migrations, restore, partitions, key ring, consumers, records, mails: .*"database"/,
  ASK_AGAIN,
];
const OF_AUTH: Expected = [
  'not looked at',
  /^service account, public url, gRPC of auth: .*"keys of auth"/,
  ASK_AGAIN,
];
const OF_ACCOUNT: Expected = [
  'not looked at',
  /^public url, gRPC of auth: .*"service account"/,
  ASK_AGAIN,
];
const OF_OWNER: Expected = [
  'not looked at',
  /^migrations, restore, partitions, key ring, consumers, records.*: .*"owner"/,
  ASK_AGAIN,
];
const OF_MIGRATIONS: Expected = [
  'not looked at',
  /^restore, partitions, key ring, consumers, records.*: .*"migrations"/,
  ASK_AGAIN,
];

const POSTGRES: readonly Broken[] = [
  {
    what: 'Postgres is away',
    service: 'auth',
    settings: (env) => ({ AUTH_DATABASE_URL: url(env['AUTH_DATABASE_URL'], { host: NOWHERE }) }),
    problems: [['database', /ECONNREFUSED 127\.0\.0\.1:2/, /_DATABASE_URL.*that Postgres runs/]],
    warnings: [OF_DATABASE],
  },
  {
    what: 'the database has another name',
    service: 'auth',
    settings: (env) => ({ AUTH_DATABASE_URL: `${env['AUTH_DATABASE_URL']}_of_another` }),
    problems: [['database', /"auth_of_another" does not exist/, /database, role and password/]],
    warnings: [OF_DATABASE],
  },
  {
    what: 'the password of the database is another',
    service: 'auth',
    settings: (env) => ({ AUTH_DATABASE_URL: url(env['AUTH_DATABASE_URL'], { password: 'x' }) }),
    problems: [['database', /password authentication failed/, /role and password/]],
    warnings: [OF_DATABASE],
  },
  {
    what: 'the file with the authorities of Postgres is not mounted',
    service: 'auth',
    settings: () => ({ DATABASE_TLS_CA_FILE: '/nowhere/ca.pem' }),
    problems: [['database', /ENOENT.*\/nowhere\/ca\.pem.*Nothing else/, /^Mount the file/]],
  },
  {
    what: 'no migration has been run',
    service: 'auth',
    settings: (_, { emptyUrl }) => ({ AUTH_DATABASE_URL: emptyUrl }),
    problems: [['migrations', /and \d+ more has not been run/, /^Run the command `migrate`/]],
    warnings: [OF_MIGRATIONS],
  },
  {
    what: 'the newest migration has not been run',
    service: 'webhook-dispatcher',
    database: [
      `update knex_migrations set name = name || '_later' where id = (select max(id) from knex_migrations)`,
      `update knex_migrations set name = replace(name, '_later', '')`,
    ],
    problems: [['migrations', /The migration \S+ has not been run/, /`migrate` of this version/]],
    warnings: [OF_MIGRATIONS],
  },
  {
    what: 'a restored database waits for finish-restore',
    service: 'webhook-dispatcher',
    database: [
      `insert into events (stream_id, version, tx, event_id, type, schema_version, data, recorded_at)
       values ('webhook-wh_1', 1, '1000000000000', gen_random_uuid(), 'none', 1, '{}', now())`,
      `set session_replication_role = replica; delete from events; set session_replication_role = origin`,
    ],
    problems: [['restore', /as after a restore from a dump/, /`finish-restore`/]],
  },
  {
    what: 'the role may create nothing in its database',
    service: 'webhook-dispatcher',
    database: [
      `do $$ begin execute format('alter database %I owner to current_user', current_database()); end $$`,
      `do $$ begin execute format('alter database %I owner to OWNER', current_database()); end $$`,
    ],
    problems: [
      ['database', /may create nothing in/, /^Run as its owner: alter database \S+ owner/],
    ],
  },
  {
    what: 'the role is a superuser',
    service: 'webhook-dispatcher',
    database: ['alter role OWNER superuser', 'alter role OWNER nosuperuser'],
    warnings: [['database', /is a superuser/, /a role of its own that owns its database/]],
  },
  {
    what: 'the role may open fewer connections than a replica',
    service: 'webhook-dispatcher',
    database: ['alter role OWNER connection limit 5', 'alter role OWNER connection limit -1'],
    problems: [
      ['connections', /of the connection limit of the role, 5/, /Lower DATABASE_POOL_MAX/],
    ],
  },
  {
    what: 'a replica may open more connections than the server has',
    service: 'webhook-dispatcher',
    settings: () => ({ DATABASE_POOL_MAX: '200' }),
    problems: [['connections', /of max_connections of the server/, /raise the limit/]],
  },
  {
    what: 'the next partition of events is missing',
    service: 'webhook-dispatcher',
    database: [
      'drop table events_p1',
      'set role OWNER; select make_events_partitions(2); reset role',
    ],
    problems: [['partitions', /events_p1 of events is missing/, /make_events_partitions\(2\)/]],
  },
  {
    what: 'the partitions of the next days are missing',
    service: 'webhook-dispatcher',
    database: ['select', 'select'],
    warnings: [['days ahead', /^12 partitions of the next days are missing/, /^Start the service/]],
  },
  {
    what: 'the clock of the machine is a minute fast',
    service: 'auth',
    settings: () => ({ NODE_OPTIONS: `--import=${MINUTE_FAST}` }),
    problems: [['clock', /(59|60)\.\d s from that of Postgres/, /NTP/]],
  },
];

const MINUTE_FAST = `data:text/javascript,${encodeURIComponent(
  'const now = Date.now; Date.now = () => now() + 60000;',
)}`;

const KEYS: readonly Broken[] = [
  {
    what: 'VAULT_KEYS lacks the key that has sealed rows',
    service: 'auth',
    settings: () => ({ VAULT_KEYS: `other:${secret()}` }),
    problems: [['key ring', /signing_keys/, /back into VAULT_KEYS/]],
  },
  {
    what: 'VAULT_KEYS has that key with other bytes',
    service: 'auth',
    settings: ({ VAULT_KEYS: keys = '' }) => ({ VAULT_KEYS: keys.replace(/:.*/s, `:${secret()}`) }),
    problems: [['key ring', /signing_keys/, /back into VAULT_KEYS/]],
  },
];

/** Reports the twelve partitions of the topic of assistants, of which those `where` are in this state. */
const consumed = (state: string, where: string, failingSince: string): string => `
  insert into consumer_offsets (consumer, topic, partition, next_offset, updated_at, lost_reason)
  select 'webhook-dispatcher.assistant', 'assistant.events.v1', n, 0, now() - interval '1 h',
         case when '${state}' = 'offset_lost' and ${where} then 'The log is another one.' end
    from generate_series(0, 11) n;
  insert into consumer_partitions (consumer, topic, partition, owner, state, failing_since, seen_at)
  select consumer, topic, n, 'o', '${state}', ${failingSince}, now()
    from consumer_offsets join generate_series(0, 11) n on n = partition where ${where}`;
const NOT_CONSUMED = 'delete from consumer_offsets; delete from consumer_partitions';

const KAFKA: readonly Broken[] = [
  {
    what: 'the brokers are away',
    service: 'auth',
    settings: () => ({ KAFKA_BROKERS: NOWHERE }),
    problems: [['topics', /127\.0\.0\.1:2/, /^Check KAFKA_BROKERS, that the brokers run/]],
  },
  {
    what: 'the topics job has not run',
    service: 'auth',
    settings: () => ({ KAFKA_TOPIC_PREFIX: 'nobody.' }),
    problems: [['topics', /^Missing: .*nobody\.auth\.events\.v1.*\.dlq/, /^Run the topics job/]],
  },
  {
    what: 'a topic forgets, and has too few partitions',
    service: 'auth',
    settings: (_, { forgetfulKafka }) => forgetfulKafka,
    problems: [
      ['topics', /^Missing: /, /topics job/],
      ['topics', /auth\.events\.v1 has 3 partitions/, /While it is empty delete it/],
      [
        'topics',
        /keeps records for 86400000 ms, and must for -1/,
        /--add-config retention\.ms=…, with/,
      ],
    ],
  },
  {
    what: 'a batch of Kafka could not be decoded',
    service: 'webhook-dispatcher',
    database: [
      `insert into dead_letters (id, consumer, topic, partition, record_offset, reason_code,
                                 reason_text, headers, recorded_at)
       values (gen_random_uuid(), 'c', 'assistant.events.v1', 3, 41, 'batch_undecodable', 'r', '{}', now())`,
      'delete from dead_letters',
    ],
    problems: [['records', /c could not decode 1 batch of assistant\.events\.v1/, /dlq list/]],
  },
  {
    what: 'records were set aside, and nobody has decided about them',
    service: 'webhook-dispatcher',
    database: [
      `insert into dead_letters (id, consumer, topic, partition, record_offset, reason_code,
                                 reason_text, headers, recorded_at)
       select gen_random_uuid(), 'c', 'assistant.events.v1', n, 41, 'invalid', 'r', '{}', now()
         from generate_series(0, 11) n`,
      'delete from dead_letters',
    ],
    problems: [
      [
        'records',
        /^c has set 12 records of assistant\.events\.v1 aside/,
        /`junction dlq list -s webhook-dispatcher --consumer c .*`junction dlq redrive .*dlq drop/,
      ],
    ],
  },
  {
    what: 'partitions have lost their place',
    service: 'webhook-dispatcher',
    database: [consumed('offset_lost', 'n < 7', 'null'), NOT_CONSUMED],
    problems: [
      [
        'consumers',
        /^webhook-dispatcher\.assistant has lost its place.* in 7 of 12 partitions of assistant\.events\.v1 \(0, 1, 2, 3, 4, 5, 6\)\. The log is another one\./,
        /`junction consumers reset -s webhook-dispatcher webhook-dispatcher\.assistant assistant\.events\.v1 0 --b/,
      ],
    ],
  },
  {
    what: 'partitions fail again and again',
    service: 'webhook-dispatcher',
    database: [consumed('backing_off', 'n in (3, 4)', `now() - interval '2 min'`), NOT_CONSUMED],
    problems: [
      [
        'consumers',
        /^webhook-dispatcher\.assistant has handled nothing .* 2 of 12 partitions of assistant\.events\.v1 \(3, 4\)/,
        /^The log of webhook-dispatcher says why/,
      ],
    ],
  },
  {
    what: 'partitions fail for a moment, and nobody has others, because no replica need run',
    service: 'webhook-dispatcher',
    database: [consumed('backing_off', 'n < 3', `now() - interval '5 s'`), NOT_CONSUMED],
  },
];

const tls = (cert: string, key: string): Settings => ({
  GRPC_TLS_CERT_FILE: cert,
  GRPC_TLS_KEY_FILE: key,
});

const CERTIFICATES: readonly Broken[] = [
  {
    what: 'a certificate is over',
    service: 'auth',
    settings: (_, { file }) => tls(file('over.pem'), file('over.key')),
    problems: [['certificates', /of GRPC_TLS_CERT_FILE ended at/, /reads that again, without a/]],
  },
  {
    what: 'a certificate is soon over',
    service: 'auth',
    settings: (_, { file }) => tls(file('soon.pem'), file('soon.key')),
    warnings: [['certificates', /of GRPC_TLS_CERT_FILE ends at/, /reads that again, without a/]],
  },
  {
    what: 'a key is not that of its certificate',
    service: 'auth',
    settings: (_, { file }) => tls(file('soon.pem'), file('over.key')),
    problems: [['certificates', /key of GRPC_TLS_KEY_FILE is not that/, /of one certificate/]],
  },
  {
    what: 'a certificate is not mounted',
    service: 'auth',
    settings: (_, { file }) => tls('/nowhere/cert.pem', file('soon.key')),
    problems: [['certificates', /GRPC_TLS_CERT_FILE cannot be used: ENOENT/, /^Mount it as PEM/]],
  },
  {
    what: 'a file of a certificate holds something else',
    service: 'auth',
    settings: (_, { file }) => tls(file('no.yaml'), file('soon.key')),
    problems: [['certificates', /of GRPC_TLS_CERT_FILE holds no certificate/, /must be PEM/]],
  },
];

const OTHERS: readonly Broken[] = [
  {
    what: 'auth is away',
    service: 'integrations',
    settings: () => ({
      AUTH_JWKS_URL: `http://${NOWHERE}/`,
      AUTH_TOKEN_URL: `http://${NOWHERE}/`,
      AUTH_GRPC_ADDRESS: NOWHERE,
    }),
    problems: [['keys of auth', /ECONNREFUSED/, /^Check AUTH_JWKS_URL, that auth is ready/]],
    warnings: [OF_AUTH],
  },
  {
    what: 'AUTH_TOKEN_URL leads nowhere',
    service: 'webhook-dispatcher',
    settings: () => ({ AUTH_TOKEN_URL: `http://${NOWHERE}/oauth/token` }),
    problems: [['service account', /ECONNREFUSED/, /^Check AUTH_TOKEN_URL/]],
    warnings: [OF_ACCOUNT],
  },
  {
    what: 'the secret of the service account is another',
    service: 'webhook-dispatcher',
    settings: () => ({ SERVICE_CLIENT_SECRET: secret() }),
    problems: [['service account', /401 invalid_client/, /SERVICE_ACCOUNTS_FILE of auth/]],
    warnings: [OF_ACCOUNT],
  },
  {
    what: 'AUTH_GRPC_ADDRESS leads nowhere',
    service: 'integrations',
    settings: () => ({ AUTH_GRPC_ADDRESS: NOWHERE }),
    problems: [['gRPC of auth', /\(127\.0\.0\.1:2\).*ECONNREFUSED/, /^Check AUTH_GRPC_ADDRESS/]],
  },
  {
    what: 'AUTH_GRPC_ADDRESS is a port of HTTP',
    service: 'webhook-dispatcher',
    settings: ({ AUTH_JWKS_URL: jwks }) => ({ AUTH_GRPC_ADDRESS: new URL(jwks ?? '').host }),
    problems: [['gRPC of auth', /does not answer/, /a port of its own of auth/]],
  },
  ...(['integrations', 'webhook-dispatcher'] as const).map(
    (service): Broken => ({
      what: `PUBLIC_URL of ${service} is not that of auth`,
      service,
      settings: () => ({ PUBLIC_URL: 'http://localhost:9' }),
      problems: [
        [
          'public url',
          /^PUBLIC_URL is http:\/\/localhost:9, and that of auth is http:\/\/localhost:\d{4,}:/,
          /same PUBLIC_URL, to the letter/,
        ],
      ],
    }),
  ),
  {
    what: 'the egress proxy is away',
    service: 'webhook-dispatcher',
    settings: () => ({ WEBHOOK_EGRESS_PROXY: `http://${NOWHERE}` }),
    problems: [
      ['egress proxy', /ECONNREFUSED 127\.0\.0\.1:2/, /^Check host and port in WEBHOOK_E/],
    ],
  },
  {
    what: 'the collector of traces is away',
    service: 'integrations',
    settings: () => ({ OTEL_EXPORTER_OTLP_ENDPOINT: `http://${NOWHERE}` }),
    warnings: [['traces', /ECONNREFUSED/, /^Check OTEL_EXPORTER_OTLP_ENDPOINT.*traces are lost/]],
  },
  {
    what: 'the mail server is away',
    service: 'auth',
    settings: () => ({ SMTP_URL: `smtp://${NOWHERE}` }),
    problems: [['mail', /ECONNREFUSED/, /SMTP_URL/]],
  },
  {
    what: 'a provider describes itself nowhere',
    service: 'integrations',
    settings: (_, { file }) => ({ PROVIDERS_FILE: file('nowhere.yaml') }),
    problems: [['providers', /127\.0\.0\.1:2/, /^Check the issuer in PROVIDERS_FILE/]],
  },
  {
    what: 'the proxy to the providers is away',
    service: 'integrations',
    settings: (_, { file }) => ({
      PROVIDERS_FILE: file('away.yaml'),
      HTTPS_PROXY: `http://${NOWHERE}`,
    }),
    problems: [
      [
        'providers',
        /\(https:\/\/provider\.example\) could not be taken.*unreachable/,
        /HTTPS_PROXY where that is set/,
      ],
    ],
  },
];

/** Host and port of an address. */
const port = (address: string | undefined): string => new URL(address ?? '').host;

/** Deployments that a newcomer makes: settings that fit another place, and parts that are something else. */
const MIXED_UP: readonly Broken[] = [
  {
    what: 'auth has the database of the dispatcher',
    service: 'auth',
    settings: (_, { ownerUrl }) => ({ AUTH_DATABASE_URL: ownerUrl }),
    problems: [
      [
        'owner',
        /^This is the database of webhook-dispatcher\.$/,
        /own database.*nothing was changed/,
      ],
    ],
    warnings: [OF_OWNER],
  },
  {
    what: 'the database was migrated by a version that is newer',
    service: 'webhook-dispatcher',
    database: [
      `update database_owner set line = line + 1, version = '9.0.0'`,
      'update database_owner set line = line - 1',
    ],
    problems: [
      [
        'owner',
        /made by version 9\.0\.0 of .*is too old for it/,
        /^Keep that version.*reset.*deletes all/,
      ],
    ],
    warnings: [OF_OWNER],
  },
  {
    what: 'the database was made by a version that is not upgraded from',
    service: 'webhook-dispatcher',
    database: [
      `create table kept as select * from database_owner; drop table database_owner;
       update knex_migrations set name = 'webhooks/0001_of_old' where name = 'webhooks/0001_webhooks'`,
      `update knex_migrations set name = 'webhooks/0001_webhooks' where name = 'webhooks/0001_of_old';
       create table database_owner as select * from kept; alter table database_owner owner to OWNER;
       drop table kept`,
    ],
    problems: [
      ['owner', /not upgraded from: it has the migration webhooks\/0001_of_old/, /^Keep that/],
    ],
    warnings: [OF_OWNER],
  },
  {
    what: 'Postgres has no room for half a megabyte',
    service: 'webhook-dispatcher',
    database: [
      'alter role OWNER set temp_file_limit = 64',
      'alter role OWNER reset temp_file_limit',
    ],
    problems: [['disk', /temporary file size exceeds/, /^Make room on the disk.*refused with 503/]],
  },
  {
    what: 'Postgres is asked for TLS, and has none',
    service: 'auth',
    settings: (_, { file }) => ({ DATABASE_TLS_CA_FILE: file('soon.pem') }),
    problems: [['database', /does not support SSL connections/, /_DATABASE_URL/]],
    warnings: [OF_DATABASE],
  },
  {
    what: 'KAFKA_BROKERS names a web server',
    service: 'auth',
    settings: (env) => ({ KAFKA_BROKERS: port(env['PUBLIC_URL']) }),
    problems: [['topics', /^Closed connection/, /^Check KAFKA_BROKERS/]],
  },
  {
    what: 'Kafka is asked for TLS, and has none',
    service: 'auth',
    settings: (_, { file }) => ({ KAFKA_SSL_CA_FILE: file('soon.pem') }),
    problems: [['topics', /disconnected before secure TLS/, /KAFKA_SSL_ settings/]],
  },
  {
    what: 'the mail server is asked for TLS, and speaks none',
    service: 'auth',
    settings: (env) => ({ SMTP_URL: url(env['SMTP_URL'], {}).replace('smtp:', 'smtps:') }),
    problems: [['mail', /what listens there speaks no TLS$/, /STARTTLS/]],
  },
  {
    what: 'the file of a key holds something else',
    service: 'auth',
    settings: (_, { file }) => tls(file('soon.pem'), file('no.yaml')),
    problems: [
      ['certificates', /GRPC_TLS_KEY_FILE cannot be used: it holds no key in a form that/, /PEM/],
    ],
  },
  {
    what: 'AUTH_JWKS_URL is a page',
    service: 'integrations',
    settings: (env) => ({ AUTH_JWKS_URL: `${env['PUBLIC_URL']}/` }),
    problems: [['keys of auth', /answered without keys/, /^Check AUTH_JWKS_URL/]],
    warnings: [OF_AUTH],
  },
  {
    what: 'AUTH_GRPC_ADDRESS is that of the dispatcher itself',
    service: 'webhook-dispatcher',
    settings: (env) => ({ AUTH_GRPC_ADDRESS: `127.0.0.1:${env['GRPC_PORT']}` }),
    problems: [['gRPC of auth', /does not answer/, /a port of its own of auth/]],
  },
  {
    what: 'the egress proxy is a web server',
    service: 'webhook-dispatcher',
    settings: (env) => ({ WEBHOOK_EGRESS_PROXY: `http://${port(env['PUBLIC_URL'])}` }),
    problems: [['egress proxy', /opened no tunnel.*\(other side closed\)/, /a proxy for CONNECT/]],
  },
  {
    what: 'nobody listens at a trusted issuer, and another describes somebody else',
    service: 'webhook-dispatcher',
    settings: (_, { file }) => ({ TRUSTED_ISSUERS_FILE: file('issuers.yaml') }),
    problems: [
      [
        'trusted issuers',
        /^away \(http:\/\/127\.0\.0\.1:2\) gives no keys: .*ECONNREFUSED/,
        /^Check its iss/,
      ],
      [
        'trusted issuers',
        /^other \(http:\/\/127\.0\.0\.1:\d+\) gives no keys: .*another issuer/,
        /to the letter/,
      ],
    ],
  },
  {
    what: 'the secret of a client of a provider is another',
    service: 'integrations',
    settings: () => ({ ACME_MAILBOX_CLIENT_SECRET: secret() }),
    problems: [
      [
        'providers',
        /refuses the client \S+ of acme\/mailbox: invalid_client/,
        /^Check client_id and the secret/,
      ],
    ],
  },
  {
    what: 'EVENT_TYPES_FILE does not exist',
    service: 'webhook-dispatcher',
    settings: () => ({ EVENT_TYPES_FILE: '/nowhere/kinds.yaml' }),
    refused: /^webhook-dispatcher: .*\/nowhere\/kinds\.yaml/,
  },
];

/** Deployments with one thing broken in each: what has to be found, and what is to be done. */
export const BROKEN: readonly Broken[] = [
  ...POSTGRES,
  ...KEYS,
  ...KAFKA,
  ...CERTIFICATES,
  ...OTHERS,
  ...MIXED_UP,
];
